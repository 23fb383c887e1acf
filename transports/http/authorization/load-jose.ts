import { AuthorizationError } from './authorization-error.ts'

/** The package `jose`, as far as it is used here. */
export type Jose = typeof import('jose')

let loading: Promise<Jose> | undefined

/**
 * Loads the package that checks signed tokens (JOSE, RFC 7515 to 7519), when OAuth is used and not before.
 *
 * @throws AuthorizationError with code `no-library` when it is not installed
 */
export function loadJose(): Promise<Jose> {
  loading ??= import('jose').catch(thrown => {
    loading = undefined
    throw noJose(thrown)
  })
  return loading
}

/** What is said when the package cannot be loaded. */
export function noJose(thrown: unknown): AuthorizationError {
  const missing = (thrown as { code?: string } | null)?.code === 'ERR_MODULE_NOT_FOUND'
  const what = missing
    ? 'the package jose, which checks the tokens of OAuth, is not installed: run npm install jose'
    : `the package jose, which checks the tokens of OAuth, does not load: ${(thrown as Error)?.message ?? thrown}`
  return new AuthorizationError('no-library', what, { cause: thrown })
}
