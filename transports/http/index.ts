export {
  AuthorizationError,
  type AuthorizationErrorCode,
  eitherAuthorizer,
  isExpired,
  type OAuthAuthorizer,
  type OAuthOptions,
  oauthAuthorizer,
  type Scopes,
  type StoredToken,
  scopes,
  type TokenAuthorizerOptions,
  type TokenFile,
  type TokenStore,
  type TokenUse,
  tokenAuthorizer,
  tokenFile,
} from './authorization/index.ts'
export type { Authorized, Authorizer, Refused } from './authorizer.ts'
export { type HttpServing, type HttpTransport, http, usualPort } from './http.ts'
export type { HttpLimits, HttpOptions, Page } from './options.ts'
