import { networkInterfaces } from 'node:os'
import process from 'node:process'
import { DefinitionError, type Server } from '../runtime/index.ts'
import { type HttpOptions, type HttpServing, http } from '../transports/http/index.ts'
import { exitCodes, Failure } from './failure.ts'
import type { ServedOverHttp } from './http-options.ts'
import { stopOnSignal } from './stop-signal.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Whatever hangs, the process is gone after this. */
const leaveMs = 1700

/**
 * Serves a board over HTTP until a signal comes: then the actuators go to their safe state and the process ends. A client
 * that leaves changes nothing, since others may be there.
 *
 * @param listens is told the URL when it does
 * @throws Failure when it cannot listen, with what to do
 */
export async function serveOverHttp(
  server: Server,
  { pageKey, ...options }: ServedOverHttp,
  listens: (url: string) => void = () => {},
): Promise<never> {
  const say = (text: string) => void process.stderr.write(`ferrule: ${text}\n`)
  server.diagnose = say
  process.on('exit', () => server.makeSafeNow())
  stopOnSignal(server, say)
  let serving: HttpServing | undefined
  const leave = async (code: number) => {
    for (const signal of signals) process.removeAllListeners(signal).on(signal, () => process.exit(130))
    setTimeout(() => process.exit(code), leaveMs)
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
  serving = await listen(server, options)
  listens(serving.url)
  say(`serves ${server.board.name} at ${serving.url}`)
  for (const address of otherAddresses(options.host)) say(`  and at ${serving.url.replace('localhost', address)}`)
  if (pageKey !== undefined) {
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
