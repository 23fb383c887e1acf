import { type LineOptions, type Pacing, PortError } from '../transports/serial/index.ts'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'

/** How a port is used, as the options of a command say it. */
export interface PortUse {
  baudRate?: number
  pacing?: Pacing
  lines?: LineOptions
}

/** Reads `--baud`, `--pace` and `--dtr`. Throws a {@link Failure} that says what would be right. */
export function portUse(values: Arguments['values']): PortUse {
  const use: PortUse = {}
  if (values.baud !== undefined) use.baudRate = Number(values.baud)
  if (values.pace !== undefined) use.pacing = pacing(String(values.pace))
  // Both together: apart they reset an ESP board, or start its boot loader.
  if (values.dtr === 'on' || values.dtr === 'off') {
    const up = values.dtr === 'on'
    use.lines = { dtr: up, rts: up }
  }
  return use
}

/** Reads a pace such as `32/10`: so many bytes in so many milliseconds. */
export function pacing(text: string): Pacing {
  const [, bytes = '0', ms = '0'] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  if (Number(bytes) === 0 || Number(ms) === 0) {
    throw new Failure(`--pace is BYTES/MS, such as 32/10 for 32 bytes every 10 ms, not ${text}`, exitCodes.wrongUse)
  }
  return { bytes: Number(bytes), ms: Number(ms) }
}

/** Runs what takes the name of a port. A name that means nothing is the mistake of whoever typed it. */
export function asFailure<T>(run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    throw thrown instanceof PortError ? new Failure(thrown.message, exitCodes.wrongUse) : thrown
  }
}
