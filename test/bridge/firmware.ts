import { LinkDevice } from '../../boards/remote/link/index.ts'
import { actuator, type Board, createServer, type Link, type LinkReceiver, serveLink } from '../../runtime/index.ts'

/** What runs on a board behind a cable: takes bytes, and gives some. */
export interface Program {
  receive(chunk: Uint8Array): void
  /** The power is gone. */
  end(): void
}

/** Puts a program on a board. Called at each start of it, with what sends to the host, and how often it was started. */
export type Firmware = (send: (bytes: Uint8Array | string) => void, boot: number) => Program

/** Firmware that speaks the compact link. */
export function linkFirmware(board: Board, id = 'A1B2C3', more: { failSafeMs?: number } = {}): Firmware {
  return (send, boot) => {
    const device = new LinkDevice({ board, id, boot, outlet: { write: bytes => send(bytes) }, ...more })
    device.start()
    return { receive: chunk => device.receive(chunk), end: () => void device.close() }
  }
}

/** Firmware that speaks MCP itself, in lines of JSON. */
export function mcpFirmware(...given: Parameters<typeof createServer>): Firmware {
  return send => {
    const server = createServer(...given)
    let receiver: LinkReceiver | undefined
    const link: Link = {
      open: opened => {
        receiver = opened
      },
      write: text => {
        send(text)
        return true
      },
      pause: () => {},
      resume: () => {},
    }
    serveLink(server, link, () => {})
    void server.open()
    return { receive: chunk => receiver?.bytes(chunk), end: () => receiver?.end() }
  }
}

/** A board as in the README: what it was told to do is written down. */
export function greenhouse(moves: number[] = [], more: Partial<Board> = {}): Board {
  return {
    name: 'greenhouse',
    version: '1.0.0',
    title: 'Greenhouse',
    sensors: {
      soil: { title: 'Soil moisture', unit: '/', minimum: 0, maximum: 1, read: () => 0.42 },
    },
    actuators: {
      fan: actuator({
        title: 'Fan',
        inputSchema: {
          type: 'object',
          properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
          required: ['percent'],
        },
        safe: { percent: 0 },
        set: ({ percent }) => void moves.push(percent),
      }),
    },
    ...more,
  }
}
