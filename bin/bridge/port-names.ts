import { PortError, parsePortSpec, portSpecText } from '../../transports/serial/index.ts'
import { isSought } from './sought.ts'

/** A port as it was named: by a spec that a transport takes, or by what is looked for. */
export interface NamedPort {
  /** What `openPort` takes; or `auto`, a glob of paths, a serial number or the name of a board. */
  spec: string
  /** Stands before the names of the board's sensors and actuators, and keeps several boards apart. */
  prefix: string | undefined
}

/**
 * Reads ports as they are given to `--port`: `SPEC` or `PREFIX=SPEC`. Where there are several, those without a prefix are
 * `a`, `b` and so on.
 *
 * @throws PortError with code `spec` when one means nothing, or two are the same
 */
export function parsePorts(given: readonly string[]): NamedPort[] {
  const ports = given.map(parsePort)
  if (ports.length > 1) {
    if (ports.some(({ spec }) => spec === 'auto')) {
      throw new PortError('spec', 'auto finds one board: name each port where there are several')
    }
    for (const [index, port] of ports.entries()) port.prefix ??= String.fromCharCode(97 + (index % 26))
  }
  for (const key of ['spec', 'prefix'] as const) {
    const twice = ports.map(port => port[key]).find((value, index, all) => value && all.indexOf(value) !== index)
    if (twice !== undefined) throw new PortError('spec', `${twice} is there twice: each port needs a ${key} of its own`)
  }
  return ports
}

function parsePort(given: string): NamedPort {
  const [, prefix, rest = given] = /^([A-Za-z][A-Za-z0-9_-]{0,15})=(.+)$/.exec(given) ?? []
  const spec = isSought(rest) ? rest : portSpecText(parsePortSpec(rest))
  return { spec, prefix }
}
