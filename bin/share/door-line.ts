import { isObject } from '../../runtime/json.ts'

/**
 * Lines that are no protocol messages: the first one of each side, and what an owner tells its copies between. They begin
 * with the member `ferrule`, which no message of the protocol does.
 *
 *   copy  → owner   {"ferrule":"join","version":1,"pid":4711,"limits":""}
 *   owner → copy    {"ferrule":"joined","version":1,"pid":4710,"maxLineBytes":4194304,"secret":"…","limits":[],"readsOnly":false}
 *   owner → copy    {"ferrule":"device","released":false,"held":false}   again whenever it changes
 *   …               one message a line, both ways
 *   owner → copy    {"ferrule":"leaving"}
 *   copy  → owner   the byte 06: nothing moves, and nothing will
 *   copy  → owner   the byte 04: nothing more comes
 *
 *   any program → owner   {"ferrule":"status"}
 *   owner → program       {"ferrule":"heard"}   at once, before a `stop` or `arm` is done
 *   owner → program       {"ferrule":"status","ok":true,…}
 */
export type DoorLine = { ferrule: string } & Record<string, unknown>

/** What both sides must agree on. */
export const doorVersion = 1

const head = '{"ferrule":'

/** The text of such a line, with its newline. */
export function doorText(line: DoorLine): string {
  // Spelled out, so that it comes first whatever the order in which the line was made.
  const { ferrule, ...rest } = line
  return `${JSON.stringify({ ferrule, ...rest })}\n`
}

/** Reads such a line; nothing when it is a message, or no JSON. */
export function readDoorLine(text: string): DoorLine | undefined {
  if (!text.startsWith(head)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && typeof value.ferrule === 'string' ? (value as DoorLine) : undefined
  } catch {
    return undefined
  }
}
