import type { Call } from '../call.ts'
import type { InputAnswer, InputRequest } from '../eras/era.ts'
import { isObject } from '../json.ts'

const methods = ['elicitation/create', 'sampling/createMessage', 'roots/list']

/** Whether a value is a question that a device may ask. */
export function isQuestion(value: unknown): value is InputRequest {
  return (
    isObject(value) &&
    methods.includes(value.method as string) &&
    (value.params === undefined || isObject(value.params))
  )
}

/**
 * Puts a device's question to whoever made the call, under a key of ours.
 *
 * @throws InputRequired where the answer comes with the repeated request
 */
export async function askHost(call: Call, key: string, { method, params = {} }: InputRequest): Promise<InputAnswer> {
  // Tokens and tasks of the device mean nothing to the host.
  const { _meta, task, ...asked } = params
  if (method === 'roots/list') return { roots: await call.roots(key) }
  if (method === 'sampling/createMessage') return call.sample({ ...asked, key } as never)
  const message = String(asked.message ?? '')
  if (asked.mode === 'url') {
    const { action } = await call.elicit({ key, message, url: String(asked.url) })
    return { action }
  }
  if (!isObject(asked.requestedSchema)) throw new Error('The form has no requestedSchema')
  return call.elicit({ key, message, requestedSchema: asked.requestedSchema as never })
}
