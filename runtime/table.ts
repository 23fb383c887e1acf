import type { CallState } from './call-state.ts'

/** What a server can offer, by the protocol's names. */
export type Feature = 'tools' | 'resources' | 'prompts'

/** Answers a method: neutral value in, or a promise of it. Throws RpcError to choose an error. */
export type Handler = (params: Record<string, unknown>, call: CallState) => unknown

/** Method to handler, on a null prototype: what is not there is unknown, `constructor` included. */
export type HandlerTable = Record<string, Handler>

/** Puts handlers on a null prototype. */
export function handlerTable(handlers: Record<string, Handler>): HandlerTable {
  return Object.assign(Object.create(null), handlers)
}

/** How long a client may keep an answer, and who may share it (MCP caching hints). */
export interface CacheHints {
  ttlMs: number
  cacheScope: 'public' | 'private'
}

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
