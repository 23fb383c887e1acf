/**
 * The simulated device that `link.ts` calls, in a process of its own: a pty for each kind of firmware that its command line
 * asks for. It tells the paths to whoever started it, and ends with it.
 *
 *   link-device.ts link|json ...
 */
import process from 'node:process'
import { LinkDevice } from '../boards/remote/link/index.ts'
import { actuator, type Board, createServer, type Link, serveLink, tool } from '../runtime/index.ts'
import { Pty } from '../test/serial/pty.ts'

const description = 'Turns an LED on or off'
const inputSchema = {
  type: 'object',
  properties: { pin: { type: 'integer' }, on: { type: 'boolean' } },
  required: ['pin', 'on'],
} as const

/** One integer and one boolean, and an answer that says no more than that it is done. */
const board: Board = {
  name: 'bench',
  version: '1.0.0',
  actuators: { set_led: actuator({ description, inputSchema, safe: null, set: () => undefined }) },
}
const tools = { set_led: tool({ description, inputSchema, call: () => 'ok' }) }

/** Puts firmware on a pty of its own, and gives its path. */
function plug(firmware: string, boot: number): string {
  const pty = new Pty()
  if (firmware === 'link') {
    const device = new LinkDevice({ board, id: `bench-${boot}`, boot, outlet: { write: bytes => pty.write(bytes) } })
    pty.onBytes = bytes => device.receive(bytes)
    return pty.path
  }
  const link: Link = {
    open: receiver => {
      pty.onBytes = bytes => receiver.bytes(bytes)
    },
    write: text => {
      pty.write(text)
      return true
    },
    pause() {},
    resume() {},
  }
  serveLink(createServer({ name: 'bench', version: '1.0.0' }, { tools }), link, () => {})
  return pty.path
}

process.once('disconnect', () => process.exit())
process.send!(process.argv.slice(2).map(plug))
