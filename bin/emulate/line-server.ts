import { createServer, type Server, type Socket } from 'node:net'
import type { Atmega328p, RealTime } from '../../boards/microcontroller/emulator/index.ts'

/** What takes the far end of the line away from a chip that sends faster than it is read, in bytes. */
const mostUnread = 65_536
/** So many bytes wait for the line; what comes meanwhile waits in the network. */
const mostWaiting = 4096

/** How a {@link LineServer} is made. */
export interface LineServerOptions {
  chip: Atmega328p
  time: RealTime
  /** Resets the chip whenever somebody comes, as an Uno does when its port is opened. */
  resetOnOpen: boolean
  say(text: string): void
}

/** A chip's serial line as a TCP port, as ser2net makes one: bytes both ways, one peer at a time. */
export class LineServer {
  readonly #chip: Atmega328p
  readonly #time: RealTime
  readonly #server: Server
  readonly #options: LineServerOptions
  #peer: Socket | undefined
  #sent: number[] = []

  constructor(options: LineServerOptions) {
    const { chip, time } = options
    this.#options = options
    this.#chip = chip
    this.#time = time
    this.#server = createServer({ noDelay: true }, socket => this.#take(socket))
    chip.wire.onSent = byte => this.#sent.push(byte)
  }

  /** Begins to listen. Resolves to the address, as `ferrule bridge --port` takes it. Rejects when it cannot. */
  listen(host: string, port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        const {
          address,
          family,
          port: given,
        } = this.#server.address() as { address: string; family: string; port: number }
        resolve(`tcp://${family === 'IPv6' ? `[${address}]` : address}:${given}`)
      })
    })
  }

  /** Hands on what the chip sent. To be called after each stretch of its time. */
  flush(): void {
    if (this.#sent.length > 0) {
      this.#time.noteByte()
      // A serial line waits for nobody: what is not read in time is lost.
      if (this.#peer !== undefined && this.#peer.writableLength < mostUnread)
        this.#peer.write(Uint8Array.from(this.#sent))
      this.#sent = []
    }
    if (this.#peer?.isPaused() && this.#chip.wire.coming.length < mostWaiting / 2) this.#peer.resume()
  }

  close(): void {
    this.#peer?.destroy()
    this.#server.close()
  }

  #take(socket: Socket): void {
    const { say, resetOnOpen } = this.#options
    socket.on('error', () => {})
    if (this.#peer !== undefined) {
      say('somebody else wants the line, and is turned away: one at a time')
      socket.destroy()
      return
    }
    this.#peer = socket
    say('somebody is at the line')
    if (resetOnOpen) {
      this.#time.catchUp()
      this.#sent = []
      this.#chip.reset()
    }
    socket.on('data', bytes => {
      // The chip is taken to this moment first: a byte does not reach it in its past.
      this.#time.catchUp()
      this.#chip.send(bytes)
      this.#time.noteByte()
      if (this.#chip.wire.coming.length > mostWaiting) socket.pause()
    })
    socket.once('close', () => {
      this.#peer = undefined
      say('nobody is at the line')
    })
  }
}
