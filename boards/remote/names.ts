const longestName = 64

/**
 * The name nearest to what a device calls something that fits the board model (a letter, then letters, digits, `_` or
 * `-`; at most 64) and that is not taken.
 *
 * @param otherwise begins the name when what it is made of does not begin with a letter
 */
export function fitName(raw: string, otherwise: string, taken: { has(name: string): boolean } = new Set()): string {
  const plain = raw
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[_-]+|[_-]+$/g, '')
  const named = /^[A-Za-z]/.test(plain) ? plain : plain === '' ? otherwise : `${otherwise}_${plain}`
  return freeName(named, taken)
}

/** The name itself, cut to what a name may be long; numbered when it is taken. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  const first = name.slice(0, longestName)
  if (!taken.has(first)) return first
  for (let number = 2; ; number++) {
    const end = `_${number}`
    const next = name.slice(0, longestName - end.length) + end
    if (!taken.has(next)) return next
  }
}
