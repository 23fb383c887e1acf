import type { CallState } from './call-state.ts'

/** What a server can offer, by the protocol's names. */
export type Feature = (typeof features)[number]

/** All that a server can offer. */
export const features = ['tools', 'resources', 'prompts'] as const

/** Answers a method: neutral value in, or a promise of it. Throws RpcError to choose an error. */
export type Handler = (params: Record<string, unknown>, call: CallState) => unknown

/** Method to handler. One that is asked for any method has a null prototype: what is not there is unknown, `constructor` included. */
export type HandlerTable = Record<string, Handler>

/** Puts handlers on a null prototype. */
export function handlerTable(handlers: Record<string, Handler>): HandlerTable {
  return Object.assign(Object.create(null), handlers)
}

/** The same handlers, which wait first as long as `until` gives something to wait for. */
export function waiting(methods: HandlerTable, until: () => Promise<void> | undefined): HandlerTable {
  const wait =
    (handler: Handler): Handler =>
    (params, call) => {
      const known = until()
      if (known === undefined) return handler(params, call)
      return known.then(() => {
        // Nothing begins to move for whoever gave up meanwhile.
        call.signal.throwIfAborted()
        return handler(params, call)
      })
    }
  return handlerTable(Object.fromEntries(Object.entries(methods).map(([name, handler]) => [name, wait(handler)])))
}

/** How long a client may keep an answer, and who may share it (MCP caching hints). */
export interface CacheHints {
  ttlMs: number
  cacheScope: 'public' | 'private'
}

/** The key under which a listed tool says whether it may be a task. No JSON has it: only one revision lists it. */
export const taskSupport = Symbol('taskSupport')

/** One page of a list. It stays the same object while the list does, so that each era seals it once. */
export class ListPage {
  readonly kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts'
  readonly items: readonly Record<string, unknown>[]
  readonly nextCursor: string | undefined
  /** The sealed text, by the era's name. */
  readonly sealed: Record<string, string> = Object.create(null)

  constructor(kind: ListPage['kind'], items: readonly Record<string, unknown>[], nextCursor: string | undefined) {
    this.kind = kind
    this.items = items
    this.nextCursor = nextCursor
  }
}
