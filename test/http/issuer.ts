import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

/** The endpoint that tokens are made for. */
export const audience = 'https://greenhouse.example/mcp'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

/** A small OAuth authorization server: metadata, keys, and tokens of any kind, good and bad. */
export class Issuer {
  readonly #server: Server
  readonly #keys = new Map<string, KeyPair>()
  /** The paths that were asked for. */
  readonly asked: string[] = []
  /** Answers everything with this status instead. */
  outage: number | undefined
  /** The path at which the metadata stands. */
  metadataPath = '/.well-known/oauth-authorization-server'
  /** The path of its name. */
  path = ''
  /** What its metadata says that it is called, when that is not so. */
  calls: string | undefined

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url!
      this.asked.push(path)
      const page = this.outage === undefined ? this.#page(path) : undefined
      page?.then(
        body => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
        (thrown: unknown) => response.writeHead(500).end(String(thrown)),
      ) ?? response.writeHead(this.outage ?? 404).end()
    })
  }

  /** Starts one, with one key. */
  static async start(): Promise<Issuer> {
    const issuer = new Issuer()
    await new Promise<void>(resolve => issuer.#server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => issuer.stop())
    await issuer.addKey('first')
    return issuer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.path}`
  }

  async addKey(kid: string, alg = 'ES256'): Promise<void> {
    this.#keys.set(kid, await generateKeyPair(alg, { extractable: true }))
  }

  dropKey(kid: string): void {
    this.#keys.delete(kid)
  }

  publicKey(kid: string): KeyPair['publicKey'] {
    return this.#keys.get(kid)!.publicKey
  }

  /** A token with some claims, which are right unless told otherwise. What is `undefined` is left out. */
  async token(
    claims: Record<string, unknown> = {},
    { kid = 'first', alg = 'ES256', typ = 'at+jwt' as string | null, key = this.#keys.get(kid)?.privateKey } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const all = {
      iss: this.url,
      aud: audience,
      sub: 'ada',
      client_id: 'laptop',
      scope: 'sensors:read',
      iat: now,
      exp: now + 600,
      ...claims,
    }
    return new SignJWT(all).setProtectedHeader({ alg, kid, ...(typ !== null && { typ }) }).sign(key!)
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #page(path: string): Promise<unknown> | undefined {
    if (path === this.metadataPath) return Promise.resolve(this.#metadata())
    return path === '/keys' ? this.#keySet() : undefined
  }

  #metadata(): object {
    const at = this.url
    return {
      issuer: this.calls ?? at,
      jwks_uri: new URL('/keys', at).href,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: `${at}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
  }

  async #keySet(): Promise<object> {
    const keys = [...this.#keys].map(async ([kid, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      kid,
      use: 'sig',
    }))
    return { keys: await Promise.all(keys) }
  }
}
