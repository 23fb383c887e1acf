import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { StopReport } from '../runtime/index.ts'
import { exitCodes, Failure } from './failure.ts'
import type { ControlCommand } from './share/control.ts'
import { controlSocket } from './share/control.ts'
import type { ServerStatus } from './share/server-door.ts'
import { findDoors } from './share/server-doors.ts'
import { plain } from './try/readings.ts'

/** What a process that serves a board answers to a command. */
export type ServerAnswer = ServerStatus & { ok: boolean; error?: string; report?: StopReport }

/** A process of this user that serves a board. */
export interface Running {
  readonly pid: number
  /**
   * Gives it a command.
   *
   * @returns nothing when it has ended in the meantime
   * @throws Error when it does not answer
   */
  tell(command: ControlCommand, by?: string): Promise<ServerAnswer | undefined>
}

/** A process with what it said of itself; nothing when it did not answer. */
export interface Answered {
  readonly running: Running
  readonly status: ServerStatus | undefined
}

/** A process that says nothing for so long hangs, in milliseconds; also on a busy machine it takes a fraction of that. */
const hangsAfterMs = 5000
/** So long a stop may take, in milliseconds: hardware that is being opened, and sensors that are read afterwards. */
const doneMs = 15_000

/** All processes of this user that serve a board. */
export function allRunning(): Running[] {
  return findDoors().map(door => ({
    pid: door.pid,
    async tell(command, by) {
      let isHeard = false
      try {
        const socket = await door.reach()
        if (socket === undefined) return undefined
        const control = await controlSocket(socket, command, {
          heardMs: hangsAfterMs,
          timeoutMs: command === 'status' ? hangsAfterMs : doneMs,
          onHeard: () => {
            isHeard = true
          },
          ...(by !== undefined && { by }),
        })
        control.close()
        return control.answer as unknown as ServerAnswer
      } catch {
        if (isGone(door.pid)) return undefined
        throw new Error(isHeard ? lateText(door.pid) : hangText(door.pid))
      }
    },
  }))
}

/** Asks all of them, at once, how they are. Those that have ended are left out. */
export async function allAnswered(): Promise<Answered[]> {
  const answered = await Promise.all(
    allRunning().map(async (running): Promise<Answered[]> => {
      try {
        const status = await running.tell('status')
        return status === undefined ? [] : [{ running, status }]
      } catch {
        return [{ running, status: undefined }]
      }
    }),
  )
  return answered.flat().sort((one, other) => one.running.pid - other.running.pid)
}

/**
 * Those that somebody means by a word: a board's name, a file, a port in any of its forms, or the number of a process.
 *
 * @throws Failure when there is none: what there is
 */
export async function meant(all: readonly Answered[], word: string): Promise<Answered[]> {
  const byName = all.filter(each => namesOf(each).some(name => isSame(name, word) || name === resolve(word)))
  if (byName.length > 0) return byName
  const { namesOf: portNames } = await import('./bridge/identity.ts')
  const names = await portNames(word).catch(() => [word])
  const byPort = all.filter(each => namesOf(each).some(name => names.includes(name)))
  if (byPort.length > 0) return byPort
  const known = all.map(
    ({ running, status }) => `${status?.board ?? 'one that does not answer'} (process ${running.pid})`,
  )
  throw new Failure(
    `nothing of yours that runs is called ${word}: ${known.length === 0 ? 'nothing runs' : `there is ${known.join(', ')}`}`,
  )
}

function namesOf({ running, status }: Answered): string[] {
  if (status === undefined) return [String(running.pid)]
  const { board, file, device, over } = status
  const ports = (device?.ports ?? []).flatMap(({ spec, prefix, path, name }) => [spec, prefix, path, name])
  const names = [
    String(running.pid),
    board,
    file,
    file && basename(file),
    over === 'stdio' ? undefined : over,
    ...ports,
  ]
  return names.filter(name => name !== undefined)
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** A server in a few words: `greenhouse (ferrule serve /home/pi/greenhouse.ts, process 4711)`. */
export function serverText({ board, kind, file, device, pid }: ServerStatus): string {
  const what = file ?? device?.ports?.map(({ spec, path }) => path ?? spec).join(', ') ?? ''
  return `${board} (ferrule ${kind}${what === '' ? '' : ` ${what}`}, process ${pid})`
}

/** What to do about a process that does not answer. */
export function hangText(pid: number): string {
  const halted = isHalted(pid) ? ` It is halted: "kill -CONT ${pid}" lets it go on, and then it does this first.` : ''
  return (
    `process ${pid} does not answer, so it is not known whether its outputs are safe.${halted} "kill -9 ${pid}" ends it: ` +
    'a board on a cable then makes itself safe, and outputs of this computer stay as they are. Switch them off by hand.'
  )
}

function lateText(pid: number): string {
  return `process ${pid} was told, and has not done it in ${doneMs / 1000} s: look at its outputs, and at what it says on stderr`
}

/** A line for a terminal, which does what it is told: names and texts of devices stand in it. */
export function printable(line: string): string {
  return `${/^ */.exec(line)![0]}${plain(line)}`
}

/** Whether a process was halted by a signal, where that can be told (Linux). */
function isHalted(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[tT]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Nothing of this user serves a board. */
export function nothingRuns(): Failure {
  return new Failure('nothing runs: there is no ferrule serve or bridge of this user', exitCodes.failed)
}
