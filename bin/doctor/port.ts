import { listPorts, type PortChange, type PortError, portsText, portText } from '../../transports/serial/index.ts'
import { findBoard } from '../bridge/auto.ts'
import { type BridgeStatus, ownerOf } from '../bridge/identity.ts'
import type { BridgePort } from '../bridge/options.ts'
import { answers, ask, bootMs, type Found, foundText } from '../bridge/probe.ts'
import { isSought } from '../bridge/sought.ts'
import { asFailure, type PortUse } from '../line-options.ts'
import { errorsStep, examineFound } from './found.ts'
import { lineSample } from './line.ts'
import type { Examination } from './steps.ts'

/** So much of what came in is looked at. */
const mostBytes = 16 * 1024

/** Goes from the port to the first reading. Stops at the first step that fails, and says there what to do. */
export async function examinePort(
  given: string | undefined,
  use: PortUse,
  timeoutMs: number | undefined,
  examination: Examination,
): Promise<void> {
  const named = given === undefined ? await onlyPort(examination) : given
  if (named === undefined) return
  const { parsePorts } = await import('../bridge/port-names.ts')
  const [port] = asFailure(() => parsePorts([named]))
  const owner = await ownerOf(port!.spec)
  if (owner !== undefined) return bridged(owner, named, examination)
  const spec = isSought(port!.spec) ? await soughtPort({ ...port!, ...use }, examination) : port!.spec
  if (spec === undefined) return
  const heard: Uint8Array[] = []
  let opened: Extract<PortChange, { state: 'open' }> | undefined
  const found = await ask({ ...port!, ...use, spec }, timeoutMs ?? bootMs, {
    onPort: change => {
      if (change.state === 'open') opened = change
    },
    made: cable => {
      cable.look((direction, bytes) => {
        const size = heard.reduce((sum, each) => sum + each.length, 0)
        if (direction === 'in' && size < mostBytes) heard.push(bytes.slice())
      })
    },
  })
  try {
    if (found.kind === 'closed' && opened === undefined) return notOpened(spec, found.reason, examination)
    const { name = spec, port: described, linesText = '' } = opened ?? {}
    examination.step('ok', 'port', described === undefined ? `${name} is there` : portText(described))
    if (!name.startsWith('tcp:')) {
      examination.step('ok', 'permission', 'you may read and write it')
      examination.step('ok', 'free', 'no other program has it')
      examination.step('ok', 'line', `${use.baudRate ?? 115_200} baud; ${linesText}`)
    }
    heardStep(Buffer.concat(heard), found, use, examination)
    if (found.kind === 'closed') {
      return examination.step('fail', 'answer', found.reason.message, 'look at the cable and the plug')
    }
    if (found.kind === 'silent') return silent(Buffer.concat(heard), use, timeoutMs ?? bootMs, examination)
    examination.step('ok', 'answer', foundText(found))
    await examineFound(found, examination)
  } finally {
    await found.cable.close()
  }
}

async function onlyPort(examination: Examination): Promise<string | undefined> {
  const ports = await listPorts().catch(() => [])
  const boards = ports.filter(({ vendorId }) => vendorId !== undefined)
  const [only] = boards.length > 0 ? boards : ports
  if (boards.length === 1 || ports.length === 1) return only!.path
  if (ports.length === 0) {
    const advice = 'plug the board in; some cables only charge: try another one, and another socket'
    examination.step('fail', 'port', portsText(ports), advice)
  } else {
    examination.step('fail', 'port', `there are several: ${portsText(ports)}`, 'name one: ferrule doctor PORT')
  }
  return undefined
}

/** What is looked for, when it is there now. */
async function soughtPort(port: BridgePort, examination: Examination): Promise<string | undefined> {
  try {
    return await findBoard({
      spec: port.spec,
      once: true,
      say: () => {},
      signal: new AbortController().signal,
      answers: (spec, called) => answers({ ...port, spec }, called),
    })
  } catch (thrown) {
    examination.step('fail', 'port', (thrown as Error).message)
    return undefined
  }
}

function bridged({ pid, copies, released, ports }: BridgeStatus, spec: string, examination: Examination): void {
  const of = copies === 1 ? '' : `, for ${copies} hosts`
  examination.step('ok', 'free', `a ferrule bridge of yours has ${spec} (process ${pid}${of})`)
  if (released) {
    const advice = 'end "ferrule release", which holds it, and the bridge takes it back'
    return examination.step('fail', 'port', 'the bridge has let go of it, for an upload', advice)
  }
  for (const { spec: name, away, kind, name: device, armed, counters } of ports) {
    if (away !== undefined) {
      examination.step('fail', 'answer', `${name}: ${away}`, 'see what goes over the cable: ferrule trace --port PORT')
    } else {
      examination.step('ok', 'answer', `${device} (${kind === 'link' ? 'compact link' : 'MCP'})`)
      if (armed === false)
        examination.step('note', 'arming', 'its outputs stay off until a person arms them: ferrule arm')
      if (kind === 'link' && counters !== undefined) errorsStep(counters, examination)
    }
  }
  examination.step('skip', 'reading', 'left to the bridge: ask the host to read a sensor')
}

/** What went well before it failed, and what failed. */
function notOpened(spec: string, { code, message }: PortError, examination: Examination): void {
  const at: Partial<Record<PortError['code'], readonly [ok: readonly [string, string][], what: string]>> = {
    denied: [[['port', `${spec} is there`]], 'permission'],
    busy: [
      [
        ['port', `${spec} is there`],
        ['permission', 'you may read and write it'],
      ],
      'free',
    ],
    'no-library': [[], 'library'],
    lost: [[['port', `${spec} is there`]], 'device'],
    failed: [[['port', `${spec} is there`]], 'open'],
  }
  const [before, what] = at[code] ?? [[], 'port']
  for (const [name, text] of before) examination.step('ok', name, text)
  examination.step('fail', what, message)
}

function heardStep(bytes: Uint8Array, found: Found, { baudRate = 115_200 }: PortUse, examination: Examination): void {
  // What a device says in the protocol is no text, and shows by being answered.
  if (found.kind === 'link' || found.kind === 'mcp') return
  const { kind, lastLine, bytes: count } = lineSample(bytes)
  if (kind === 'silence') examination.step('note', 'heard', 'nothing came in')
  else if (kind === 'noise') {
    examination.step('note', 'heard', `${count} bytes of noise: looks like another baud rate than ${baudRate}`)
  } else examination.step('note', 'heard', `text, such as: ${lastLine ?? ''}`)
}

function silent(bytes: Uint8Array, use: PortUse, ms: number, examination: Examination): void {
  const { kind } = lineSample(bytes)
  const advice = {
    silence:
      use.lines === undefined
        ? 'check that its program runs and speaks the link or MCP; some boards say nothing without --dtr on'
        : 'check that its program runs, and speaks the link or MCP',
    noise: 'try the rate that the program of the board sets, as in --baud 9600',
    text: 'its program prints text and speaks neither the link nor MCP: put one on it that does',
  }
  examination.step('fail', 'answer', `it answered neither the link nor MCP in ${ms / 1000} s`, advice[kind])
}
