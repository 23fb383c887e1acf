import { travelsEscaped } from './frame.ts'

/** Gives numbers from 0 up to 1 (exclusive), like `Math.random`. */
export type Random = () => number

const drawn = new Uint32Array(64)
let left = 0

/** Random numbers of the platform. Each call asks for one, so many are drawn at once: asking the system is slow. */
export const platformRandom: Random = () => {
  if (left === 0) {
    crypto.getRandomValues(drawn)
    left = drawn.length
  }
  return drawn[--left]! / 0x1_0000_0000
}

const quiet = Array.from({ length: 256 }, (_, byte) => byte).filter(byte => !travelsEscaped(byte))
const quietHigh = quiet.filter(byte => byte > 0)

/** Chooses a session number of two bytes that both travel unescaped, so that it never makes a frame longer. */
export function chooseSession(random: Random): number {
  const pick = (bytes: readonly number[]) => bytes[Math.floor(random() * bytes.length)]!
  return pick(quietHigh) * 256 + pick(quiet)
}

/** The id of the call after this one: counted up modulo 256, over those that would travel escaped. */
export function nextCallId(id: number): number {
  let next = (id + 1) & 0xff
  while (travelsEscaped(next)) next = (next + 1) & 0xff
  return next
}

/** Whether a call's id is newer than another: less than half the circle ahead. */
export function isNewer(id: number, than: number): boolean {
  const ahead = (id - than) & 0xff
  return ahead > 0 && ahead < 128
}
