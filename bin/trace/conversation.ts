import { answerMistakes } from './answers.ts'
import type { Speaker } from './lines.ts'

/** A JSON object as it goes over the wire. */
export type Wire = Record<string, any>

/** What was seen about one message. */
export interface Seen {
  /** Mistakes in the protocol, a sentence each. */
  mistakes: string[]
  /** How long the answer took, in milliseconds, when it is one. */
  tookMs?: number
}

interface Asked {
  method: string
  params: Wire
  at: number
  answered: boolean
  cancelled: boolean
}

const legacyMarks = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const keyOf = (id: unknown) => `${typeof id}:${String(id)}`
/** What was answered is remembered for so many requests, to tell a second answer from one to nothing. */
const mostRemembered = 1000

/**
 * Follows the conversation of a host and a server, and names what either does against the protocol (MCP 2024-11-05 to
 * 2026-07-28, JSON-RPC 2.0). It never changes anything.
 */
export class Conversation {
  readonly #asked: Record<Speaker, Map<string, Asked>> = { host: new Map(), server: new Map() }
  readonly #progress = new Map<string, number>()
  #capabilities: Wire | undefined = undefined
  #version: string | undefined = undefined
  #initialized = false
  #handshake = false

  /** Takes a message that is a JSON object, or says why the line is none. */
  take(from: Speaker, message: unknown, at: number): Seen {
    const shape = shapeMistake(message)
    if (shape !== undefined) return { mistakes: [shape] }
    const wire = message as Wire
    if (wire.method === undefined) return this.#answer(from, wire, at)
    if (wire.id === undefined) return { mistakes: this.#notification(from, wire) }
    return { mistakes: this.#request(from, wire, at) }
  }

  /** What was asked and never answered: to be told at the end. */
  unanswered(): { from: Speaker; id: string; method: string }[] {
    return (['host', 'server'] as const).flatMap(from =>
      [...this.#asked[from]]
        .filter(([, { answered, cancelled, method }]) => !answered && !cancelled && method !== 'subscriptions/listen')
        .map(([id, { method }]) => ({ from, id: id.slice(id.indexOf(':') + 1), method })),
    )
  }

  #request(from: Speaker, { id, method, params }: Wire, at: number): string[] {
    const mistakes: string[] = []
    const asked = this.#asked[from]
    const before = asked.get(keyOf(id))
    if (before !== undefined && !before.answered && !before.cancelled) {
      mistakes.push(`the id ${JSON.stringify(id)} is in use by ${before.method}, which is not answered yet`)
    }
    if (asked.size >= mostRemembered) asked.delete(asked.keys().next().value!)
    asked.set(keyOf(id), { method, params: params ?? {}, at, answered: false, cancelled: false })
    if (from === 'server') {
      if (this.#handshake && !this.#initialized && method !== 'ping') {
        mistakes.push(`${method} before the host said notifications/initialized`)
      }
      return mistakes
    }
    if (method === 'initialize') {
      if (this.#handshake) mistakes.push('initialize comes a second time')
      this.#handshake = true
      for (const name of ['protocolVersion', 'capabilities', 'clientInfo']) {
        if (params?.[name] === undefined) mistakes.push(`initialize lacks ${name}`)
      }
      return mistakes
    }
    const claim = params?._meta?.['io.modelcontextprotocol/protocolVersion']
    if (claim === undefined && !this.#handshake && method !== 'ping') {
      mistakes.push(`${method} before initialize, and without a protocolVersion in its _meta`)
    }
    if (claim !== undefined && params._meta['io.modelcontextprotocol/clientCapabilities'] === undefined) {
      mistakes.push(`${method} lacks clientCapabilities in its _meta, which 2026-07-28 requires`)
    }
    const feature = featureOf(method)
    if (feature !== undefined && this.#capabilities !== undefined && this.#capabilities[feature] === undefined) {
      mistakes.push(`${method}, although the server did not say that it has ${feature}`)
    }
    return mistakes
  }

  #notification(from: Speaker, { method, params }: Wire): string[] {
    if (method === 'notifications/initialized' && from === 'host') this.#initialized = true
    if (method === 'notifications/cancelled') {
      const asked = this.#asked[from].get(keyOf(params?.requestId))
      if (asked === undefined) return [`cancels ${JSON.stringify(params?.requestId)}, which it never asked`]
      // Its answer may come or stay away: both are right.
      asked.cancelled = true
      return asked.method === 'initialize' ? ['cancels initialize, which cannot be cancelled'] : []
    }
    if (method !== 'notifications/progress') return []
    const token = params?.progressToken
    const other = from === 'server' ? 'host' : 'server'
    const known = [...this.#asked[other].values()].some(({ params }) => params._meta?.progressToken === token)
    if (!known) return [`progress for the token ${JSON.stringify(token)}, which nobody gave`]
    const last = this.#progress.get(keyOf(token)) ?? Number.NEGATIVE_INFINITY
    this.#progress.set(keyOf(token), Number(params.progress))
    return params.progress > last ? [] : [`progress ${params.progress} is not more than ${last}, which came before`]
  }

  #answer(from: Speaker, { id, result, error }: Wire, at: number): Seen {
    const other = from === 'server' ? 'host' : 'server'
    if (id === undefined || id === null) return { mistakes: [] }
    const asked = this.#asked[other].get(keyOf(id))
    if (asked === undefined) return { mistakes: [`an answer to ${JSON.stringify(id)}, which nobody asked`] }
    if (asked.answered) return { mistakes: [`${asked.method} ${JSON.stringify(id)} is answered more than once`] }
    asked.answered = true
    const tookMs = at - asked.at
    if (error !== undefined || from === 'host') return { mistakes: [], tookMs }
    const modern = asked.params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
    const mistakes = answerMistakes(asked.method, result, modern)
    if (asked.method === 'initialize') {
      this.#capabilities = result?.capabilities
      this.#version = result?.protocolVersion
      if (this.#version !== undefined && !legacyMarks.includes(this.#version)) {
        mistakes.push(`${this.#version} is no revision that has an initialize`)
      }
    }
    return { mistakes, tookMs }
  }
}

function shapeMistake(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 'not a JSON object'
  const { jsonrpc, id, method, result, error } = message as Wire
  if (jsonrpc !== '2.0') return 'lacks "jsonrpc": "2.0"'
  const kinds = [method, result, error].filter(each => each !== undefined).length
  if (kinds !== 1) return `has ${kinds === 0 ? 'none' : 'more than one'} of method, result and error`
  if (method !== undefined && typeof method !== 'string') return 'its method is not a text'
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number' && !(id === null && error !== undefined)) {
    return `its id is ${JSON.stringify(id)}, and must be a text or a whole number`
  }
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return `its id ${id} is not a whole number within 2^53`
  if (result !== undefined && id === undefined) return 'a result without an id'
  if (error !== undefined && !(Number.isInteger(error?.code) && typeof error?.message === 'string')) {
    return 'its error lacks a whole number as code, or a text as message'
  }
  return undefined
}

function featureOf(method: string): 'tools' | 'resources' | 'prompts' | 'logging' | 'completions' | undefined {
  if (method.startsWith('tools/')) return 'tools'
  if (method.startsWith('resources/')) return 'resources'
  if (method.startsWith('prompts/')) return 'prompts'
  if (method === 'logging/setLevel') return 'logging'
  return method === 'completion/complete' ? 'completions' : undefined
}
