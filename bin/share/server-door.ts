import { rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { OperatorLimits, Server } from '../../runtime/index.ts'
import { limitTexts } from '../operator-options.ts'
import { uniqueDigits } from '../unique-digits.ts'
import { openDoor } from './claim.ts'
import { type DeviceControls, runControl } from './controls.ts'
import { readDoorLine } from './door-line.ts'
import { meetingFolder } from './meeting-folder.ts'
import { pipePrefix, socketName, sweep } from './server-doors.ts'
import { firstLine } from './socket-link.ts'

/** What a process that serves a board says of itself, beside what its server knows. */
export interface ServedBy {
  kind: 'serve' | 'bridge'
  /** The file that the board comes from. */
  file?: string | undefined
  /** How hosts reach it now: `stdio`, a URL, or the port of a cable. */
  over(): string
  limits?: OperatorLimits | undefined
  simulated?: boolean
  /** The file in which a board is recorded. */
  recordOf?: ((board: string) => string) | undefined
  controls?: DeviceControls
}

/** What such a process answers to `status`. */
export interface ServerStatus {
  pid: number
  kind: 'serve' | 'bridge'
  board: string
  title?: string
  file?: string
  over: string
  /** How many clients are connected. */
  clients: number
  sinceMs: number
  /** What the person who runs it allows, in words. */
  limits: string[]
  record?: string
  /** The actuators. */
  outputs: string[]
  /** Outputs that stay off after the start until a person arms them. */
  wantsArming: boolean
  armed: boolean
  stopped: boolean
  device?: { ports?: { spec: string; prefix?: string; path?: string; state: string; away?: string; name: string }[] }
}

/** So long a caller may take to say what it wants, in milliseconds. */
const firstLineMs = 5000

/**
 * Opens the door of this process, by which `ferrule stop`, `arm` and `status` of the same user find it. It closes with the
 * process, or when the function that it returns is called.
 *
 * @throws Error when there is no place for a door: why
 */
export async function openServerDoor(server: Server, by: ServedBy): Promise<() => void> {
  const isWindows = process.platform === 'win32'
  const folder = isWindows ? '' : meetingFolder()
  const path = isWindows ? `${pipePrefix()}${process.pid}` : join(folder, socketName(process.pid, uniqueDigits(6)))
  const door = await openDoor(path)
  const since = Date.now()
  door.unref()
  door.answer(async socket => {
    const first = await firstLine(socket, firstLineMs)
    const line = first === undefined ? undefined : readDoorLine(first.line)
    if (line === undefined) return void socket.destroy()
    const status = () => statusOf(server, by, Date.now() - since)
    await runControl(socket, line, { status, server, controls: by.controls ?? {} })
  })
  const close = () => {
    process.off('exit', close)
    door.close()
    if (!isWindows) rmSync(path, { force: true })
  }
  process.on('exit', close)
  if (!isWindows) sweep(folder)
  return close
}

function statusOf(server: Server, by: ServedBy, sinceMs: number): ServerStatus {
  const { board, clients, armed, stopped } = server
  const actuators = Object.entries(board.actuators ?? {})
  const record = by.recordOf?.(board.name)
  return {
    pid: process.pid,
    kind: by.kind,
    board: board.name,
    ...(board.title !== undefined && { title: board.title }),
    ...(by.file !== undefined && { file: by.file }),
    over: by.over(),
    clients,
    sinceMs,
    limits: [...(by.simulated === true ? ['simulated'] : []), ...limitTexts(by.limits ?? {})],
    ...(record !== undefined && { record }),
    outputs: actuators.map(([name]) => name),
    wantsArming: actuators.some(([, { arming }]) => arming === true),
    armed,
    stopped,
  }
}
