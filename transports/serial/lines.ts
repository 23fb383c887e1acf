import { execFile } from 'node:child_process'
import process from 'node:process'
import { type BoardWiring, knownBoard } from './known-boards.ts'
import type { PortDescription } from './port-description.ts'

/** What is done with the lines DTR and RTS, where one wants another thing than what is known of the board. */
export interface LineOptions {
  /** Up (`true`) or down after opening. */
  dtr?: boolean
  rts?: boolean
  /** Leaves both up when the port is closed, so that the next opening is no edge and resets nothing. */
  keep?: boolean
}

/** What is done with the lines, and why. */
export interface LinePolicy {
  /** Both lines, set in one step after opening. Missing: they stay as the operating system left them, which is up. */
  set: { dtr: boolean; rts: boolean } | undefined
  keep: boolean
  /** For a person. */
  why: string
}

const policies: Record<BoardWiring, LinePolicy> = {
  native: {
    set: { dtr: true, rts: true },
    // Down after closing: the board learns that nobody listens, and does not wait for a reader.
    keep: false,
    why: 'DTR up, since the board sends nothing without it',
  },
  bridge: {
    set: { dtr: true, rts: true },
    keep: true,
    why: 'DTR and RTS up together, and left up after closing, so that only the first opening resets the board',
  },
}

const unknown: LinePolicy = { set: undefined, keep: false, why: 'DTR and RTS as the system leaves them' }

/** Decides about the lines by what is known of the port, and what was asked for. */
export function linePolicy(port: PortDescription | undefined, asked: LineOptions = {}): LinePolicy {
  const board = port?.vendorId && port.productId ? knownBoard(port.vendorId, port.productId) : undefined
  const known = board === undefined ? unknown : policies[board.wiring]
  const { dtr, rts, keep = known.keep } = asked
  if (dtr === undefined && rts === undefined && keep === known.keep) return known
  const set =
    dtr === undefined && rts === undefined
      ? known.set
      : { dtr: dtr ?? known.set?.dtr ?? true, rts: rts ?? known.set?.rts ?? true }
  const words = set === undefined ? unknown.why : `DTR ${upOrDown(set.dtr)}, RTS ${upOrDown(set.rts)}`
  return { set, keep, why: `${words}${keep ? ', left so after closing' : ''}, as asked for` }
}

function upOrDown(up: boolean): string {
  return up ? 'up' : 'down'
}

/**
 * Has the lines stay up when the port is closed. The library for serial ports can only ask for the opposite, so this is
 * left to `stty`. It fails quietly: the board is then reset by the next opening, as it would be without.
 */
export function keepLines(path: string): Promise<boolean> {
  if (process.platform === 'win32') return Promise.resolve(false)
  const flag = process.platform === 'linux' ? '-F' : '-f'
  return new Promise(resolve => {
    execFile('stty', [flag, path, '-hupcl'], { timeout: 2000 }, error => resolve(error === null))
  })
}
