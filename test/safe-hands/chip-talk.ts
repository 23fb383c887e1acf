import type { Atmega328p } from '../../boards/microcontroller/emulator/index.ts'
import { type CborInput, type DeviceMessage, FramePort, readDeviceMessage } from '../../boards/remote/link/index.ts'
import { frame } from '../microcontroller/frame.ts'
import { actuators, type Output, PinWitness, safetyChip } from './chip-pins.ts'

const session = 0x4a21
/** At 115200 baud as this chip can have it. */
const cyclesPerByte = 1360

/**
 * Speaks to a chip frame by frame, each at the cycle that the test chooses. There is no host that repeats or waits: what
 * refuses is the device.
 */
export class ChipTalk {
  readonly chip: Atmega328p
  readonly pins: PinWitness
  readonly heard: DeviceMessage[] = []
  #id = 0
  #lastCall: CborInput | undefined
  /** Where its time stands, in cycles. The chip itself is a cycle or two ahead, where an instruction was not over. */
  #cycle = 0

  static async start(): Promise<ChipTalk> {
    const talk = new ChipTalk(await safetyChip())
    // Half a millisecond away from the moments at which the chip counts one.
    talk.silence(100.5)
    talk.hello()
    return talk
  }

  private constructor(chip: Atmega328p) {
    this.chip = chip
    this.pins = new PinWitness(chip)
    const port = new FramePort({
      outlet: { write: () => {} },
      onFrame: (bytes, length) => {
        const message = readDeviceMessage(bytes, 0, length)
        if (message.kind !== 'unknown' && message.kind !== 'broken') this.heard.push(message)
      },
    })
    chip.wire.onSent = byte => port.receive(Uint8Array.of(byte))
  }

  /** Begins the session, and thereby ends the one before. */
  hello(): void {
    this.#lastCall = undefined
    this.ask([0, session, 1, new Map()])
  }

  /** Resets the chip, and begins a session once it is up again. */
  restart(cause: 'pin' | 'watchdog'): void {
    this.chip.reset(cause)
    this.silence(100)
    this.hello()
  }

  /**
   * Sends a frame, whose last byte is there after 4 ms to the cycle, and gives what was heard until 10 ms are over. So two
   * frames are as far apart for the chip as they are for the test.
   */
  ask(message: CborInput): DeviceMessage[] {
    return this.#send(frame(message))
  }

  #send(bytes: Uint8Array): DeviceMessage[] {
    const from = this.heard.length
    const sendMs = (bytes.length * cyclesPerByte * 1000) / this.chip.hz
    this.silence(4 - sendMs)
    this.chip.send(bytes)
    this.silence(6 + sendMs)
    return this.heard.slice(from)
  }

  /** Calls an actuator. Takes 10 ms. Gives the code that it was refused with; 0 when it was done, -1 while it runs. */
  call(output: Output, ...args: CborInput[]): number {
    this.#id = (this.#id + 1) % 256
    this.#lastCall = [4, session, this.#id, actuators.indexOf(output), args]
    const answers = this.ask(this.#lastCall)
    for (const answer of answers) {
      if ('id' in answer && answer.id === this.#id && answer.kind !== 'progress')
        return answer.kind === 'error' ? answer.code : 0
    }
    return -1
  }

  /** Sends the last call once more, as a host does that got no answer. */
  copy(): void {
    this.ask(this.#lastCall!)
  }

  /** Sends a call under an id that is over; a ping, where no call was made in this session yet. */
  oldCall(output: Output, ...args: CborInput[]): void {
    if (this.#lastCall === undefined) this.ping()
    else this.ask([4, session, (this.#id + 256 - 20) % 256, actuators.indexOf(output), args])
  }

  /** Sends a call of a session that is not the device's. */
  foreignCall(output: Output, ...args: CborInput[]): void {
    this.ask([4, 7, 0, actuators.indexOf(output), args])
  }

  /** Sends a call whose bytes arrive otherwise than they should. */
  hurtCall(hurt: (bytes: Uint8Array) => Uint8Array, output: Output, ...args: CborInput[]): void {
    this.#send(hurt(frame([4, session, (this.#id + 1) % 256, actuators.indexOf(output), args])))
  }

  ping(): void {
    this.ask([1, session, -6])
  }

  arm(armed: boolean): void {
    this.ask([9, session, -3, armed])
  }

  /** @param from the session of whoever stops it */
  stop(from = session): void {
    this.ask([8, from, -4])
  }

  read(sensor: number): unknown {
    const answer = this.ask([3, session, -5, sensor]).find(heard => 'id' in heard && heard.id === -5)
    return answer?.kind === 'result' ? answer.item : undefined
  }

  /** Lets so many milliseconds of the chip go by, to the cycle. The session is kept alive when they are many. */
  wait(ms: number): void {
    let left = ms
    for (; left > 400; left -= 360) {
      this.silence(350)
      this.ping()
    }
    this.silence(left)
  }

  /** The same without a word from the host. */
  silence(ms: number): void {
    this.#cycle += Math.round((ms / 1000) * this.chip.hz)
    this.chip.runUntil(this.#cycle)
  }
}
