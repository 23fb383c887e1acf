import { homedir } from 'node:os'
import process from 'node:process'
import {
  AuthorizationError,
  eitherAuthorizer,
  isExpired,
  type OAuthAuthorizer,
  oauthAuthorizer,
  runKeyAuthorizer,
  type TokenFile,
  tokenAuthorizer,
  tokenFile,
} from '../transports/http/authorization/index.ts'
import type { Authorized, Authorizer } from '../transports/http/authorizer.ts'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { usualTokenFile } from './token-place.ts'

/** Who is let in over HTTP: what it depends on. */
export interface Door {
  /** Other computers can reach the server. */
  open: boolean
  /** The key of the page for people, where there is one. */
  runKey?: string
  /** The server's name, as people are shown it when they log in. */
  name?: string
  /** Tells the operator. */
  say(text: string): void
}

/** Who is let in, and what has to be found out before anybody comes. */
export interface Access {
  /** Nothing when whoever is on this computer may come in. */
  authorizer: Authorizer | undefined
  /**
   * Asks the issuer for its keys, which may take a while.
   *
   * @throws Failure when it can never be the right one
   */
  prepare(): Promise<void>
}

/**
 * Who is let in over HTTP. Tokens are asked for when an option says so, and when other computers can reach the server and
 * no issuer is given; then there must be one.
 *
 * @throws Failure when nobody could ever be let in: with what to do
 */
export function httpAccess(values: Arguments['values'], door: Door): Access {
  try {
    const oauth = oauthOf(values, door)
    return {
      authorizer: authorizerOf(values, door, oauth),
      prepare: async () => {
        if (oauth !== undefined) await prepared(oauth, door)
      },
    }
  } catch (thrown) {
    throw asFailure(thrown)
  }
}

function authorizerOf(
  values: Arguments['values'],
  door: Door,
  oauth: OAuthAuthorizer | undefined,
): Authorizer | undefined {
  const tokens = tokensOf(values, door, oauth !== undefined)
  const others = tokens && oauth ? eitherAuthorizer(tokens, oauth) : (tokens ?? oauth)
  if (door.runKey === undefined) return others
  if (others !== undefined) return runKeyAuthorizer(door.runKey, others)
  // Programs on this computer come in as they do without the page; people may also bring a token of theirs.
  return runKeyAuthorizer(door.runKey, tokenAuthorizer(usualFile(), { say: door.say }), anyone)
}

function asFailure(thrown: unknown): unknown {
  return thrown instanceof AuthorizationError ? new Failure(thrown.message) : thrown
}

const anyone: Authorized = Object.freeze({ access: 'act', client: 'anyone' })

function usualFile(): TokenFile {
  return tokenFile(usualTokenFile({ ...process, home: homedir() }))
}

function tokensOf(
  values: Arguments['values'],
  { open, runKey, say }: Door,
  hasIssuer: boolean,
): Authorizer | undefined {
  const asked = values['token-file'] !== undefined || values['require-token'] === true
  if (!asked && (!open || hasIssuer)) return undefined
  const file = values['token-file'] === undefined ? usualFile() : tokenFile(String(values['token-file']))
  if (!file.tokens().some(token => !isExpired(token, Date.now()))) {
    const where = values['token-file'] === undefined ? '' : ` --file ${file.path}`
    const what = `${file.path} has no token that works: make one with   ferrule token create NAME${where}`
    if (!asked && runKey === undefined) {
      throw new Failure(`other computers can reach this address, so it asks for a token, but ${what}`)
    }
    say(`nobody is let in yet${runKey === undefined ? '' : ' but by the link to the page'}: ${what}`)
  }
  return tokenAuthorizer(file, { say })
}

function oauthOf(values: Arguments['values'], { name, say }: Door): OAuthAuthorizer | undefined {
  const { 'oauth-issuer': issuer, 'oauth-audience': audience } = values
  if (issuer === undefined && audience === undefined) return undefined
  if (issuer === undefined || audience === undefined) {
    const [given, missing] = issuer === undefined ? ['audience', 'issuer'] : ['issuer', 'audience']
    throw new Failure(`--oauth-${given} needs --oauth-${missing} URL beside it`, exitCodes.wrongUse)
  }
  return oauthAuthorizer({ issuer: String(issuer), audience: String(audience), say, ...(name && { name }) })
}

async function prepared(oauth: OAuthAuthorizer, { say }: Door): Promise<void> {
  await oauth.ready().catch(thrown => {
    if (!(thrown instanceof AuthorizationError) || thrown.code !== 'issuer') throw asFailure(thrown)
    // After a power cut the issuer may well start later than we do.
    say(`${thrown.message}\n  Nobody is let in by it until it does.`)
  })
}
