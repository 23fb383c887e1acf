import type { CallState } from './call-state.ts'
import type { ResourceContents } from './content.ts'
import type { Resource, ResourceReturn, ResourceTemplate } from './definitions.ts'
import { DefinitionError, ErrorCode, RpcError } from './errors.ts'
import { isObject, toBase64 } from './json.ts'
import { type Entry, Registry, said } from './registry.ts'
import type { HandlerTable } from './table.ts'
import type { UriTemplate } from './uri-template.ts'
import * as deferredTemplates from './uri-template.ts'

interface TemplateEntry extends Entry<ResourceTemplate> {
  readonly template: UriTemplate
}

/** The resources and resource templates of a server and the methods that serve them. */
export interface ResourceFeature {
  readonly resources: Registry<Resource>
  readonly templates: Registry<ResourceTemplate, TemplateEntry>
  readonly methods: HandlerTable
  /** Whether a resource or a template has this URI. */
  knows(uri: string): boolean
  /** Whether any template suggests values for its variables. */
  completes(): boolean
  /** Begins to watch what has this URI, where it has a source of changes. Returns what ends it. */
  watch(uri: string, changed: () => void): (() => void) | undefined
}

/** Makes the resource feature; `changed` is called whenever one of the lists is another one. */
export function resourceFeature(changed: () => void, maxMessageBytes: number): ResourceFeature {
  const resources = new Registry<Resource>('resources', compileResource, changed, maxMessageBytes)
  const templates = new Registry<ResourceTemplate, TemplateEntry>(
    'resourceTemplates',
    compileTemplate,
    changed,
    maxMessageBytes,
  )
  return {
    resources,
    templates,
    knows: uri => resources.has(uri) || matching(templates, uri) !== undefined,
    completes: () => {
      for (const { definition } of templates.entries()) {
        if (Object.keys(definition.complete ?? {}).length > 0) return true
      }
      return false
    },
    watch: (uri, changed) =>
      resources.has(uri)
        ? resources.get(uri)?.watch?.(changed)
        : matching(templates, uri)?.entry.definition.watch?.(uri, changed),
    methods: {
      'resources/list': ({ cursor }) => resources.page(cursor),
      'resources/templates/list': ({ cursor }) => templates.page(cursor),
      'resources/read': (params, call) => read(resources, templates, params, call),
    },
  }
}

/** The error for a URI under which there is nothing. */
export function resourceNotFound(uri: string): RpcError {
  return new RpcError(ErrorCode.ResourceNotFound, 'Resource not found', { uri })
}

function compileResource(uri: string, definition: Resource): Entry<Resource> {
  if (!isUri(uri))
    throw new DefinitionError(`resource "${uri}": this is no URI; it begins with a scheme, as in sensor://`)
  if (typeof definition?.read !== 'function') throw new DefinitionError(`resource "${uri}" lacks its function read()`)
  const { name = uri, title, description, mimeType, size, annotations, icons, _meta } = definition
  return { definition, listed: said({ uri, name, title, description, mimeType, size, annotations, icons, _meta }) }
}

function compileTemplate(uriTemplate: string, definition: ResourceTemplate): TemplateEntry {
  if (typeof definition?.read !== 'function') {
    throw new DefinitionError(`resource template "${uriTemplate}" lacks its function read(variables)`)
  }
  const template = deferredTemplates.compileUriTemplate(uriTemplate)
  for (const variable of Object.keys(definition.complete ?? {})) {
    if (!template.variables.includes(variable)) {
      throw new DefinitionError(`resource template "${uriTemplate}" completes "${variable}", which it does not have`)
    }
  }
  const { name = uriTemplate, title, description, mimeType, annotations, icons, _meta } = definition
  const listed = said({ uriTemplate, name, title, description, mimeType, annotations, icons, _meta })
  return { definition, listed, template }
}

function matching(
  templates: ResourceFeature['templates'],
  uri: string,
): { entry: TemplateEntry; variables: Record<string, string> } | undefined {
  for (const entry of templates.entries()) {
    const variables = entry.template.match(uri)
    if (variables !== undefined) return { entry, variables }
  }
  return undefined
}

function read(
  resources: ResourceFeature['resources'],
  templates: ResourceFeature['templates'],
  { uri }: Record<string, unknown>,
  call: CallState,
): unknown {
  if (typeof uri !== 'string')
    throw new RpcError(ErrorCode.InvalidParams, 'uri must be a string: the URI of a resource')
  const resource = resources.get(uri)
  if (resource !== undefined) return contentsOf(resource.read(uri, call), uri, resource)
  const match = matching(templates, uri)
  if (match === undefined) throw resourceNotFound(uri)
  const { definition } = match.entry
  return contentsOf(definition.read(match.variables, uri, call), uri, definition)
}

function contentsOf(
  value: ResourceReturn | Promise<ResourceReturn>,
  uri: string,
  definition: Resource | ResourceTemplate,
): unknown {
  if (value instanceof Promise) return value.then(settled => contentsOf(settled, uri, definition))
  const { mimeType, ttlMs = 0, cacheScope = 'private' } = definition
  const type = mimeType === undefined ? {} : { mimeType }
  let contents: readonly ResourceContents[]
  if (typeof value === 'string') contents = [{ uri, ...type, text: value }]
  else if (value instanceof Uint8Array) contents = [{ uri, ...type, blob: toBase64(value) }]
  else if (Array.isArray(value)) contents = value
  else if (isObject(value)) contents = [value as ResourceContents]
  else throw new RpcError(ErrorCode.InternalError, `Reading ${uri} gave nothing`)
  return { contents, ttlMs, cacheScope }
}

/** RFC 3986, section 3: a scheme, and no character that a URI cannot hold. */
function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`\u0000-\u001f]*$/.test(text)
}
