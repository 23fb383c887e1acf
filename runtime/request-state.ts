import { DefinitionError } from './errors.ts'
import { isObject, toBase64 } from './json.ts'
import type { RequestStateSealer } from './server-core.ts'

/** Room for what a model or a person answered in earlier rounds. */
const longestState = 1024 * 1024
const leastSecret = 32

/**
 * Seals by HMAC-SHA-256: what the client carries can be read by it, but not changed.
 *
 * @param secret at least 32 bytes; random when left out, so that a restart makes older state worthless
 * @throws DefinitionError for a shorter one
 */
export function requestStateSealer(secret?: Uint8Array): RequestStateSealer {
  if (secret !== undefined && secret.length < leastSecret) {
    throw new DefinitionError(`requestStateSecret must have at least ${leastSecret} bytes, and has ${secret.length}`)
  }
  let key: ReturnType<typeof crypto.subtle.importKey> | undefined
  const keyOnce = () => {
    const bytes = secret ?? crypto.getRandomValues(new Uint8Array(32))
    key ??= crypto.subtle.importKey('raw', bytes.slice(), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
    return key
  }
  return {
    async seal(state) {
      const body = encoder.encode(JSON.stringify(state))
      const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOnce(), body))
      return `${toBase64(body)}.${toBase64(signature)}`
    },
    async open(sealed) {
      const [body, signature, ...more] = sealed.length > longestState ? [] : sealed.split('.')
      const bytes = fromBase64(body)
      const claimed = fromBase64(signature)
      if (bytes === undefined || claimed === undefined || more.length > 0) return undefined
      if (!(await crypto.subtle.verify('HMAC', await keyOnce(), claimed, bytes))) return undefined
      const state: unknown = JSON.parse(decoder.decode(bytes))
      return isObject(state) ? state : undefined
    },
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function fromBase64(text: string | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (text === undefined) return undefined
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
