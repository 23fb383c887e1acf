import { createServer as createHttpServer, type Server as Listener, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { DefinitionError, type Server } from '../../runtime/index.ts'
import { refuse } from './answer.ts'
import { Endpoint } from './endpoint.ts'
import { isLoopback } from './gate.ts'
import { type HttpLimits, type HttpOptions, usualLimits } from './options.ts'

/** A transport over HTTP: every revision at one endpoint, for any number of clients. */
export interface HttpTransport {
  /**
   * Takes the hardware, which makes it safe, and then listens. What goes wrong with the hardware is told to the operator
   * and to every call.
   *
   * @throws what Node throws when it cannot listen, such as EADDRINUSE
   */
  serve(server: Server): Promise<HttpServing>
}

/** A server that is reached over HTTP. */
export interface HttpServing {
  /** Where the endpoint is, as a host on this computer is told it. */
  readonly url: string
  readonly port: number
  /** How many sessions there are now (handshake revisions). */
  readonly sessions: number
  /**
   * Takes no more requests, makes the actuators safe and closes the server, so that what runs is answered; then ends
   * every stream. Calling it again waits for the first.
   */
  close(reason?: string): Promise<void>
}

/** The port when no other is named. */
export const usualPort = 8970

/**
 * Serves clients over HTTP: the stateless revision 2026-07-28, and the sessions of the revisions before.
 *
 * @throws DefinitionError for options that leave the server open to everybody, or that cannot be meant
 */
export function http(options: HttpOptions = {}): HttpTransport {
  const { host = 'localhost', path = '/mcp', authorizer, tls } = options
  if (!isLoopback(host) && authorizer === undefined) {
    throw new DefinitionError(
      `host ${host} can be reached by other computers, and without an authorizer any of them could work the ` +
        'actuators: give an authorizer, or listen at localhost and put a proxy that asks who it is in front',
    )
  }
  if (!path.startsWith('/')) throw new DefinitionError(`path "${path}" must begin with /`)
  if (tls !== undefined && (!tls.key || !tls.cert)) throw new DefinitionError('tls needs both a key and a cert')
  return {
    async serve(server) {
      // Whatever keeps it from listening, what a former run left on is off by then.
      await server.open().catch(() => {
        // Told already. The server stays, so that every call can tell the reason to the model.
      })
      const serving = new Serving(server, options)
      await serving.listen()
      return serving
    },
  }
}

class Serving implements HttpServing {
  port = 0
  readonly #server: Server
  readonly #options: HttpOptions
  readonly #limits: HttpLimits
  readonly #endpoint: Endpoint
  readonly #listeners: Listener[] = []
  readonly #responses = new Set<ServerResponse>()
  #answered: () => void = () => {}
  #closing: Promise<void> | undefined = undefined

  constructor(server: Server, options: HttpOptions) {
    this.#server = server
    this.#options = options
    this.#limits = { ...usualLimits, maxBodyBytes: server.maxLineBytes, ...options.limits }
    this.#endpoint = new Endpoint(server, options, this.#limits)
  }

  get url(): string {
    const { host = 'localhost', path = '/mcp', tls } = this.#options
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
    return `${tls === undefined ? 'http' : 'https'}://${name}:${this.port}${path}`
  }

  get sessions(): number {
    return this.#endpoint.sessions.size
  }

  async listen(): Promise<void> {
    const { host = 'localhost', port = usualPort } = this.#options
    const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
    for (let tries = 1; ; tries++) {
      try {
        this.port = port
        for (const address of addresses) await this.#listenAt(address)
        return
      } catch (thrown) {
        for (const listener of this.#listeners.splice(0)) listener.close()
        // A port that is free at one address may be taken at the other: any other port will do.
        const another = port === 0 && (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE' && tries < 10
        if (!another) throw thrown
      }
    }
  }

  close(reason = 'The server is shutting down'): Promise<void> {
    this.#closing ??= this.#shutDown(reason)
    return this.#closing
  }

  #listenAt(host: string): Promise<void> {
    const { tls } = this.#options
    const { headersTimeoutMs, requestTimeoutMs, maxHeaderBytes, maxConnections } = this.#limits
    const settings = {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
      maxHeaderSize: maxHeaderBytes,
      // Longer than proxies keep a connection that nobody uses, so that it is never they who find it closed.
      keepAliveTimeout: 75_000,
      noDelay: true,
    }
    const listener = tls === undefined ? createHttpServer(settings) : createHttpsServer({ ...settings, ...tls })
    listener.maxConnections = maxConnections
    listener.on('request', (request, response) => {
      if (this.#closing !== undefined) {
        return refuse(response, 503, 'The server is shutting down', { headers: { Connection: 'close' } })
      }
      this.#responses.add(response)
      // From its last byte on only the client's reading is waited for, and not for long when it does not read.
      response.once('prefinish', () => response.setTimeout(this.#limits.stalledMs, () => response.destroy()))
      response.once('close', () => {
        this.#responses.delete(response)
        if (this.#responses.size === 0) this.#answered()
      })
      void this.#endpoint.handle(request, response)
    })
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => {
        // A computer without IPv6 has no ::1 to listen at, and needs none.
        const isMissing = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'
        if (isMissing && this.#listeners.length > 0) resolve()
        else reject(error)
      }
      listener.once('error', failed)
      listener.listen({ host, port: this.port, exclusive: true }, () => {
        listener.off('error', failed)
        this.#listeners.push(listener)
        this.port = (listener.address() as AddressInfo).port
        resolve()
      })
    })
  }

  async #shutDown(reason: string): Promise<void> {
    const closed = this.#listeners.map(listener => new Promise(resolve => listener.close(resolve)))
    await this.#server.close(reason)
    this.#endpoint.sessions.close(reason)
    this.#endpoint.sseClients?.close()
    await this.#allAnswered()
    for (const listener of this.#listeners) listener.closeAllConnections()
    await Promise.all(closed)
  }

  /** Waits until every client has read its answer, but not for long. */
  async #allAnswered(): Promise<void> {
    if (this.#responses.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.#answered = resolve
      timer = setTimeout(resolve, this.#limits.closeMs)
    })
    clearTimeout(timer)
  }
}
