import { messagesOf } from './event-stream.js'

const version = '2026-07-28'
const prefix = 'io.modelcontextprotocol/'
/** The extension for work that takes minutes. */
export const tasks = `${prefix}tasks`

/** What this page can do for a server, said with every request. */
const capabilities = { elicitation: { form: {}, url: {} }, extensions: { [tasks]: {} } }
const clientInfo = { name: 'ferrule-page', title: 'Ferrule page', version: '1' }

/** Which member of its parameters a request also names in a header (2026-07-28, basic/transports/streamable-http). */
const namedBy = /** @type {Record<string, string>} */ ({
  'tools/call': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
})

/** The server said no, in the protocol's way. */
export class McpError extends Error {
  /**
   * @param {string} message
   * @param {number} code
   */
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

/** The server wants another key, or a token that may more. */
export class Locked extends Error {}

/** The server could not be reached, or went away in the middle. */
export class Lost extends Error {}

/** The request gave its connection up to something more urgent. Nothing is wrong. */
export class Yielded extends Error {}

/**
 * @typedef {object} RequestOptions
 * @property {AbortSignal} [signal] leaving a request is how it is cancelled
 * @property {number} [timeoutMs] after so long without an answer the server counts as lost
 * @property {(notification: {method: string, params: any}) => void} [onNotification]
 * @property {() => void} [onHeard] is told of every sign of life while the answer is a stream
 * @property {Record<string, string>} [headers]
 * @property {boolean} [background] it gives its connection up when something more urgent has to go out
 * @property {boolean} [urgent]
 */

/** A client of MCP 2026-07-28 over HTTP. It keeps nothing of the server but how its clock differs. */
export class McpClient {
  #id = 0
  #background = new AbortController()
  /** @type {string | undefined} */
  token = undefined
  /** How far the server's clock is ahead of this one, in milliseconds; 0 while it is not worth mentioning. */
  clockAheadMs = 0

  /** @param {URL} endpoint */
  constructor(endpoint) {
    this.endpoint = endpoint
  }

  /**
   * Sends a request and waits for its result, be it a message or the end of a stream.
   *
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   * @param {RequestOptions} [options]
   * @returns {Promise<any>} the result
   */
  async request(method, params = {}, options = {}) {
    const id = ++this.#id
    const message = {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          [`${prefix}protocolVersion`]: version,
          [`${prefix}clientCapabilities`]: capabilities,
          [`${prefix}clientInfo`]: clientInfo,
          ...(options.onNotification && { progressToken: id }),
        },
      },
    }
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), options.timeoutMs ?? 2 ** 31 - 1)
    const given = [patience.signal, ...(options.signal ? [options.signal] : [])]
    const yielding = options.background ? [this.#background.signal] : []
    const signal = AbortSignal.any([...given, ...yielding])
    try {
      return await this.#exchange(message, signal, options)
    } catch (thrown) {
      if (options.signal?.aborted) throw options.signal.reason
      if (yielding.some(({ aborted }) => aborted)) throw new Yielded()
      if (patience.signal.aborted) throw new Lost('the server does not answer')
      // What is no word of the server is the network's: fetch and its streams throw a TypeError for all of it.
      if (thrown instanceof TypeError || (thrown instanceof Error && thrown.name === 'AbortError')) {
        throw new Lost('the server cannot be reached')
      }
      throw thrown
    } finally {
      clearTimeout(timer)
    }
  }

  /** Has all that can wait give up its connection: a browser has six to one server, and something urgent needs one now. */
  clearTheWay() {
    this.#background.abort()
    this.#background = new AbortController()
  }

  /**
   * @param {{id: number, method: string, params: Record<string, any>}} message
   * @param {AbortSignal} signal
   * @param {RequestOptions} options
   */
  async #exchange(message, signal, { onNotification, onHeard = () => {}, headers, urgent }) {
    const named = message.params[namedBy[message.method] ?? '']
    const response = await fetch(this.endpoint, {
      method: 'POST',
      signal,
      cache: 'no-store',
      credentials: 'omit',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': version,
        'Mcp-Method': message.method,
        ...(typeof named === 'string' && { 'Mcp-Name': headerValue(named) }),
        ...(this.token !== undefined && { Authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      body: JSON.stringify(message),
      // It goes out even when the page is closed in the same moment.
      ...(urgent && { keepalive: true, priority: /** @type {const} */ ('high') }),
    })
    this.#compareClocks(response.headers.get('Date'))
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream')
    if (!isStream || response.body === null) return settle(await asJson(response), response.status)
    for await (const received of messagesOf(response.body, onHeard)) {
      if (received.id === message.id) return settle(received, 200)
      if (received.method !== undefined) onNotification?.(received)
    }
    throw new Lost('the server ended the answer half-way')
  }

  /** @param {string | null} date */
  #compareClocks(date) {
    const ahead = Date.parse(date ?? '') - Date.now()
    // The header counts in whole seconds.
    if (!Number.isNaN(ahead)) this.clockAheadMs = Math.abs(ahead) > 2000 ? ahead : 0
  }
}

/** @param {Response} response */
async function asJson(response) {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return { error: { code: 0, message: text.slice(0, 300) || `the server answered with status ${response.status}` } }
  }
}

/**
 * @param {any} answer
 * @param {number} status
 */
function settle({ result, error }, status) {
  const message = error?.message ?? `the server answered with status ${status}`
  if (status === 401 || status === 403) throw new Locked(message)
  if (status === 503) throw new Lost(message)
  if (result === undefined) throw new McpError(message, error?.code ?? 0)
  return result
}

/**
 * A header holds printable ASCII. Anything else goes as Base64 of its UTF-8, marked as such.
 *
 * @param {string} text
 */
export function headerValue(text) {
  if (/^[!-~]([ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))}?=`
}
