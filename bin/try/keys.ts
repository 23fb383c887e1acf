/** A key that was pressed, or text that was typed or pasted. */
export type Key = { name: 'text'; text: string } | { name: KeyName }

/** The keys that mean something here. */
export type KeyName =
  | 'enter'
  | 'tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'delete-word'
  | 'delete-to-start'
  | 'delete-to-end'
  | 'redraw'
  | 'interrupt'
  | 'end-of-input'
  | 'suspend'

/** Control characters, by what shells have made them mean. */
const controls: Record<string, KeyName> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x1b': 'escape',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x0b': 'delete-to-end',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x10': 'up',
  '\x15': 'delete-to-start',
  '\x17': 'delete-word',
  '\x1a': 'suspend',
}

/** What terminals send after ESC [ or ESC O (ECMA-48; xterm's and the Linux console's spellings of Home and End). */
const sequences: Record<string, KeyName> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '7~': 'home',
  '8~': 'end',
}

/**
 * The keys in what a terminal in raw mode sent at once. An escape that stands alone is the key itself: terminals send a
 * sequence in one piece.
 */
export function keysOf(chunk: string): Key[] {
  const keys: Key[] = []
  const pattern = /\x1b[[O]([0-9;]*[A-Za-z~])|\x1b[^[O\x1b]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g
  for (const [piece, sequence] of chunk.matchAll(pattern)) {
    if (sequence !== undefined) {
      const name = sequences[sequence]
      if (name) keys.push({ name })
    } else if (controls[piece]) keys.push({ name: controls[piece] })
    else if (!/[\x00-\x1f\x7f]/.test(piece)) keys.push({ name: 'text', text: piece })
  }
  return keys
}
