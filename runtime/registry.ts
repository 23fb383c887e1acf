import { type Access, type NeededAccess, suffices } from './access.ts'
import { DefinitionError, ErrorCode, RpcError } from './errors.ts'
import { toJson, utf8Length } from './json.ts'
import { ListPage, taskSupport } from './table.ts'

/** What a registry keeps of a definition: how it is listed, and whatever else was made of it once. */
export interface Entry<D> {
  readonly definition: D
  /** As it stands in the list. */
  readonly listed: Record<string, unknown>
  /** What a client must be allowed to find it in the list; everybody finds it when left out. */
  readonly access?: NeededAccess
  /** How many bytes more it may take in the list of an era that has to wrap parts of it. */
  readonly slackBytes?: number
}

interface Kept<E> {
  entry: E
  bytes: number
  json: string
}

const cursorPrefix = 'after:'
/** Room for what stands around the items of a page: envelope, id, server info, cursor. */
const pageFrameBytes = 1024

/**
 * Definitions by name, in the order they were added, as a `Map` has them. Changing it while clients are connected tells
 * them that the list changed.
 */
export class Registry<D, E extends Entry<D> = Entry<D>> {
  readonly #kind: ListPage['kind']
  readonly #compile: (key: string, definition: D) => E
  readonly #changed: () => void
  readonly #maxMessageBytes: number
  readonly #kept = new Map<string, Kept<E>>()
  readonly #pages: Record<Access, Map<string, ListPage>> = { read: new Map(), act: new Map(), person: new Map() }

  constructor(
    kind: ListPage['kind'],
    compile: (key: string, definition: D) => E,
    changed: () => void,
    maxMessageBytes: number,
  ) {
    this.#kind = kind
    this.#compile = compile
    this.#changed = changed
    this.#maxMessageBytes = maxMessageBytes
  }

  get size(): number {
    return this.#kept.size
  }

  has(key: string): boolean {
    return this.#kept.has(key)
  }

  /** The definition under this name or URI. */
  get(key: string): D | undefined {
    return this.#kept.get(key)?.entry.definition
  }

  keys(): IterableIterator<string> {
    return this.#kept.keys()
  }

  /**
   * Adds a definition, or puts it in the place of the one under that name.
   *
   * @throws DefinitionError when the definition has a mistake, or is too long to be listed
   */
  set(key: string, definition: D): this {
    const entry = this.#compile(key, definition)
    const json = toJson(entry.listed)
    const bytes = utf8Length(json) + 1 + (entry.slackBytes ?? 0)
    if (bytes + pageFrameBytes > this.#maxMessageBytes) {
      throw new DefinitionError(
        `${this.#kind}: "${key}" takes ${bytes} bytes in the list, too many for messages of ${this.#maxMessageBytes} bytes: shorten its description or schema`,
      )
    }
    const last = this.#kept.get(key)
    const same = last?.json === json && taskSupportOf(last.entry) === taskSupportOf(entry)
    this.#kept.set(key, { entry, bytes, json })
    // What reads the same in the list is no change for a client.
    if (!same) this.#touch()
    return this
  }

  /** Takes a definition out. Tells whether it was there. */
  delete(key: string): boolean {
    const deleted = this.#kept.delete(key)
    if (deleted) this.#touch()
    return deleted
  }

  /** What was made of the definition. */
  entry(key: string): E | undefined {
    return this.#kept.get(key)?.entry
  }

  *entries(): IterableIterator<E> {
    for (const { entry } of this.#kept.values()) yield entry
  }

  /**
   * One page of the list, as this access has it: as much as one message may hold.
   *
   * @throws RpcError (-32602) for a cursor that this list never gave out
   */
  page(cursor: unknown, access: Access = 'act'): ListPage {
    const from = cursor ?? ''
    if (cursor !== undefined && !this.#knows(cursor)) {
      throw new RpcError(ErrorCode.InvalidParams, 'Unknown cursor: start again without one')
    }
    const pages = this.#pages[access]
    const known = pages.get(from as string)
    if (known !== undefined) return known
    const page = this.#cut(from as string, access)
    pages.set(from as string, page)
    return page
  }

  /** The pages are sealed with the server's name in them, and that is another one now. */
  sealAnew(): void {
    for (const pages of Object.values(this.#pages)) pages.clear()
  }

  #knows(cursor: unknown): cursor is string {
    return (
      typeof cursor === 'string' && cursor.startsWith(cursorPrefix) && this.#kept.has(cursor.slice(cursorPrefix.length))
    )
  }

  #cut(cursor: string, access: Access): ListPage {
    const after = cursor.slice(cursorPrefix.length)
    const items: Record<string, unknown>[] = []
    let room = this.#maxMessageBytes - pageFrameBytes
    let skipping = cursor !== ''
    let last = ''
    for (const [key, { entry, bytes }] of this.#kept) {
      if (skipping) {
        skipping = key !== after
        continue
      }
      if (entry.access !== undefined && !suffices(access, entry.access)) continue
      if (bytes > room) return new ListPage(this.#kind, items, cursorPrefix + last)
      room -= bytes
      last = key
      items.push(entry.listed)
    }
    return new ListPage(this.#kind, items, undefined)
  }

  #touch(): void {
    this.sealAnew()
    this.#changed()
  }
}

/** Leaves out the members that are undefined, so that a list holds only what was said. */
export function said(members: Record<string, unknown>): Record<string, unknown> {
  const rest: Record<string, unknown> = {}
  for (const name of Object.keys(members)) {
    if (members[name] !== undefined) rest[name] = members[name]
  }
  return rest
}

function taskSupportOf({ listed }: Entry<unknown>): unknown {
  return (listed as { [taskSupport]?: unknown })[taskSupport]
}
