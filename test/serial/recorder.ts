import type { ByteReceiver, PortChange, PortError } from '../../transports/serial/index.ts'

/** Keeps what comes out of a byte stream, and tells when it is there. */
export class Recorder implements ByteReceiver {
  text = ''
  /** One entry for each call of `closed`. */
  readonly ends: (PortError | undefined)[] = []
  readonly changes: PortChange[] = []
  #watchers = new Set<() => void>()

  bytes(chunk: Uint8Array): void {
    this.text += Buffer.from(chunk).toString('latin1')
    this.#notify()
  }

  closed(reason: PortError | undefined): void {
    this.ends.push(reason)
    this.#notify()
  }

  /** For `openPort`. */
  get options() {
    return {
      onBytes: (chunk: Uint8Array) => this.bytes(chunk),
      onChange: (change: PortChange) => {
        this.changes.push(change)
        this.#notify()
      },
    }
  }

  /** The last state that was told. */
  get state(): PortChange['state'] | undefined {
    return this.changes.at(-1)?.state
  }

  /** The changes as short texts: `open first`, `away lost`. */
  get story(): string[] {
    return this.changes.map(change => {
      if (change.state === 'open') return `open ${change.device}`
      return change.state === 'away' ? `away ${change.reason.code}` : 'closed'
    })
  }

  /** Resolves when something that was recorded makes it true. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve()
    return new Promise(resolve => {
      const watcher = () => {
        if (!condition()) return
        this.#watchers.delete(watcher)
        resolve()
      }
      this.#watchers.add(watcher)
    })
  }

  /** Resolves when this text has come in. */
  hears(text: string): Promise<void> {
    return this.until(() => this.text.includes(text))
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }
}
