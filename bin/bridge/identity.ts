import { realpathSync } from 'node:fs'
import type { LinkCounters } from '../../boards/remote/link/index.ts'
import { listPorts, type PortDescription, parsePortSpec, portSpecText } from '../../transports/serial/index.ts'
// Not by the index: who only asks keeps its standard output, which the transport of a server would take.
import { controlDevice } from '../share/control.ts'
import { parsePorts } from './port-names.ts'
import { candidates, isSought } from './sought.ts'
import { identityOf } from './usb-identity.ts'

/** All the ways in which a device that is there now may have been named, the way that was taken first. */
export async function namesOf(spec: string, ports?: readonly PortDescription[]): Promise<string[]> {
  const port = await portOf(spec, ports)
  if (port === undefined) return [spec]
  const { path, byId, vendorId = '', productId = '', serialNumber } = port
  const usb = vendorId === '' ? [] : [portSpecText({ kind: 'usb', vendorId, productId, serialNumber: undefined })]
  const identity = identityOf(port)
  return [...new Set([spec, identity, path, byId, ...usb, serialNumber])].filter(name => name !== undefined)
}

/** The key of a device for what is kept of it: who it is, where that can be told, and else where it is. */
export async function storeKeyOf(spec: string): Promise<string> {
  const port = await portOf(spec)
  return (port && identityOf(port)) ?? spec
}

/** What the system tells of the port that a spec means now. */
export async function portOf(spec: string, known?: readonly PortDescription[]): Promise<PortDescription | undefined> {
  if (spec === 'auto') return undefined
  const parsed = isSought(spec) ? undefined : parsePortSpec(spec)
  if (parsed?.kind === 'tcp') return undefined
  const ports = known ?? (await listPorts().catch(() => []))
  if (parsed === undefined) {
    const { ports: found, called } = candidates(spec, ports)
    return found.length === 1 && called === undefined ? found[0] : undefined
  }
  if (parsed.kind === 'path') {
    const device = realPath(parsed.path)
    return ports.find(({ path }) => path === parsed.path || path === device)
  }
  const { vendorId, productId, serialNumber } = parsed
  const fitting = ports.filter(
    port =>
      port.vendorId === vendorId &&
      port.productId === productId &&
      (serialNumber === undefined || port.serialNumber?.toLowerCase() === serialNumber.toLowerCase()),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The key under which copies of the bridge find each other: how the ports were named, unless another copy has them by
 * another name already. What is looked for goes by what it is, where that is known now: others may name it otherwise.
 */
export async function keyOf(specs: readonly string[]): Promise<string> {
  const [spec] = specs
  if (specs.length !== 1) return [...specs].sort().join(' ')
  const owner = await ownerOf(spec!)
  if (owner !== undefined) return owner.key
  const port = isSought(spec!) ? await portOf(spec!) : undefined
  return port === undefined ? spec! : (identityOf(port) ?? port.path)
}

/** The specs in a list of ports as a person types it, with commas. */
export function specsOf(typed: string): string[] {
  return parsePorts(typed.split(',')).map(({ spec }) => spec)
}

/** What a bridge says of itself and its ports. */
export interface BridgeStatus {
  key: string
  pid: number
  copies: number
  released: boolean
  ports: {
    spec: string
    path?: string
    state: string
    away?: string
    kind: string
    name: string
    /** Whether its outputs are armed; left out where none needs it. */
    armed?: boolean
    counters?: LinkCounters
  }[]
}

/** The bridge that has a device, by whatever name; nothing when none has it. Of several devices, the one that has all. */
export async function ownerOf(...specs: readonly string[]): Promise<BridgeStatus | undefined> {
  if (specs.length > 1) return statusOf(await keyOf(specs))
  const spec = specs[0]!
  const names = spec === 'auto' ? ['auto'] : [...(await namesOf(spec)), 'auto']
  for (const key of names) {
    const status = await statusOf(key)
    if (status !== undefined && (key === spec || isAbout(status, names))) return status
  }
  return undefined
}

/** A bridge that does not say how it is in this time is not asked any more, in milliseconds. */
const statusMs = 2000

async function statusOf(key: string): Promise<BridgeStatus | undefined> {
  const control = await controlDevice(key, 'status', { timeoutMs: statusMs }).catch(() => undefined)
  if (control === undefined) return undefined
  control.close()
  const { device, ...owner } = control.answer as unknown as BridgeStatus & { device?: Pick<BridgeStatus, 'ports'> }
  return { ...owner, ports: device?.ports ?? [] }
}

function isAbout({ ports }: BridgeStatus, names: readonly string[]): boolean {
  return ports.some(({ spec, path }) => names.includes(spec) || (path !== undefined && names.includes(path)))
}
