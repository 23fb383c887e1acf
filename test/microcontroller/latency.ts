import { chipOf, type FirmwareName } from './chip-rig.ts'
import { frame } from './frame.ts'

/** How long the chip takes from the last byte of a question to the first byte of its answer, in ms of its own time. */
export interface Latency {
  median: number
  longest: number
}

const questions = {
  ping: (id: number) => [1, session, -1 - (id % 20)],
  read: (id: number) => [3, session, -1 - (id % 20), 0],
  call: (id: number) => [4, session, id % 256, 2, [id % 2 === 0]],
  stop: (id: number) => [8, session, -1 - (id % 20)],
} as const
const session = 0x4a21
const newline = 0x0a

export type Question = keyof typeof questions

/** Asks so many times, at ever other places in the chip's turns. */
export async function latencyOf(
  question: Question,
  times: number,
  firmware: FirmwareName = 'greenhouse',
): Promise<Latency> {
  const chip = await chipOf(firmware)
  const taken: number[] = []
  let askedAt: number | undefined
  chip.wire.onArrived = byte => {
    if (byte === newline) askedAt = chip.cycles
  }
  chip.wire.onBegun = () => {
    if (askedAt !== undefined) taken.push(((chip.cycles - askedAt) / chip.hz) * 1000)
    askedAt = undefined
  }
  chip.run(0.2)
  chip.send(frame([0, session, 1, {}]))
  chip.run(0.1)
  taken.length = 0
  for (let id = 1; id <= times; id++) {
    chip.send(frame(questions[question](id)))
    // No multiple of the chip's millisecond.
    chip.run(0.02037)
  }
  if (taken.length !== times) throw new Error(`${taken.length} of ${times} were answered`)
  taken.sort((a, b) => a - b)
  return { median: taken[Math.floor(times / 2)]!, longest: taken.at(-1)! }
}
