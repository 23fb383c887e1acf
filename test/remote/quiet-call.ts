import { type Call, nobodysCall } from '../../runtime/index.ts'

/** A call of nobody in particular, with what a test wants of it. */
export function quietCall(parts: Partial<Call> = {}): Call {
  return { ...nobodysCall(new AbortController(), 'nobody is there to be asked'), ...parts }
}
