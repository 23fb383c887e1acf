import { cleanText } from '../../boards/remote/index.ts'
import type { LinkCounters } from '../../boards/remote/link/index.ts'
import { nobodysCall, type SensorValue } from '../../runtime/index.ts'
import type { Found } from '../bridge/probe.ts'
import type { Examination } from './steps.ts'

type Answering = Extract<Found, { kind: 'link' | 'mcp' }>

const pings = 10
const readMs = 10_000

/** Looks at a device that answers: what it has, one reading, and how good the line is. Nothing is moved. */
export async function examineFound(found: Answering, examination: Examination): Promise<void> {
  try {
    await (found.kind === 'link' ? examineLink(found, examination) : examineMcp(found, examination))
  } catch (thrown) {
    const advice = 'see what goes over the cable: ferrule trace --port PORT'
    examination.step('fail', 'device', cleanText((thrown as Error).message), advice)
  }
}

async function examineLink({ board, cable }: Extract<Found, { kind: 'link' }>, examination: Examination) {
  const { remote } = cable
  const { hello, description } = remote
  if (hello !== undefined) {
    const { id, firmware, boot, failSafeMs } = hello
    const safe = failSafeMs === undefined ? '' : `, safe by itself after ${failSafeMs / 1000} s of silence`
    const hash = description === undefined ? '' : `, description ${description.hash.toString(16).padStart(8, '0')}`
    const text = `id ${id}, firmware ${firmware}, start number ${boot}${hash}${safe}`
    examination.step('ok', 'device', cleanText(text, 200))
  }
  const sensors = Object.entries(board.sensors ?? {})
  const actuators = Object.keys(board.actuators ?? {})
  examination.step('ok', 'sensors', sensors.map(([name]) => name).join(', ') || 'none')
  examination.step('ok', 'actuators', actuators.join(', ') || 'none')
  const [first] = sensors
  if (first === undefined) examination.step('skip', 'reading', 'it has no sensor')
  else {
    const [name, sensor] = first
    const began = performance.now()
    try {
      const value = await sensor.read({ signal: AbortSignal.timeout(readMs) })
      examination.step('ok', 'reading', `${name}: ${valueText(value)} ${sensor.unit ?? ''} (${since(began)})`)
    } catch (thrown) {
      const advice = 'the link is well: look at the sensor and its wires'
      examination.step('fail', 'reading', `${name}: ${cleanText((thrown as Error).message)}`, advice)
    }
  }
  const began = performance.now()
  for (let count = 0; count < pings; count++) await remote.ping()
  const each = (performance.now() - began) / pings
  examination.step('ok', 'round trip', `${each.toFixed(1)} ms`)
  errorsStep(remote.counters, examination)
}

/** What a link has seen go wrong. A boot loader may be taken for a frame or two, and a hello that a board slept through is repeated. */
export type ErrorCounters = Pick<LinkCounters, 'damaged' | 'repeats' | 'restarts'>

const isUsual = 2

/** Tells how often the line, or the board, failed. */
export function errorsStep({ damaged, repeats, restarts }: ErrorCounters, examination: Examination): void {
  const text = `${counted(damaged, 'damaged frame')}, ${counted(repeats, 'repeat')}, ${counted(restarts, 'restart')}`
  if (damaged > isUsual) {
    const advice = 'a shorter cable, or one with a shield; and check that the grounds are joined'
    return examination.step('note', 'errors', text, advice)
  }
  if (restarts > 0) {
    return examination.step('note', 'errors', text, 'check its power supply: what it moves may pull it down')
  }
  examination.step('ok', 'errors', text)
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

async function examineMcp({ client }: Extract<Found, { kind: 'mcp' }>, examination: Examination): Promise<void> {
  const names = (listed: readonly Record<string, unknown>[], key: string) =>
    cleanText(listed.map(each => String(each[key])).join(', '), 300) || 'none'
  const tools = await client.listTools()
  examination.step('ok', 'tools', names(tools, 'name'))
  const resources = await client.listResources()
  examination.step('ok', 'resources', names(resources, 'uri'))
  const uri = resources[0]?.uri
  if (typeof uri !== 'string') return examination.step('skip', 'reading', 'it has no resource')
  const began = performance.now()
  const { contents } = (await client.readResource(
    uri,
    nobodysCall({ signal: AbortSignal.timeout(readMs) }, 'nobody can be asked here'),
  )) as { contents: { text?: string }[] }
  const text = contents.map(each => each.text).find(each => typeof each === 'string')
  examination.step('ok', 'reading', `${cleanText(`${uri}: ${text ?? 'bytes'}`, 120)} (${since(began)})`)
}

function since(began: number): string {
  return `${(performance.now() - began).toFixed(1)} ms`
}

function valueText(value: SensorValue): string {
  return value instanceof Uint8Array ? `${value.length} bytes` : cleanText(String(value), 80)
}
