export type { Authorized, Authorizer, Refused } from './authorizer.ts'
export { type HttpServing, type HttpTransport, http, usualPort } from './http.ts'
export type { HttpLimits, HttpOptions, Page } from './options.ts'
