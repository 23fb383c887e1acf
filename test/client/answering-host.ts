import type { TestClient } from '../memory-client.ts'
import type { bridged, EraName } from './line.ts'

/** What a host says it can do that can do everything. */
export const able = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

export type Bridged = Awaited<ReturnType<typeof bridged>>

/** Calls a tool and answers what is asked meanwhile, in the way of the host's era. Returns the result. */
export async function callAnswering(
  { host, request }: Bridged,
  era: EraName,
  name: string,
  args: object,
  answer: (question: any) => object,
): Promise<any> {
  if (era === 'modern') {
    let extra: object = {}
    for (;;) {
      const { result, error } = await request('tools/call', { name, arguments: args, ...extra })
      if (error !== undefined) throw new Error(error.message)
      if (result.resultType !== 'input_required') return result
      const responses = Object.entries(result.inputRequests).map(([key, question]) => [key, answer(question)])
      extra = { inputResponses: Object.fromEntries(responses), requestState: result.requestState }
    }
  }
  answers.set(host, answer)
  return (await request('tools/call', { name, arguments: args })).result
}

/** How a host of the handshake revisions answers just now. */
const answers = new Map<TestClient, (question: any) => object>()

/** Lets a host of the handshake revisions answer whatever it is asked. */
export function answerAll(host: TestClient): void {
  void host.next(message => {
    if (message.method === undefined || message.id === undefined) return false
    queueMicrotask(() => host.send({ jsonrpc: '2.0', id: message.id, result: answers.get(host)!(message) }))
    return false
  })
}
