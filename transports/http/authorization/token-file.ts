import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Authorized } from '../authorizer.ts'
import { AuthorizationError } from './authorization-error.ts'
import { unsafeFile, unsafeFolder } from './file-safety.ts'
import { scopes } from './scopes.ts'
import { fromText, type StoredToken, type TokenStore, toText } from './stored-token.ts'
import { hashOf, newToken } from './token.ts'

/** Tokens in a file. */
export interface TokenFile extends TokenStore {
  readonly path: string
  /**
   * The tokens as the file has them now; none when there is no file. It is read again only when it has changed.
   *
   * @throws AuthorizationError with code `token-file` when it cannot be read, or when others could have written it
   */
  tokens(): readonly StoredToken[]
  /**
   * Makes a token and keeps its hash. The token is told here and never again.
   *
   * @throws AuthorizationError with code `name` when the name is taken, or is none
   */
  create(name: string, use: TokenUse): Promise<{ token: string; stored: StoredToken }>
  /**
   * Removes a token. Servers that use the file refuse it from the next request on.
   *
   * @throws AuthorizationError with code `name` when there is none of that name
   */
  revoke(name: string): Promise<StoredToken>
}

/** What a new token is for. */
export interface TokenUse {
  access: Authorized['access']
  /** When it stops working; never when left out. */
  expires?: Date
}

/** How long another writer of the file is waited for. */
const patienceMs = 2000
const retryMs = 20

/** The tokens in a file. It need not be there yet. */
export function tokenFile(file: string): TokenFile {
  const path = resolve(file)
  let known: { version: string; tokens: readonly StoredToken[] } | undefined
  return {
    path,
    tokens() {
      const found = find(path)
      if (found === undefined) return []
      if (known?.version === found.version) return known.tokens
      const tokens = fromText(readFileSync(found.path, 'utf8'), path)
      known = { version: found.version, tokens }
      return tokens
    },
    async create(name, { access, expires }) {
      if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u.test(name)) {
        const rule = 'it begins with a letter or a digit and goes on with those, spaces and . _ @ -, 64 at most'
        throw new AuthorizationError('name', `${JSON.stringify(name)} cannot be the name of a token: ${rule}`)
      }
      const token = newToken()
      const stored: StoredToken = {
        name,
        scope: scopes[access],
        sha256: hashOf(token).toString('base64url'),
        created: new Date().toISOString(),
        ...(expires && { expires: expires.toISOString() }),
      }
      await change(path, tokens => {
        if (tokens.some(each => each.name === name)) {
          throw new AuthorizationError(
            'name',
            `there is a token ${name} already: revoke it first, or take another name`,
          )
        }
        return [...tokens, stored]
      })
      return { token, stored }
    },
    async revoke(name) {
      let revoked: StoredToken | undefined
      await change(path, tokens => {
        revoked = tokens.find(each => each.name === name)
        if (revoked === undefined) throw noToken(name, tokens, path)
        return tokens.filter(each => each !== revoked)
      })
      return revoked!
    },
  }
}

function noToken(name: string, tokens: readonly StoredToken[], path: string): AuthorizationError {
  const there = tokens.length === 0 ? 'none' : tokens.map(each => each.name).join(', ')
  return new AuthorizationError('name', `there is no token ${name} in ${path}; there is ${there}`)
}

/** Where a file really is, and what tells its content from an earlier one: it is always replaced, never written over. */
function find(path: string): { path: string; version: string } | undefined {
  let real: string
  let stat: Stats
  try {
    real = realpathSync.native(path)
    stat = statSync(real)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw failed(path, 'read', thrown)
  }
  const problem = unsafeFile(real, stat)
  if (problem !== undefined) throw new AuthorizationError('token-file', problem)
  return { path: real, version: [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ') }
}

function failed(path: string, what: string, thrown: unknown): AuthorizationError {
  const { message } = thrown as Error
  return new AuthorizationError('token-file', `${path} cannot be ${what}: ${message}`, { cause: thrown })
}

/**
 * Replaces the file as git replaces its own: what is new is written to a file beside it, which only one can make, and
 * which then takes the place of the old one. So two writers never undo each other, and a reader sees one or the other.
 */
async function change(path: string, edit: (tokens: readonly StoredToken[]) => StoredToken[]): Promise<void> {
  const target = find(path)?.path ?? path
  const folder = dirname(target)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw failed(folder, 'made', thrown)
  }
  const problem = unsafeFolder(folder)
  if (problem !== undefined) throw new AuthorizationError('token-file', problem)
  const lock = `${target}.lock`
  const descriptor = await openOnce(lock)
  try {
    try {
      const now = find(path)
      const tokens = edit(now === undefined ? [] : fromText(readFileSync(now.path, 'utf8'), path))
      writeFileSync(descriptor, toText(tokens))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(lock, target)
  } catch (thrown) {
    rmSync(lock, { force: true })
    throw thrown instanceof AuthorizationError ? thrown : failed(path, 'written', thrown)
  }
  settle(folder)
}

async function openOnce(lock: string): Promise<number> {
  for (let waited = 0; ; waited += retryMs) {
    try {
      return openSync(lock, 'wx', 0o600)
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw failed(lock, 'made', thrown)
      if (waited >= patienceMs) {
        const what = `another "ferrule token" is at work, or was interrupted: when none is, remove ${lock}`
        throw new AuthorizationError('token-file', what)
      }
    }
    await delay(retryMs)
  }
}

/** Has the disk keep the replacement: a power cut must not bring a revoked token back. */
function settle(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
