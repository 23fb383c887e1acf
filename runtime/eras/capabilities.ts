import type { ClientCapabilities } from '../call.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject } from '../json.ts'
import type { InputRequest } from './era.ts'

/** What a client lacks for a question: a sentence, and the capabilities that it would have to declare. */
export interface Missing {
  message: string
  required: ClientCapabilities
}

/** The error for a question that the client cannot answer. */
export function missingError({ message, required }: Missing): RpcError {
  return new RpcError(ErrorCode.MissingRequiredClientCapability, message, { requiredCapabilities: required })
}

/** What the client did not say it can do, but a question needs; nothing when it did. */
export function missingCapability(capabilities: ClientCapabilities, request: InputRequest): Missing | undefined {
  if (request.method === 'elicitation/create') {
    const { elicitation } = capabilities
    if (request.params?.mode === 'url') {
      if (isObject(elicitation) && isObject(elicitation.url)) return undefined
      return {
        message: 'This needs a client that can show a page (elicitation.url)',
        required: { elicitation: { url: {} } },
      }
    }
    // `elicitation: {}` means forms.
    if (isObject(elicitation) && (isObject(elicitation.form) || !isObject(elicitation.url))) return undefined
    return {
      message: 'This needs a client that can ask its user (elicitation)',
      required: { elicitation: { form: {} } },
    }
  }
  if (request.method === 'sampling/createMessage') {
    const { sampling } = capabilities
    if (!isObject(sampling)) {
      return { message: 'This needs a client that lends its model (sampling)', required: { sampling: {} } }
    }
    const { tools, toolChoice } = request.params ?? {}
    if ((tools !== undefined || toolChoice !== undefined) && !isObject(sampling.tools)) {
      return {
        message: 'This needs a client whose model uses tools (sampling.tools)',
        required: { sampling: { tools: {} } },
      }
    }
    return undefined
  }
  if (isObject(capabilities.roots)) return undefined
  return { message: 'This needs a client that shares its roots (roots)', required: { roots: {} } }
}
