import { LinkCode, LinkError } from './codes.ts'

const longestText = 160

/** What the host is told of something that was thrown: never a stack, and nothing of a slip of the program. */
export function told(thrown: unknown): { code: number; text?: string } {
  if (thrown instanceof LinkError) return { code: thrown.code, text: cut(thrown.message) }
  const slips = [TypeError, ReferenceError, RangeError, SyntaxError]
  if (!(thrown instanceof Error) || slips.some(slip => thrown instanceof slip)) return { code: LinkCode.Failed }
  return { code: LinkCode.Failed, text: cut(thrown.message) }
}

function cut(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, longestText)
}
