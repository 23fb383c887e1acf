import type { ElicitForm, ElicitUrl, Root, SampleRequest, SampleResult } from './call.ts'
import type { InputAnswer, InputRequest } from './eras/era.ts'
import { RpcError } from './errors.ts'
import type { Checked } from './schema/types.ts'
import { compileSchema } from './schema.ts'

/** Whoever can put a question to the client: a request that runs, or a task. */
export interface Asker {
  /** A name for a question that was given none. */
  nextKey(kind: string): string
  /** Resolves with the client's answer, whatever it holds. */
  ask(key: string, request: InputRequest): Promise<InputAnswer>
  /** The answer under this key was no answer: the same question is asked once more. */
  forget(key: string): void
}

/** How often a form may be filled in wrongly. */
const mostTries = 3

/** Asks the person by a form or a page. What is accepted fits the form. */
export async function elicit(asker: Asker, question: ElicitForm | ElicitUrl): Promise<any> {
  const { key = asker.nextKey('elicitation'), ...asked } = question
  const isPage = 'url' in asked
  const form = isPage ? undefined : compileSchema(asked.requestedSchema, `requestedSchema of "${key}"`, 'form')
  const params = isPage ? { mode: 'url', ...asked } : asked
  for (let tries = 1; ; tries++) {
    const { action, content = {} } = await asker.ask(key, { method: 'elicitation/create', params })
    if (action === 'decline' || action === 'cancel') return { action }
    const accepted: Checked = action === 'accept' ? { ok: true, value: content } : unknownAction
    const checked = accepted.ok && form !== undefined ? await form.check(content) : accepted
    if (checked.ok) return { action, content: checked.value }
    if (tries === mostTries) {
      throw new RpcError(-32602, `The answer to "${key}" does not fit: ${checked.problems.join('; ')}`)
    }
    // The same question once more: a form that was filled in wrongly is never taken for an answer.
    asker.forget(key)
  }
}

/** Asks the client's model. */
export async function sample(asker: Asker, request: SampleRequest): Promise<SampleResult> {
  const { key = asker.nextKey('sampling'), ...params } = request
  const answer = await asker.ask(key, { method: 'sampling/createMessage', params })
  if (typeof answer.model !== 'string' || answer.content === undefined) throw badAnswer(key, "a model's message")
  return answer as unknown as SampleResult
}

/** Asks for the folders that the client shares. */
export async function roots(asker: Asker, key: string = asker.nextKey('roots')): Promise<Root[]> {
  const answer = await asker.ask(key, { method: 'roots/list' })
  if (!Array.isArray(answer.roots)) throw badAnswer(key, 'a list of roots')
  return answer.roots as Root[]
}

function badAnswer(key: string, expected: string): RpcError {
  return new RpcError(-32602, `The answer to "${key}" is not ${expected}`)
}

const unknownAction: Checked = { ok: false, problems: ['its action must be accept, decline or cancel'] }
