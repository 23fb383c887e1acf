/** What a line of the server is for the one who sends it on. */
export type LineKind = 'notification' | 'request' | 'result' | 'error' | 'batch'

/**
 * Tells what a line of the server is without reading all of it: the runtime writes the version, the id where there is
 * one, and then the member that decides.
 */
export function lineKind(line: string): LineKind {
  if (line.charCodeAt(0) === openBracket) return 'batch'
  if (line.startsWith(method, versionLength)) return 'notification'
  const at = line.startsWith(id, versionLength) ? endOfId(line, versionLength + id.length) + 1 : versionLength
  if (line.startsWith('"result":', at)) return 'result'
  if (line.startsWith('"error":', at)) return 'error'
  return 'request'
}

const versionLength = '{"jsonrpc":"2.0",'.length
const id = '"id":'
const method = '"method":'
const openBracket = 0x5b
const quote = 0x22

/** Where the comma after an id stands. */
function endOfId(line: string, start: number): number {
  if (line.charCodeAt(start) !== quote) return line.indexOf(',', start)
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line.charCodeAt(at) === quote) return at + 1
  }
  return line.length
}
