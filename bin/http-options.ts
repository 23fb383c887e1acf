import { readFileSync } from 'node:fs'
import { isLoopback } from '../transports/http/gate.ts'
import type { HttpOptions } from '../transports/http/index.ts'
import { type Arguments, httpOptionNames } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'

/** How a board is served over HTTP by the command. */
export interface ServedOverHttp extends HttpOptions {
  /** The key that opens the page for people in this run. It is for the person at the terminal, and for no log. */
  pageKey?: string
  /**
   * What has to be found out before it listens, and may take a while: outputs are made safe before.
   *
   * @throws Failure when it makes no sense to listen
   */
  prepare?(): Promise<void>
}

/**
 * Reads `--http` and the options that belong to it; nothing when the command is not to listen.
 *
 * @throws Failure that says what would be right
 */
export async function httpOptions({
  values,
  lists,
}: Pick<Arguments, 'values' | 'lists'>): Promise<ServedOverHttp | undefined> {
  if (values.http === undefined) {
    const lonely = httpOptionNames.find(name => values[name] !== undefined)
    if (lonely !== undefined) throw new Failure(`--${lonely} belongs to --http`, exitCodes.wrongUse)
    return undefined
  }
  const where = values.http === true ? {} : httpPlace(values.http)
  const tls = tlsFiles(values)
  const { httpAccess } = await import('./http-access.ts')
  const say = (text: string) => void process.stderr.write(`ferrule: ${text}\n`)
  const page = values.page === undefined ? undefined : (await import('./page-files.ts')).page()
  const { authorizer, prepare } = httpAccess(values, {
    open: where.host !== undefined && !isLoopback(where.host),
    ...(page && { runKey: page.key }),
    say,
  })
  return {
    ...where,
    ...(page && { pages: page.files, pageKey: page.key }),
    ...(tls === undefined ? {} : { tls }),
    ...(authorizer === undefined ? {} : { authorizer }),
    allowedHosts: lists?.['allowed-host'] ?? [],
    allowedOrigins: lists?.['allowed-origin'] ?? [],
    legacySse: values['legacy-sse'] === true,
    prepare,
  }
}

/**
 * Reads what `--http` says.
 *
 * @throws Failure that says what would be right
 */
export function httpPlace(text: string): { host?: string; port?: number } {
  const [, host, port] = /^(?:(\[[\da-f:]+\]|[\w.-]+):)?:?(\d{1,5})$/i.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535) {
    throw new Failure(
      `--http takes a port or HOST:PORT, such as 8970 or localhost:8970, not ${text}`,
      exitCodes.wrongUse,
    )
  }
  return { port: Number(port), ...(host === undefined ? {} : { host: host.replace(/[[\]]/g, '') }) }
}

function tlsFiles(values: Arguments['values']): HttpOptions['tls'] {
  const { 'tls-key': key, 'tls-cert': cert } = values
  if (key === undefined && cert === undefined) return undefined
  if (key === undefined || cert === undefined) {
    throw new Failure('--tls-key and --tls-cert belong together', exitCodes.wrongUse)
  }
  return { key: pem('--tls-key', String(key)), cert: pem('--tls-cert', String(cert)) }
}

function pem(option: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (thrown) {
    throw new Failure(`${option} ${file} cannot be read: ${(thrown as Error).message.split('\n')[0]}`)
  }
}
