import type { Call } from './call.ts'

/**
 * A call that no client made, for a move that the program itself makes: it asks nobody and tells nobody.
 *
 * @param abort has the signal that breaks it off
 * @param why what is said when the move wants to ask somebody
 */
export function nobodysCall(abort: { readonly signal: AbortSignal }, why: string): Call {
  const nobody = () => Promise.reject(new Error(why))
  return {
    get signal() {
      return abort.signal
    },
    clientInfo: undefined,
    clientCapabilities: {},
    progress: () => {},
    log: () => {},
    elicit: nobody,
    sample: nobody,
    roots: nobody,
  }
}
