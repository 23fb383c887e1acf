import { homedir } from 'node:os'
import process from 'node:process'
import {
  AuthorizationError,
  isExpired,
  type StoredToken,
  scopes,
  type TokenFile,
  tokenFile,
} from '../transports/http/authorization/index.ts'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { usualTokenFile } from './token-place.ts'

/** `ferrule token`: makes, lists and revokes the tokens that let a client in over HTTP. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const [action, name] = positionals
  const lonely = ['read-only', 'person', 'expires'].find(each => values[each] !== undefined && action !== 'create')
  if (lonely !== undefined) throw wrongUse(`--${lonely} belongs to token create`)
  if (action === 'list' && name !== undefined) throw wrongUse(`token list takes no name: ${name}`)
  if (action !== 'list' && name === undefined)
    throw wrongUse(`token ${action} needs a name: ferrule token ${action} NAME`)
  const file = tokenFile(String(values.file ?? usualTokenFile({ ...process, home: homedir() })))
  try {
    if (action === 'create') await create(file, name!, values)
    else if (action === 'revoke') await revoke(file, name!)
    else list(file)
  } catch (thrown) {
    throw thrown instanceof AuthorizationError ? new Failure(thrown.message) : thrown
  }
}

async function create(file: TokenFile, name: string, values: Arguments['values']): Promise<void> {
  const expires = values.expires === undefined ? undefined : expiry(String(values.expires), Date.now())
  if (values['read-only'] && values.person) throw wrongUse('--read-only and --person are two things: name one of them')
  const access = values['read-only'] ? 'read' : values.person ? 'person' : 'act'
  const { token, stored } = await file.create(name, { access, ...(expires && { expires }) })
  process.stdout.write(`${token}\n`)
  process.stderr.write(
    [
      `ferrule: this is the token of ${name}, shown once. It ${may(stored)}, and ${end(stored)}.`,
      `  Give it to the client as the header   Authorization: Bearer TOKEN`,
      ...(access === 'person' ? ['  It is for the page, and for no model: nobody is asked before what it moves'] : []),
      `  Take it back with                     ferrule token revoke ${/ /.test(name) ? `"${name}"` : name}`,
      `  Its hash is in ${file.path}`,
      '',
    ].join('\n'),
  )
}

async function revoke(file: TokenFile, name: string): Promise<void> {
  await file.revoke(name)
  process.stderr.write(`ferrule: the token of ${name} is revoked: it is refused from the next request on\n`)
}

function list(file: TokenFile): void {
  const tokens = file.tokens()
  if (tokens.length === 0) {
    process.stderr.write(`ferrule: there is no token in ${file.path}: make one with   ferrule token create NAME\n`)
    return
  }
  const rows = [['NAME', 'MAY', 'MADE', 'ENDS'], ...tokens.map(row)]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(cells => cells[column]!.length)))
  const lines = rows.map(cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  process.stdout.write(`${lines.join('\n')}\n`)
}

function row(token: StoredToken): string[] {
  const { name, scope, created, expires } = token
  const ends = expires === undefined ? 'never' : isExpired(token, Date.now()) ? 'has expired' : minute(expires)
  return [name, rights[scope].short, day(created), ends]
}

/** What the holder of a token may do, for the list and as a sentence. */
const rights: Readonly<Record<StoredToken['scope'], { short: string; long: string }>> = {
  [scopes.read]: { short: 'read', long: 'reads the sensors and moves nothing' },
  [scopes.act]: { short: 'read and work', long: 'reads the sensors and works the actuators' },
  [scopes.person]: { short: 'all, as a person', long: 'works everything as a person does, who is not asked first' },
}

const may = ({ scope }: StoredToken) => rights[scope].long

const end = ({ expires }: StoredToken) => (expires === undefined ? 'never expires' : `expires on ${minute(expires)}`)

const day = (time: string) => time.slice(0, 10)

const minute = (time: string) => `${day(time)} ${time.slice(11, 16)} UTC`

const hoursIn: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 }

/**
 * The end of a time that is written as 12h, 90d or 8w.
 *
 * @param now in ms since 1970
 */
export function expiry(text: string, now: number): Date {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? []
  const hours = Number(count) * (hoursIn[unit ?? ''] ?? 0)
  if (!(hours > 0)) throw wrongUse(`--expires is a time such as 12h, 90d or 8w, not ${text}`)
  return new Date(now + hours * 3_600_000)
}

function wrongUse(what: string): Failure {
  return new Failure(`${what} (see: ferrule help token)`, exitCodes.wrongUse)
}
