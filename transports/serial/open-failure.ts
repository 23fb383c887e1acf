import { accessSync, constants, statSync } from 'node:fs'
import process from 'node:process'
import { holdersText, knownHolders, type PortHolder, portHolders } from './holders.ts'
import { listPorts, type PortLookup } from './list-ports.ts'
import { permissionOf, permissionText } from './permission.ts'
import { type PortDescription, portsText } from './port-description.ts'
import { messageOf, PortError } from './port-error.ts'

/** A port that did not open, and whether it is known which program has it. */
export interface OpenFailure extends PortError {
  holdersKnown?: boolean
}

/**
 * Throws when another program has the port. Opening it to find that out would change its settings under the other's feet;
 * and of programs that do not lock, each would get only some of the bytes.
 */
export function refuseBusyPort(path: string): void {
  const others = knownHolders(path).filter(holder => holder.pid !== process.pid)
  if (others.length > 0) throw new PortError('busy', busyText(path, others))
}

/** What the machine tells of a path that did not open. */
export interface OpenFacts {
  /** What lies there. */
  kind: 'nothing' | 'device' | 'other'
  /** Whether this process may read and write it. */
  permitted: boolean
}

/** What is asked further, when the facts make it matter. */
export interface OpenInquiry {
  ports(): Promise<readonly PortDescription[]>
  holders(): Promise<readonly PortHolder[]>
  permission(): string
}

/** Finds out why a serial port did not open, and says what to do about it. */
export function explainOpenFailure(
  path: string,
  thrown: unknown,
  lookUp: PortLookup = listPorts,
): Promise<OpenFailure> {
  return openFailure(path, thrown, factsOf(path, thrown), {
    ports: () => lookUp().catch(() => []),
    holders: () => portHolders(path),
    permission: () => permissionText(path, permissionOf(path)),
  })
}

/** The same for facts that are handed in. */
export async function openFailure(
  path: string,
  thrown: unknown,
  facts: OpenFacts,
  inquiry: OpenInquiry,
): Promise<OpenFailure> {
  const text = messageOf(thrown)
  const error = (code: PortError['code'], message: string) => new PortError(code, message, { cause: thrown })
  if (facts.kind === 'nothing') return error('absent', `${path} is not there; ${portsText(await inquiry.ports())}`)
  if (facts.kind === 'other')
    return error('not-a-port', `${path} is not a serial port; ${portsText(await inquiry.ports())}`)
  // The library gives what strerror printed, and no code.
  if (/cannot lock|busy|unavailable|in use/i.test(text) || (process.platform === 'win32' && /denied/i.test(text)))
    return busyFailure(path, await inquiry.holders(), thrown)
  if (!facts.permitted || /permission denied|not permitted/i.test(text)) return error('denied', inquiry.permission())
  if (/inappropriate ioctl|not a tty/i.test(text))
    return error('not-a-port', `${path} is a device, but not a serial port; ${portsText(await inquiry.ports())}`)
  if (/no such device|input\/output error/i.test(text))
    return error('lost', `${path} is there, but no device answers behind it: was it just unplugged?`)
  return error('failed', `${path} does not open: ${text}`)
}

function busyFailure(path: string, holders: readonly PortHolder[], cause: unknown): OpenFailure {
  const holdersKnown = holders.some(holder => holder.pid !== process.pid)
  return Object.assign(new PortError('busy', busyText(path, holders), { cause }), { holdersKnown })
}

function busyText(path: string, holders: readonly PortHolder[]): string {
  const others = holders.filter(holder => holder.pid !== process.pid)
  if (others.length > 0)
    return `${path} is in use by ${holdersText(others)}: close that program, since one at a time may have the port`
  if (holders.length > 0) return `${path} is in use by this program itself${ioUringHint()}`
  if (process.platform === 'win32') return `${path} is in use by another program: close it`
  return `${path} is in use by a program of another user; to see which, run: sudo fuser -v ${path}`
}

/** Some versions of Node keep a file open after closing it, as long as a read through io_uring waits. */
function ioUringHint(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const concerned = (major === 20 && minor >= 3) || major === 21 || major === 22
  if (process.platform !== 'linux' || !concerned || process.env.UV_USE_IO_URING === '0') return ''
  return '; if it was closed before, start with UV_USE_IO_URING=0 in the environment'
}

function factsOf(path: string, thrown: unknown): OpenFacts {
  // Windows knows its ports by name only.
  if (process.platform === 'win32')
    return { kind: /not found/i.test(messageOf(thrown)) ? 'nothing' : 'device', permitted: true }
  const kind = kindOf(path)
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return { kind, permitted: true }
  } catch {
    return { kind, permitted: false }
  }
}

function kindOf(path: string): OpenFacts['kind'] {
  try {
    return statSync(path).isCharacterDevice() ? 'device' : 'other'
  } catch {
    return 'nothing'
  }
}
