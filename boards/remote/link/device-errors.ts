import { codeText, LinkCode, LinkError } from './codes.ts'

const longestText = 160

/** What the host is told of something that was thrown: never a stack, and nothing of a slip of the program. */
export function told(thrown: unknown): { code: number; text?: string } {
  if (thrown instanceof LinkError) {
    // The host knows the link's own texts.
    return thrown.message === codeText(thrown.code) ? { code: thrown.code } : withText(thrown.code, thrown.message)
  }
  const slips = [TypeError, ReferenceError, RangeError, SyntaxError]
  if (!(thrown instanceof Error) || slips.some(slip => thrown instanceof slip)) return { code: LinkCode.Failed }
  return withText(LinkCode.Failed, thrown.message)
}

function withText(code: number, text: string): { code: number; text: string } {
  return { code, text: text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, longestText) }
}
