import type { Socket } from 'node:net'
import type { Server } from '../../runtime/index.ts'
import type { DeviceRelease } from './device-release.ts'
import { type DoorLine, doorText } from './door-line.ts'

/** What a person can have done to a device that is shared, from another terminal. What is missing is refused. */
export interface DeviceControls {
  /** Lets the device go, for an upload or a serial monitor. What it returns is told. */
  release?(): unknown
  /** Takes the device again. */
  retake?(): unknown
  /** What there is to know of the device, beside what is known of its owner. */
  status?(): object | Promise<object>
  /** Gives the traffic to `write`, a JSON value each, until the function that it returns is called. */
  trace?(write: (event: object) => void): () => void
}

/** What a control command works on. */
export interface ControlTarget {
  status(): object
  server: Server
  controls: DeviceControls
  /** Lets the device go and takes it again; nothing where that is not to be had. */
  release?: DeviceRelease
}

/** So much may wait to be read by somebody who looks on, in bytes, before events are left out. */
const mostUnread = 1024 * 1024

/** Runs one command that came in over a socket, answers it, and ends the socket. */
export async function runControl(socket: Socket, line: DoorLine, target: ControlTarget): Promise<void> {
  const command = line.ferrule
  socket.on('error', () => {})
  socket.resume()
  const answer = (members: object) => socket.end(doorText({ ferrule: command, ...members }))
  try {
    if (command === 'trace' && target.controls.trace !== undefined) return trace(socket, target.controls.trace)
    const { release } = target
    const run = Object.hasOwn(commands, command) ? commands[command] : undefined
    if (run === undefined) return void answer({ ok: false, error: `The owner of this device knows no "${command}"` })
    const hold = command === 'release' && line.hold === true && release !== undefined
    if (command === 'stop' || command === 'arm') socket.write(doorText({ ferrule: 'heard' }))
    const members = { ok: true, ...(await (hold ? outcomeOf(release.hold(socket)) : run(target, byOf(line)))) }
    // Whoever holds a device goes on listening.
    if (hold) socket.write(doorText({ ferrule: command, ...members }))
    else answer(members)
  } catch (thrown) {
    answer({ ok: false, error: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}

const commands: Record<string, (target: ControlTarget, by: string) => Promise<object>> = {
  status: statusOf,
  release: ({ release }) => outcomeOf(release?.release() ?? notHere()),
  retake: ({ release }) => outcomeOf(release?.retake() ?? notHere()),
  async stop(target, by) {
    const report = await target.server.stop(by)
    return { ...(await statusOf(target)), report }
  },
  async arm(target, by) {
    await target.server.arm(by)
    return statusOf(target)
  },
}

async function statusOf({ status, server, controls }: ControlTarget): Promise<object> {
  const { armed, stopped } = server
  return { ...status(), armed, stopped, device: (await controls.status?.()) ?? {} }
}

function notHere(): Promise<never> {
  return Promise.reject(new Error('There is nothing here to be let go of'))
}

const longestBy = 100

/** Who gives a command, as far as it says. */
function byOf({ by }: DoorLine): string {
  const text = typeof by === 'string' ? by.replace(/[^ -~\u00a0-\u02ff]/g, '?').slice(0, longestBy) : ''
  return text === '' ? 'another program of this user' : text
}

async function outcomeOf(done: Promise<unknown>): Promise<object> {
  const outcome = await done
  return outcome === undefined ? {} : { outcome }
}

function trace(socket: Socket, start: NonNullable<DeviceControls['trace']>): void {
  let left = 0
  const stop = start(event => {
    if (socket.destroyed) return
    if (socket.writableLength > mostUnread) {
      left++
      return
    }
    if (left > 0) socket.write(doorText({ ferrule: 'trace', leftOut: left }))
    left = 0
    socket.write(doorText({ ferrule: 'trace', event }))
  })
  socket.write(doorText({ ferrule: 'trace', ok: true }))
  socket.once('end', () => socket.end())
  socket.once('close', stop)
}
