import { onTestFinished, vi } from 'vitest'
import { LineServer } from '../../bin/emulate/line-server.ts'
import { type Atmega328p, RealTime } from '../../boards/microcontroller/emulator/index.ts'
import { seeded } from '../link/pair.ts'
import { chipOf } from './chip-rig.ts'

/** A chip in real time with its serial line on a TCP port, which a test can pull, disturb and look at. */
export class LiveChip {
  readonly chip: Atmega328p
  readonly time: RealTime
  address = ''
  #line: LineServer | undefined

  /**
   * @param chip the greenhouse when left out
   * @param slower its clock goes by so much slower than the one on the wall, for one that would miss its host soon
   */
  static async start(chip?: Atmega328p, slower = 1): Promise<LiveChip> {
    const live = new LiveChip(chip ?? (await chipOf('greenhouse')), slower)
    live.time.start()
    await live.plug()
    onTestFinished(() => {
      live.time.stop()
      live.unplug()
    })
    return live
  }

  private constructor(chip: Atmega328p, slower: number) {
    this.chip = chip
    this.time = new RealTime(chip, { now: () => performance.now() / slower, onStretch: () => this.#line?.flush() })
  }

  /** Plugs the cable in, at the same place each time. */
  async plug(): Promise<void> {
    const { chip, time } = this
    this.#line = new LineServer({ chip, time, resetOnOpen: false, say: () => {} })
    this.address = await this.#line.listen('127.0.0.1', Number(this.address.split(':').at(-1)))
  }

  unplug(): void {
    this.#line?.close()
    this.#line = undefined
  }

  /** Damages one byte in so many, on the way to the host. */
  disturb(every: number): void {
    const random = seeded(5)
    const sent = this.chip.wire.onSent!
    this.chip.wire.onSent = byte => sent(random() < 1 / every ? byte ^ (1 << Math.floor(random() * 8)) : byte)
  }

  /** Waits until the chip drives a pin as it should. */
  sees(pin: string, high: boolean): Promise<void> {
    return vi.waitUntil(() => this.chip.pin(pin).high === high, { timeout: 40_000, interval: 5 }).then(() => {})
  }
}
