import { type LinkDescription, linkTypes } from './link/description.ts'

/** What is kept of a device between two runs, so that it can be shown before it has booted. */
export type StoredDevice =
  | {
      kind: 'link'
      description: LinkDescription
      /** What it said of itself besides. */
      id: string
      firmware: string
    }
  | {
      kind: 'mcp'
      /** Its lists, as JSON: who serves them says what they are. */
      lists: unknown
    }

/** Where descriptions are kept. Synchronous, since a host is answered at once; what fails is told, and never thrown. */
export interface DescriptionStore {
  load(key: string): StoredDevice | undefined
  save(key: string, stored: StoredDevice): void
}

/** What was stored, when it still is what it says: a file may be of another version, or cut. */
export function readStored(value: unknown): StoredDevice | undefined {
  if (!isRecord(value)) return undefined
  if (value.kind === 'mcp') return { kind: 'mcp', lists: value.lists }
  const { kind, description, id, firmware } = value
  if (kind !== 'link' || typeof id !== 'string' || typeof firmware !== 'string') return undefined
  return isDescription(description) ? { kind, description, id, firmware } : undefined
}

function isDescription(value: unknown): value is LinkDescription {
  return (
    isEntry(value) &&
    typeof value.hash === 'number' &&
    Array.isArray(value.sensors) &&
    value.sensors.every(isTyped) &&
    Array.isArray(value.actuators) &&
    value.actuators.every(isActuator)
  )
}

function isActuator(value: unknown): boolean {
  if (!isEntry(value) || typeof value.hints !== 'number') return false
  const { arguments: args, safe, output } = value
  return (
    Array.isArray(args) &&
    args.every(isTyped) &&
    (safe === undefined || safe === null || Array.isArray(safe)) &&
    (output === undefined || typeof output === 'string')
  )
}

function isTyped(value: unknown): boolean {
  return isEntry(value) && linkTypes.some(type => type === value.type) && Array.isArray(value.values ?? [])
}

const texts = ['title', 'description', 'unit', 'schema', 'deviceClass']
const numbers = [
  'minimum',
  'maximum',
  'step',
  'ttlMs',
  'deadBand',
  'minIntervalMs',
  'timeoutMs',
  'maxLength',
  'holdForMs',
  'maxRate',
  'group',
  'confirm',
  'audience',
  'readback',
]

function isEntry(value: unknown): value is Record<string, unknown> {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    texts.every(key => value[key] === undefined || typeof value[key] === 'string') &&
    numbers.every(key => value[key] === undefined || typeof value[key] === 'number')
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
