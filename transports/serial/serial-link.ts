import { type Link, type LinkReceiver, type LinkSession, type Server, serveLink } from '../../runtime/index.ts'
import type { ByteStream } from './byte-stream.ts'
import { openPort, type PortChange, type PortConnection, type PortOptions } from './port-connection.ts'
import type { PortError } from './port-error.ts'
import { type SerialOptions, serialStream } from './serial-stream.ts'

/** A link over a port, which can be closed. */
export interface SerialLink extends Link {
  /** Resolves when the port is open; what is written before is lost. Never when it cannot be opened: see `over`. */
  readonly opened: Promise<void>
  /** Resolves when the link is over, with the reason; with nothing when it was closed on purpose. */
  readonly over: Promise<PortError | undefined>
  close(now?: 'now'): Promise<void>
}

/** A serial port as a link, from its opening until it goes away: one session with one peer. */
export function serialLink(path: string, options: SerialOptions = {}): SerialLink {
  return streamLink(serialStream(path, options))
}

/** Any byte stream as a link. It is opened when the link is. */
export function streamLink(stream: ByteStream): SerialLink {
  let end: (reason: PortError | undefined) => void = () => {}
  const over = new Promise<PortError | undefined>(resolve => {
    end = resolve
  })
  let begin: () => void = () => {}
  const opened = new Promise<void>(resolve => {
    begin = resolve
  })
  const feed = new Feed(stream)
  return {
    opened,
    over,
    open(receiver) {
      feed.receiver = receiver
      const closed = (reason: PortError | undefined) => {
        feed.end()
        end(reason)
      }
      stream.open({ bytes: chunk => receiver.bytes(chunk), closed }).then(begin, closed)
    },
    write: text => feed.write(text),
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    close: now => stream.close(now),
  }
}

/** A server on the end of a cable. */
export interface SerialServing {
  /** The port, and how it stands with it. */
  readonly port: PortConnection
  /** The session with whoever is at the other end now. */
  readonly session: LinkSession | undefined
  /** Ends the session, sends what it answered last, and gives the port back. */
  close(): Promise<void>
}

/**
 * Serves whoever is at the other end of a port. When the port goes away the session ends, and when it comes back another
 * begins, since another host may be there. The server is opened and closed by the caller.
 */
export function serveSerial(server: Server, spec: string, options: Omit<PortOptions, 'onBytes'> = {}): SerialServing {
  let feed: Feed | undefined
  let session: LinkSession | undefined
  const endSession = () => {
    feed?.end()
    feed = undefined
    session?.connection.close()
    session = undefined
  }
  const port = openPort(spec, {
    ...options,
    onBytes: chunk => feed?.receiver?.bytes(chunk),
    onChange(change: PortChange) {
      endSession()
      if (change.state === 'open') {
        const current = new Feed(port)
        feed = current
        port.resume()
        const link: Link = {
          open(receiver) {
            current.receiver = receiver
          },
          write: text => current.write(text),
          pause: () => port.pause(),
          resume: () => port.resume(),
        }
        session = serveLink(server, link, () => {})
      }
      options.onChange?.(change)
    },
  })
  return {
    port,
    get session() {
      return session
    },
    async close() {
      session?.flush()
      await port.close()
    },
  }
}

/** So many bytes may wait to be sent before the session is asked to wait. */
const mostWaiting = 16 * 1024

/** What a link does with its receiver, over anything that bytes can be written to. */
class Feed {
  receiver: LinkReceiver | undefined = undefined
  readonly #sink: Pick<ByteStream, 'write' | 'pendingBytes'>
  #full = false
  #over = false

  constructor(sink: Pick<ByteStream, 'write' | 'pendingBytes'>) {
    this.#sink = sink
  }

  write(text: string): boolean {
    if (this.#over) return true
    const written = this.#sink.write(text)
    if (this.#sink.pendingBytes <= mostWaiting) return true
    this.#full = true
    // Sent or lost, it waits no more.
    written.catch(() => {}).then(() => this.#drained())
    return false
  }

  end(): void {
    if (this.#over) return
    this.#over = true
    // A session that waits for room would never see the end.
    this.#drained()
    this.receiver?.end()
  }

  #drained(): void {
    if (!this.#full || (!this.#over && this.#sink.pendingBytes > mostWaiting)) return
    this.#full = false
    this.receiver?.drained()
  }
}
