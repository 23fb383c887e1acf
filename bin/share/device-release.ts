import type { Socket } from 'node:net'
import type { DeviceControls } from './controls.ts'

/** Whether a device is let go for another program, and whether that lasts only as long as somebody holds it so. */
export interface ReleaseState {
  released: boolean
  held: boolean
}

/** After a take-over a holder has so long to say again that it holds the device, in milliseconds. */
const holdersReturnMs = 10_000

/** Lets a device go and takes it again. Who holds it is another process, which may die without a word. */
export class DeviceRelease {
  readonly #controls: DeviceControls
  readonly #changed: () => void
  readonly #diagnose: (text: string) => void
  #released: boolean
  readonly #holders = new Set<Socket>()
  #returning: NodeJS.Timeout | undefined = undefined
  #closed = false

  /** @param inherited how the last owner left it */
  constructor(
    controls: DeviceControls,
    inherited: ReleaseState,
    changed: () => void,
    diagnose: (text: string) => void,
  ) {
    this.#controls = controls
    this.#changed = changed
    this.#diagnose = diagnose
    this.#released = inherited.released
    if (inherited.released && inherited.held) {
      this.#returning = setTimeout(() => {
        this.#returning = undefined
        this.#unheld()
      }, holdersReturnMs)
    }
  }

  get state(): ReleaseState {
    return { released: this.#released, held: this.#holders.size > 0 || this.#returning !== undefined }
  }

  /** @throws Error when the device cannot be let go */
  async release(): Promise<unknown> {
    if (this.#controls.release === undefined) throw new Error('This device cannot be let go')
    const outcome = await this.#controls.release()
    this.#released = true
    this.#changed()
    return outcome
  }

  /** The same until a socket ends. */
  async hold(holder: Socket): Promise<unknown> {
    this.#holders.add(holder)
    const over = () => {
      holder.end()
      if (this.#holders.delete(holder)) this.#unheld()
    }
    holder.once('end', over).once('close', over)
    try {
      return await this.release()
    } catch (thrown) {
      this.#holders.delete(holder)
      throw thrown
    } finally {
      clearTimeout(this.#returning)
      this.#returning = undefined
      // It may be gone by now.
      if (this.#holders.size === 0 && holder.destroyed) this.#unheld()
    }
  }

  /** @throws Error when the device cannot be taken again */
  async retake(): Promise<unknown> {
    if (this.#controls.retake === undefined) throw new Error('This device cannot be let go, so it is not taken again')
    this.#released = false
    this.#changed()
    return this.#controls.retake()
  }

  /** The owner leaves: from now on it takes nothing. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#returning)
  }

  #unheld(): void {
    if (this.#closed || !this.#released || this.#holders.size > 0 || this.#returning !== undefined) return
    this.retake().catch(thrown => this.#diagnose(`The device is not taken again: ${thrown}`))
  }
}
