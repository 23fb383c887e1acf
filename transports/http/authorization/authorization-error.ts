/**
 * Why nobody can be let in:
 * `options` something was given that cannot be, `token-file` the file of tokens cannot be used, `name` a token of that
 * name is there already, or is not, `issuer` the authorization server does not answer or says something else than was
 * given, `no-library` the package `jose` is not installed.
 */
export type AuthorizationErrorCode = 'options' | 'token-file' | 'name' | 'issuer' | 'no-library'

/** Something that the operator has to put right. The message says what, and what to do. It never holds a token. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError'
  readonly code: AuthorizationErrorCode

  constructor(code: AuthorizationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
