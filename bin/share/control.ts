import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Framer } from '../../runtime/index.ts'
import { findOwner } from './claim.ts'
import { type DoorLine, doorText, readDoorLine } from './door-line.ts'

/** A command to the owner of a device, or to any process that serves a board. */
export type ControlCommand = 'release' | 'retake' | 'status' | 'stop' | 'arm' | 'trace'

/** A conversation with the owner of a device. */
export interface Control {
  /** Its first answer: `ok`, and either what was asked for or `error`. */
  readonly answer: DoorLine
  /** Resolves when the owner ended the conversation, or is gone. */
  readonly over: Promise<void>
  /** Ends it: a trace stops, a device that was released with `hold` is taken again. */
  close(): void
}

/** How a command is given. */
export interface ControlOptions {
  /** `release` only: the device is taken again when this conversation ends, however it does. */
  hold?: boolean
  /** Takes what comes after the first answer: the events of a trace. */
  onLine?: (line: DoorLine) => void
  /** `stop` and `arm` only: who gives the command, for the operator and the record. */
  by?: string
  /** How long the owner may take to say that it heard of a `stop` or `arm`, in milliseconds; as `timeoutMs` when left out. */
  heardMs?: number
  /** Called when the owner has said so. */
  onHeard?: () => void
  /** How long the owner may take for its first answer, in milliseconds; 10 000 when left out. */
  timeoutMs?: number
}

/**
 * Gives a command to whoever owns a device: `release` and `retake` its port, `status`, `stop` (every output into its safe
 * state, where it stays) and `arm`, `trace` its traffic. A device that is held stays released when its owner leaves and another process takes over.
 *
 * @returns nothing when no process owns the device
 * @throws Error when the owner does not answer
 */
export async function controlDevice(
  key: string,
  command: ControlCommand,
  options: ControlOptions = {},
): Promise<Control | undefined> {
  const first = await converse(key, command, options)
  if (first === undefined || options.hold !== true || first.answer.ok !== true) return first
  let current = first
  let closed = false
  const hold = async () => {
    while (!closed) {
      await current.over
      const next = closed ? undefined : await heldByNext(key, options)
      if (next === undefined) return
      current = next
    }
    current.close()
  }
  return {
    answer: first.answer,
    over: hold(),
    close() {
      closed = true
      current.close()
    },
  }
}

/** How long, and how often, it is tried to find the next owner of a device that is held, in milliseconds. */
const takeOverMs = 5000
const retryMs = 50

async function heldByNext(key: string, options: ControlOptions): Promise<Control | undefined> {
  for (const until = performance.now() + takeOverMs; performance.now() < until; await delay(retryMs)) {
    // Whoever is just leaving, or just beginning, is asked again.
    const next = await converse(key, 'release', options).catch(() => undefined)
    if (next?.answer.ok === true) return next
    next?.close()
  }
  return undefined
}

async function converse(key: string, command: ControlCommand, options: ControlOptions): Promise<Control | undefined> {
  const socket = await findOwner(key)
  return socket === undefined ? undefined : controlSocket(socket, command, options)
}

/**
 * Gives a command to the process at the other end of a socket.
 *
 * @throws Error when it does not answer
 */
export function controlSocket(
  socket: Socket,
  command: ControlCommand,
  { hold, by, onLine, onHeard, timeoutMs = 10_000, heardMs = timeoutMs }: ControlOptions = {},
): Promise<Control> {
  const over = new Promise<void>(resolve => socket.once('close', () => resolve()))
  return new Promise((resolve, reject) => {
    const late = (ms: number) =>
      setTimeout(() => {
        reject(new Error(`The process that has the device did not answer "${command}" in ${ms / 1000} s`))
        // What was sent is still read by a process that was only halted.
        socket.destroy()
      }, ms)
    let timer = late(heardMs)
    let answered = false
    const framer = new Framer({
      onLine(bytes, start, end) {
        const line = readDoorLine(Buffer.from(bytes.subarray(start, end)).toString())
        if (line === undefined) return
        if (answered) return onLine?.(line)
        if (line.ferrule === 'heard') {
          clearTimeout(timer)
          timer = late(timeoutMs)
          return onHeard?.()
        }
        answered = true
        clearTimeout(timer)
        resolve({ answer: line, over, close: () => socket.destroy() })
      },
      onOverlong: () => {},
    })
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => void framer.push(chunk))
    socket.once('end', () => socket.end())
    over.then(() => {
      clearTimeout(timer)
      reject(new Error(`The process that has the device ended before it answered "${command}"`))
    })
    socket.write(doorText({ ferrule: command, ...(hold !== undefined && { hold }), ...(by !== undefined && { by }) }))
  })
}
