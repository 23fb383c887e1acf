import { connect, type Socket } from 'node:net'
import type { ByteReceiver, ByteStream } from './byte-stream.ts'
import { type DuplexStreamOptions, duplexStream } from './duplex-stream.ts'
import { PortError } from './port-error.ts'
import { portSpecText } from './port-spec.ts'

/** How a TCP connection is made. Everything may be left out. */
export interface TcpStreamOptions extends Omit<DuplexStreamOptions, 'name'> {
  /** How long connecting may take, in milliseconds; 5000 when left out. */
  connectMs?: number | undefined
}

/** A peer that vanished without a word is noticed after this silence, and some probes. */
const keepAliveMs = 10_000

/** A serial port behind a network: ser2net in raw mode, ESP-link, a board that listens itself. */
export function tcpStream(host: string, port: number, options: TcpStreamOptions = {}): ByteStream {
  const name = portSpecText({ kind: 'tcp', host, port })
  let inner: ByteStream | undefined
  let connecting: { socket: Socket; stop(): void } | undefined
  const closed = new PortError('closed', `${name} was closed`)
  return {
    name,
    async open(receiver: ByteReceiver) {
      const socket = await new Promise<Socket>((resolve, reject) => {
        const made = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs })
        const { connectMs = 5000 } = options
        const failed = (error: PortError) => {
          made.destroy()
          reject(error)
        }
        connecting = { socket: made, stop: () => failed(closed) }
        made.setTimeout(connectMs, () => failed(unreachable(name, { code: 'ETIMEDOUT' })))
        made.once('error', error => failed(unreachable(name, error)))
        made.once('connect', () => {
          made.setTimeout(0)
          made.removeAllListeners('error')
          resolve(made)
        })
      }).finally(() => {
        connecting = undefined
      })
      inner = duplexStream(socket, { ...options, name })
      await inner.open(receiver)
    },
    write: data => {
      if (inner !== undefined) return inner.write(data)
      const refused = Promise.reject(new PortError('closed', `${name} is not open`))
      refused.catch(() => {})
      return refused
    },
    get pendingBytes() {
      return inner?.pendingBytes ?? 0
    },
    pause: () => inner?.pause(),
    resume: () => inner?.resume(),
    close: async now => {
      connecting?.stop()
      await inner?.close(now)
    },
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there: is ser2net (or the board) running on this port?',
  ENOTFOUND: 'the name is not known: check the spelling, or use the address',
  EAI_AGAIN: 'the name cannot be looked up: is the network up?',
  EHOSTUNREACH: 'no way leads to this address: is the device on, and in this network?',
  ENETUNREACH: 'no way leads to this network: is the network up?',
  ETIMEDOUT: 'no answer: is the device on, and is a firewall between?',
}

/** The error of a connection that did not come about. */
function unreachable(name: string, error: { code?: string; message?: string }): PortError {
  const why = reasons[error.code ?? '']
  return new PortError('unreachable', `${name} cannot be reached: ${why ?? error.message}`)
}
