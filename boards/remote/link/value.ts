/** A value that travels on the link: what CBOR and JSON have in common, and bytes. */
export type LinkValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly LinkValue[]
  | { readonly [name: string]: LinkValue }

/** What a CBOR item is read as: maps keep their integer keys, so they stay maps. */
export type CborItem = null | boolean | number | string | Uint8Array | CborItem[] | Map<number | string, CborItem>

/** What may be written: an item that was read, a value, or a plain record with text keys. */
export type CborInput = CborItem | LinkValue | readonly CborInput[] | ReadonlyMap<number | string, CborInput>

/** The widest float that a peer takes, in bytes; 0 for whole numbers only. */
export type FloatBytes = 0 | 2 | 4 | 8

/** Makes a value of an item: maps with text keys become plain records. `undefined` when a map has another key. */
export function fromItem(item: CborItem): LinkValue | undefined {
  if (Array.isArray(item)) {
    const values: LinkValue[] = []
    for (const member of item) {
      const value = fromItem(member)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }
  if (item instanceof Map) {
    const entries: [string, LinkValue][] = []
    for (const [key, member] of item) {
      const value = fromItem(member)
      if (typeof key !== 'string' || value === undefined) return undefined
      entries.push([key, value])
    }
    // Defines own members, so that a key `__proto__` is data like any other.
    return Object.fromEntries(entries)
  }
  return item
}

/**
 * Makes a value of what a program returned, as JSON would: what has no place in JSON is left out, and `undefined` is
 * null.
 *
 * @throws TypeError for what cannot be sent: a number that is not finite, a function, a loop
 */
export function toValue(thing: unknown, depth = 0): LinkValue {
  if (thing === undefined || thing === null) return null
  if (typeof thing === 'boolean' || typeof thing === 'string') return thing
  if (typeof thing === 'number' && Number.isFinite(thing)) return thing
  if (thing instanceof Uint8Array) return thing
  if (typeof thing === 'object' && depth < 8) {
    if (Array.isArray(thing)) return thing.map(member => toValue(member, depth + 1))
    if ('toJSON' in thing && typeof thing.toJSON === 'function') return toValue(thing.toJSON(), depth + 1)
    const entries = Object.entries(thing).filter(([, member]) => member !== undefined && typeof member !== 'function')
    return Object.fromEntries(entries.map(([key, member]) => [key, toValue(member, depth + 1)]))
  }
  throw new TypeError('cannot be sent over the link')
}
