import type { Scopes } from './scopes.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource is, for clients: the well-known path stands before the resource's own (RFC 9728, 3.1). */
export function metadataUrl(resource: URL): string {
  return resource.origin + metadataPath(resource)
}

function metadataPath({ pathname }: URL): string {
  return pathname === '/' ? wellKnown : `${wellKnown}${pathname}`
}

/** What clients are told about this server (RFC 9728, section 2). */
export interface ResourceMetadata {
  /** The address of the endpoint, as clients know it. */
  resource: string
  authorization_servers: [string]
  scopes_supported: string[]
  bearer_methods_supported: ['header']
  resource_name: string
}

/** The metadata of a resource as pages: at the path of the resource, and at the plain one, which clients try next. */
export function metadataPages(
  resource: URL,
  metadata: ResourceMetadata,
): Record<string, () => { type: string; body: string }> {
  const page = { type: 'application/json', body: JSON.stringify(metadata) }
  return { [wellKnown]: () => page, [metadataPath(resource)]: () => page }
}

/** The metadata of this server. */
export function resourceMetadata(resource: string, issuer: string, names: Scopes, name: string): ResourceMetadata {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [names.read, names.act],
    bearer_methods_supported: ['header'],
    resource_name: name,
  }
}
