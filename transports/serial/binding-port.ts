import type { OpenedPort, OpenedPortEvents } from './opened-port.ts'

/** A port as the library opens it on every system. */
export interface BindingPort {
  read(buffer: Buffer, offset: number, length: number): Promise<{ bytesRead: number }>
  write(buffer: Buffer): Promise<void>
  set(lines: { dtr?: boolean; rts?: boolean }): Promise<void>
  drain(): Promise<void>
  flush(): Promise<void>
  close(): Promise<void>
}

const readBytes = 8 * 1024

/** Reads and writes through the library: for Windows, where a port is no file descriptor. */
export class ReadingPort implements OpenedPort {
  readonly #port: BindingPort
  readonly #buffer = Buffer.allocUnsafeSlow(readBytes)
  #over = false
  #paused = false
  #go: (() => void) | undefined = undefined
  #events: OpenedPortEvents | undefined = undefined

  constructor(port: BindingPort) {
    this.#port = port
  }

  start(events: OpenedPortEvents): void {
    this.#events = events
    void this.#read()
  }

  put(bytes: Uint8Array): Promise<void> {
    return this.#port.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).catch(thrown => {
      this.#lost(thrown)
      throw thrown
    })
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#go?.()
  }

  drain(): Promise<void> {
    return this.#port.drain().catch(() => {})
  }

  stop(): void {
    this.#over = true
    this.#go?.()
  }

  async #read(): Promise<void> {
    while (!this.#over) {
      let count: number
      try {
        count = (await this.#port.read(this.#buffer, 0, readBytes)).bytesRead
      } catch (thrown) {
        return this.#lost(thrown)
      }
      if (this.#paused) await new Promise<void>(resolve => (this.#go = resolve))
      if (!this.#over && count > 0) this.#events?.bytes(this.#buffer.subarray(0, count))
    }
  }

  #lost(thrown: unknown): void {
    if (this.#over) return
    this.stop()
    this.#events?.lost(thrown)
  }
}
