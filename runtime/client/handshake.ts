import type { ClientInfo } from '../call.ts'
import { DeviceFailure, ErrorCode } from '../errors.ts'
import { isObject } from '../json.ts'
import { metaKey, modernMeta } from './envelope.ts'
import { DeviceError, NoAnswerError } from './failures.ts'
import type { Requests, Result } from './requests.ts'
import { type DeviceSession, sessionOf, versionsOf } from './session.ts'

/** What meeting a device needs. */
export interface HandshakeOptions {
  requests: Requests
  clientInfo: ClientInfo
  notify(method: string): void
  deviceName(): string
  /** The era to try first, where one is known from before. */
  first: DeviceSession['era'] | undefined
}

/** So long a device may take for its first answer, in milliseconds, and so often it is asked. */
const probeMs = 2000
const probes = 2
const initializeMs = 4000

/**
 * Finds out the era of a device and agrees on a revision: `server/discover`, and `initialize` where that is not known
 * (2026-07-28, basic/transports/stdio).
 *
 * @throws Error when the device does not answer, or speaks no revision that is known
 */
export async function meet(options: HandshakeOptions): Promise<DeviceSession> {
  const handshakeFirst = options.first === 'legacy' && versionsOf('legacy').length > 0
  if (handshakeFirst) {
    const session = await initialize(options).catch((failed: Error) => failed)
    if (!(session instanceof Error)) return session
    if (session instanceof NoAnswerError && session.why !== 'late') throw session
  }
  const discovered = await discover(options)
  if (discovered !== undefined) return discovered
  if (handshakeFirst || versionsOf('legacy').length === 0) {
    throw new DeviceFailure(`${options.deviceName()} does not answer as an MCP server`)
  }
  return initialize(options)
}

/** The session with a modern device; nothing when it is none, or none that can be heard. */
async function discover({ requests, clientInfo, deviceName }: HandshakeOptions): Promise<DeviceSession | undefined> {
  let [version] = versionsOf('modern')
  let wasCorrected = false
  for (let probe = 1; version !== undefined && probe <= probes; probe++) {
    const asked: string = version
    const meta = { _meta: modernMeta(asked, clientInfo, undefined) }
    try {
      const result = await requests.send('server/discover', () => meta, { timeoutMs: probeMs }).outcome
      return discoveredFrom(result, asked)
    } catch (thrown) {
      if (thrown instanceof NoAnswerError && thrown.why === 'late') continue
      if (!(thrown instanceof DeviceError)) throw thrown
      if (thrown.code !== ErrorCode.UnsupportedProtocolVersion) return undefined
      const supported = supportedBy(thrown)
      const common = versionsOf('modern').find(each => supported.includes(each))
      if (common !== undefined && !wasCorrected) {
        wasCorrected = true
        version = common
        probe--
        continue
      }
      if (supported.some(each => versionsOf('legacy').includes(each))) return undefined
      throw new DeviceFailure(`${deviceName()} speaks MCP ${supported.join(', ') || 'of an unknown revision'} only`)
    }
  }
  return undefined
}

function discoveredFrom(result: Result, asked: string): DeviceSession | undefined {
  const { supportedVersions, _meta } = result
  if (!Array.isArray(supportedVersions)) return undefined
  const version = versionsOf('modern').find(each => supportedVersions.includes(each))
  // What it answers to, it speaks, whatever its list says.
  return sessionOf('modern', version ?? asked, {
    ...result,
    serverInfo: isObject(_meta) ? _meta[metaKey.serverInfo] : undefined,
  })
}

async function initialize(options: HandshakeOptions): Promise<DeviceSession> {
  const { requests, clientInfo, notify, deviceName } = options
  const versions = versionsOf('legacy')
  const params = {
    protocolVersion: versions[0],
    // A question of the device goes to the host whose call it belongs to, and fails where that host cannot answer it.
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    clientInfo,
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await requests.send('initialize', () => params, { timeoutMs: initializeMs }).outcome
      const { protocolVersion } = result
      if (typeof protocolVersion !== 'string' || !versions.includes(protocolVersion)) {
        throw new DeviceFailure(`${deviceName()} wants to speak MCP ${protocolVersion}, which is not known here`)
      }
      notify('notifications/initialized')
      return sessionOf('legacy', protocolVersion, result)
    } catch (thrown) {
      if (thrown instanceof NoAnswerError && thrown.why === 'late' && attempt < probes) continue
      if (thrown instanceof DeviceError) {
        throw new DeviceFailure(`${deviceName()} does not answer as an MCP server: ${thrown.message}`)
      }
      throw thrown
    }
  }
}

function supportedBy({ data }: DeviceError): string[] {
  const supported = isObject(data) ? data.supported : undefined
  return Array.isArray(supported) ? supported.filter(each => typeof each === 'string') : []
}
