import type { Serial } from '../../../boards/io.ts'

/** An MH-Z19 at its serial line: it answers a whole command of nine bytes with a right checksum, and nothing else. */
export class MHZ19Model implements Serial {
  readonly title = 'serial0'
  ppm = 0
  plugged = true
  closed = false
  /** What changes an answer on its way. */
  damage: (answer: number[]) => number[] = answer => answer
  /** How often it was asked. */
  asked = 0
  #come: number[] = []

  async write(bytes: Uint8Array): Promise<void> {
    const sum = [...bytes.subarray(1, 8)].reduce((all, byte) => all + byte, 0)
    if (!this.plugged || bytes.length !== 9 || bytes[0] !== 0xff || (sum + bytes[8]!) % 256 !== 0) return
    if (bytes[2] !== 0x86) return
    this.asked++
    const body = [0x86, this.ppm >> 8, this.ppm & 0xff, 0x47, 0, 0, 0]
    const check = (256 - (body.reduce((all, byte) => all + byte, 0) % 256)) % 256
    this.#come.push(...this.damage([0xff, ...body, check]))
  }

  async read(byteLength: number, timeoutMs: number): Promise<Uint8Array> {
    if (this.#come.length < byteLength) throw new Error(`serial0 does not answer within ${timeoutMs} ms`)
    return Uint8Array.from(this.#come.splice(0, byteLength))
  }

  /** Bytes that nobody asked for. */
  disturb(...bytes: number[]): void {
    this.#come.push(...bytes)
  }

  flush(): void {
    this.#come = []
  }

  close(): void {
    this.closed = true
  }
}
