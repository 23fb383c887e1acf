import type { Call } from '../../runtime/index.ts'

/** A call of nobody in particular, with what a test wants of it. */
export function quietCall(parts: Partial<Call> = {}): Call {
  const refuse = () => Promise.reject(new Error('nobody is there to be asked'))
  return {
    signal: new AbortController().signal,
    clientInfo: undefined,
    clientCapabilities: {},
    progress: () => {},
    log: () => {},
    elicit: refuse,
    sample: refuse,
    roots: refuse,
    ...parts,
  }
}
