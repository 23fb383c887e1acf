import { networkInterfaces } from 'node:os'
import process from 'node:process'
import { DefinitionError, type Server } from '../runtime/index.ts'
import { type HttpOptions, type HttpServing, http } from '../transports/http/index.ts'
import { exitCodes, Failure } from './failure.ts'
import type { ServedOverHttp } from './http-options.ts'
import { statusText } from './service/status-text.ts'
import type { Supervisor } from './service/supervisor.ts'
import { stopOnSignal } from './stop-signal.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Whatever hangs, the process is gone after this. */
const leaveMs = 1700

/** Who is told how it goes. */
export interface Watchers {
  /** Is told the URL when it listens. */
  listens?: (url: string) => void
  supervisor?: Supervisor | undefined
}

/**
 * Serves a board over HTTP until a signal comes: then the actuators go to their safe state and the process ends. A client
 * that leaves changes nothing, since others may be there.
 *
 * Nobody is listened to before the hardware was made safe. A supervisor that starts it anew is better than a server without
 * its hardware: so with one, it ends.
 *
 * @throws Failure when it cannot listen, with what to do; what was opened is closed by then
 */
export async function serveOverHttp(
  server: Server,
  { pageKey, prepare, ...options }: ServedOverHttp,
  { listens = () => {}, supervisor }: Watchers = {},
): Promise<never> {
  const say = (text: string) => void process.stderr.write(`ferrule: ${text}\n`)
  server.diagnose = say
  process.on('exit', () => server.makeSafeNow())
  stopOnSignal(server, say)
  let serving: HttpServing | undefined
  const leave = async (code: number) => {
    for (const signal of signals) process.removeAllListeners(signal).on(signal, () => process.exit(130))
    setTimeout(() => process.exit(code), leaveMs)
    supervisor?.stopping()
    await (serving === undefined ? server.close() : serving.close()).catch(thrown => say(String(thrown)))
    process.exit(code)
  }
  for (const signal of signals) process.on(signal, () => void leave(exitCodes.ok))
  process.on('uncaughtException', error => {
    say(`crash: ${error.stack ?? error}`)
    void leave(exitCodes.failed)
  })
  process.on('unhandledRejection', reason => {
    say(`a promise was rejected and nobody looked: ${reason instanceof Error ? reason.stack : reason}`)
  })
  supervisor?.tells(`takes the hardware of ${server.board.name}, and makes it safe`)
  const missing = await server.open().then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  if (missing !== undefined && supervisor !== undefined) {
    await leave(exitCodes.failed)
  }
  try {
    await prepare?.()
    serving = await listen(server, options)
  } catch (thrown) {
    setTimeout(() => process.exit(exitCodes.failed), leaveMs).unref()
    await server.close()
    throw thrown
  }
  const { url } = serving
  listens(url)
  say(`serves ${server.board.name} at ${url}`)
  supervisor?.ready(() => statusText(server, url))
  for (const address of otherAddresses(options.host)) say(`  and at ${serving.url.replace('localhost', address)}`)
  if (pageKey !== undefined && supervisor !== undefined) {
    // What is said here stays in a journal that others read.
    say(
      `  the page for people is at ${new URL('/', serving.url)}; it asks for a token: ferrule token create NAME --person`,
    )
  } else if (pageKey !== undefined) {
    const links = pageAddresses(serving.url, options.allowedHosts ?? []).map(address => `  ${address}#key=${pageKey}\n`)
    process.stderr.write(
      `ferrule: the page for people; whoever has this link may work everything, in this run:\n${links.join('')}`,
    )
  }
  if (process.stderr.isTTY) {
    process.stderr.write(
      [
        `  for Claude Code   claude mcp add --transport http ${server.board.name} ${serving.url}`,
        `  for other hosts   "${server.board.name}": { "type": "http", "url": "${serving.url}" }`,
        ...(options.authorizer === undefined ? [] : ['  with a token      see docs/http-access.md']),
        'Ctrl-C ends it.',
        '',
      ].join('\n'),
    )
  }
  return new Promise(() => {})
}

/** How other computers reach a server that listens everywhere. */
function otherAddresses(host: string | undefined): string[] {
  if (host !== '0.0.0.0' && host !== '::') return []
  return Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
}

/** Where the page is: by the name that it has on this computer, and by those that others know it by. */
function pageAddresses(endpoint: string, allowedHosts: readonly string[]): string[] {
  const own = new URL('/', endpoint)
  const others = allowedHosts.map(host => `${own.protocol}//${/:\d+$/.test(host) ? host : `${host}:${own.port}`}/`)
  return [own.href, ...others]
}

async function listen(server: Server, options: HttpOptions): Promise<HttpServing> {
  try {
    return await http(options).serve(server)
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    const place = `${options.host ?? 'localhost'}:${options.port ?? ''}`.replace(/:$/, '')
    if (thrown instanceof DefinitionError) throw new Failure(message, exitCodes.wrongUse)
    if (code === 'EADDRINUSE') {
      throw new Failure(`another program listens at ${place} already: end it, or name another port with --http PORT`)
    }
    if (code === 'EACCES') throw new Failure(`this user may not listen at ${place}: name a port from 1024 on`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new Failure(`${options.host} is no address of this computer: name one that is, or localhost`)
    }
    if (options.tls !== undefined && /PEM|key|certificate/i.test(message)) {
      throw new Failure(`--tls-key and --tls-cert are not a key and its certificate as PEM: ${message}`)
    }
    throw thrown
  }
}
