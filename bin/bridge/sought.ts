import { readdirSync, realpathSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { descriptionFiles, type StoredDevice } from '../../boards/remote/index.ts'
import type { PortDescription } from '../../transports/serial/index.ts'
import { identityOf } from './usb-identity.ts'

/** The ports that may be what was named. */
export interface Candidates {
  ports: readonly PortDescription[]
  /** The board itself must say that it is called so: nothing else tells which of the ports is meant. */
  called?: string
}

/**
 * Whether a spec names something to be looked for among the ports, and not one place: `auto`, a glob of paths
 * (`/dev/ttyUSB*`), a serial number, or what a board calls itself.
 */
export function isSought(spec: string): boolean {
  if (/^usb:/i.test(spec) || spec.includes('://') || spec.trim() === '') return false
  return isGlob(spec) || !(/[\\/]/.test(spec) || /^COM\d+$/i.test(spec))
}

/** Finds what a spec that is looked for may mean, without opening anything. */
export function candidates(
  spec: string,
  all: readonly PortDescription[],
  namesKept: (port: PortDescription) => readonly string[] = keptNames,
): Candidates {
  // What hangs on a port that belongs to no USB device is for the person to say.
  const boards = all.filter(({ vendorId }) => vendorId !== undefined)
  if (spec === 'auto') return { ports: boards }
  if (isGlob(spec)) return { ports: globbed(spec, all) }
  const numbered = all.filter(
    ({ serialNumber, path }) => isSame(serialNumber, spec) || isSame(win32.basename(path), spec),
  )
  if (numbered.length > 0) return { ports: numbered }
  const known = boards.filter(port => isCalled(spec, namesKept(port)))
  return known.length > 0 ? { ports: known } : { ports: boards, called: spec }
}

/** Whether a board with these names is the one that somebody calls `spec`. */
export function isCalled(spec: string, names: readonly (string | undefined)[]): boolean {
  return names.some(name => isSame(name, spec))
}

/** What a board called itself the last time. One without a serial number may be another one by now. */
function keptNames(port: PortDescription): readonly string[] {
  const identity = identityOf(port)
  const stored = identity === undefined ? undefined : descriptionFiles().load(identity)
  const { name, title } = (stored && descriptionOf(stored)) ?? {}
  return [name, title].filter(each => typeof each === 'string')
}

function descriptionOf(stored: StoredDevice): { name?: unknown; title?: unknown } | undefined {
  if (stored.kind === 'link') return stored.description
  return (stored.lists as { board?: { name?: unknown; title?: unknown } } | undefined)?.board
}

function isSame(one: string | undefined, other: string): boolean {
  return one?.trim().toLowerCase() === other.trim().toLowerCase()
}

function isGlob(spec: string): boolean {
  return /[*?]/.test(spec)
}

function globbed(pattern: string, all: readonly PortDescription[]): PortDescription[] {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '[^/]*')
    .replace(/\?/g, '[^/]')
  const expression = new RegExp(`^${source}$`)
  const fits = (path: string | undefined) =>
    path !== undefined && (expression.test(path) || expression.test(win32.basename(path)))
  const found = all.filter(({ path, byId }) => fits(path) || fits(byId))
  for (const path of linksAt(posix.dirname(pattern))) {
    if (!expression.test(path)) continue
    const device = realPath(path)
    const port = all.find(each => each.path === device)
    // Most of what lies in /dev is no port, and the ghosts of a PC's UARTs are none either.
    if (port === undefined && path.startsWith('/dev/')) continue
    if (!found.some(each => realPath(each.path) === device)) found.push(port ?? { path })
  }
  return found
}

function linksAt(folder: string): string[] {
  if (!folder.startsWith('/') || isGlob(folder)) return []
  try {
    return readdirSync(folder).map(name => posix.join(folder, name))
  } catch {
    return []
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
