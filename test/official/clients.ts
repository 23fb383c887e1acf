import * as v2 from '@modelcontextprotocol/client'
import { StdioClientTransport as V2Transport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as v1 from '@modelcontextprotocol/sdk/types.js'
import type { WireEra } from '../wire-schema.ts'

/** How a server is started. */
export interface Command {
  command: string
  args: string[]
  cwd: string
}

/** How the client answers what a server asks. */
export interface Answers {
  elicit(params: any): any
  sample(params: any): any
  roots(): any
}

export interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: any) => void
  /** Extra members of `params._meta`. */
  meta?: Record<string, unknown>
}

export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'

/** One official client, connected to a server: the same verbs for all of them. Results are as the client gives them. */
export interface OfficialClient {
  readonly answers: Answers
  readonly heard: Heard
  /** What went wrong outside of any request. */
  readonly errors: Error[]
  connect(command: Command): Promise<void>
  /** The same with a server at this URL. All requests go through `fetch`. */
  connectTo(url: URL, fetch: typeof globalThis.fetch): Promise<void>
  close(): Promise<void>
  about(): { info: any; capabilities: any; instructions: string | undefined; version: string | undefined }
  list(kind: ListKind): Promise<any[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<any>
  read(uri: string): Promise<any>
  prompt(name: string, args?: Record<string, string>): Promise<any>
  complete(params: any): Promise<string[]>
  /** Watches a resource, and the lists where the era wants to be asked for that. Resolves to the end of it. */
  watch(uri: string): Promise<() => Promise<unknown>>
  setLogLevel(level: v1.LoggingLevel): Promise<unknown>
  ping(): Promise<unknown>
  discover(): Promise<any>
}

/** A kind of client, and what it cannot do, with the reason. */
export interface ClientKind {
  readonly name: string
  readonly era: WireEra
  /** The revision that it speaks with this server. */
  readonly revision: string
  /** A client that can be asked everything, or one with these capabilities. */
  make(capabilities?: object): OfficialClient
  readonly cannot: Record<string, string>
}

const boundMs = 10_000

/** The notifications that came, and those to come. */
export class Heard {
  readonly #all: any[] = []
  readonly #waiting = new Set<() => void>()

  add(notification: any): void {
    this.#all.push(notification)
    for (const look of this.#waiting) look()
  }

  /** How many came so far: what comes later is after this mark. */
  get mark(): number {
    return this.#all.length
  }

  /** The first notification after the mark of which this is true. Fails after ten seconds, with what came instead. */
  next(what: string, isIt: (notification: any) => boolean, mark = 0): Promise<any> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.#all.slice(mark).find(isIt)
        if (found === undefined) return
        done()
        resolve(found)
      }
      const timer = setTimeout(() => {
        done()
        reject(new Error(`${what} never came; this did: ${JSON.stringify(this.#all.slice(mark))}`))
      }, boundMs)
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(look)
      }
      this.#waiting.add(look)
      look()
    })
  }
}

const identity = { name: 'ferrule-test', version: '1.0.0' }
const allCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }
const notifications = [
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/updated',
] as const

/** Answers of a patient person with a small model and one folder. */
function friendlyAnswers(): Answers {
  return {
    elicit: params =>
      params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'sage', sure: true } },
    sample: () => ({ role: 'assistant', model: 'small', content: { type: 'text', text: 'green, soft, quiet' } }),
    roots: () => ({ roots: [{ uri: 'file:///garden', name: 'Garden' }] }),
  }
}

function withMeta(params: any, meta: Record<string, unknown> | undefined): any {
  return meta === undefined ? params : { ...params, _meta: meta }
}

function requestOptions({ signal, onprogress }: CallOptions): any {
  return { ...(signal === undefined ? {} : { signal }), ...(onprogress === undefined ? {} : { onprogress }) }
}

function sdk2(options: v2.ClientOptions, capabilities: any = allCapabilities): OfficialClient {
  const client = new v2.Client(identity, { capabilities, ...options })
  const answers = friendlyAnswers()
  const heard = new Heard()
  const errors: Error[] = []
  client.onerror = error => errors.push(error)
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', async ({ params }) => answers.elicit(params))
  if (capabilities.sampling)
    client.setRequestHandler('sampling/createMessage', async ({ params }) => answers.sample(params))
  if (capabilities.roots) client.setRequestHandler('roots/list', async () => answers.roots())
  for (const method of notifications) client.setNotificationHandler(method, note => heard.add(note))
  // The client keeps what it has read for as long as the server says; here each read is to reach the server.
  const fresh = { cacheMode: 'refresh' } as const
  const lists: Record<ListKind, () => Promise<any[]>> = {
    tools: async () => (await client.listTools({}, fresh)).tools,
    resources: async () => (await client.listResources({}, fresh)).resources,
    resourceTemplates: async () => (await client.listResourceTemplates({}, fresh)).resourceTemplates,
    prompts: async () => (await client.listPrompts({}, fresh)).prompts,
  }
  return {
    answers,
    heard,
    errors,
    connect: ({ command, args, cwd }) => client.connect(new V2Transport({ command, args, cwd, stderr: 'ignore' })),
    connectTo: (url, fetch) => client.connect(new v2.StreamableHTTPClientTransport(url, { fetch })),
    close: () => client.close(),
    about: () => ({
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      version: client.getNegotiatedProtocolVersion(),
    }),
    list: kind => lists[kind](),
    call: (name, args = {}, options = {}) =>
      client.callTool(withMeta({ name, arguments: args }, options.meta), requestOptions(options)),
    read: uri => client.readResource({ uri }, fresh),
    prompt: (name, args) => client.getPrompt({ name, ...(args === undefined ? {} : { arguments: args }) }),
    complete: async params => (await client.complete(params)).completion.values,
    async watch(uri) {
      if (client.getProtocolEra() === 'modern') {
        const subscription = await client.listen({
          toolsListChanged: true,
          resourcesListChanged: true,
          promptsListChanged: true,
          resourceSubscriptions: [uri],
        })
        return () => subscription.close()
      }
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
    setLogLevel: level => client.setLoggingLevel(level),
    ping: () => client.ping(),
    discover: () => client.discover(),
  }
}

function sdk1(capabilities: any = allCapabilities): OfficialClient {
  const client = new V1Client(identity, { capabilities })
  const answers = friendlyAnswers()
  const heard = new Heard()
  const errors: Error[] = []
  client.onerror = error => errors.push(error)
  if (capabilities.elicitation)
    client.setRequestHandler(v1.ElicitRequestSchema, async ({ params }) => answers.elicit(params))
  if (capabilities.sampling)
    client.setRequestHandler(v1.CreateMessageRequestSchema, async ({ params }) => answers.sample(params))
  if (capabilities.roots) client.setRequestHandler(v1.ListRootsRequestSchema, async () => answers.roots())
  client.setNotificationHandler(v1.LoggingMessageNotificationSchema, note => heard.add(note))
  client.setNotificationHandler(v1.ToolListChangedNotificationSchema, note => heard.add(note))
  client.setNotificationHandler(v1.ResourceListChangedNotificationSchema, note => heard.add(note))
  client.setNotificationHandler(v1.PromptListChangedNotificationSchema, note => heard.add(note))
  client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, note => heard.add(note))
  const pages: Record<ListKind, (params: any) => Promise<any>> = {
    tools: params => client.listTools(params),
    resources: params => client.listResources(params),
    resourceTemplates: params => client.listResourceTemplates(params),
    prompts: params => client.listPrompts(params),
  }
  return {
    answers,
    heard,
    errors,
    connect: ({ command, args, cwd }) => client.connect(new V1Transport({ command, args, cwd, stderr: 'ignore' })),
    // Its types were made without `exactOptionalPropertyTypes`.
    connectTo: (url, fetch) => client.connect(new V1HttpTransport(url, { fetch }) as any),
    close: () => client.close(),
    about: () => ({
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      version: undefined,
    }),
    async list(kind) {
      const items: any[] = []
      let params: object = {}
      while (true) {
        const page = await pages[kind](params)
        items.push(...page[kind])
        if (page.nextCursor === undefined) return items
        params = { cursor: page.nextCursor }
      }
    },
    call: (name, args = {}, options = {}) =>
      client.callTool(withMeta({ name, arguments: args }, options.meta), undefined, requestOptions(options)),
    read: uri => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, ...(args === undefined ? {} : { arguments: args }) }),
    complete: async params => (await client.complete(params)).completion.values,
    async watch(uri) {
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
    setLogLevel: level => client.setLoggingLevel(level),
    ping: () => client.ping(),
    discover: () => Promise.reject(new Error('this client knows no server/discover')),
  }
}

const handshakeOnly = {
  'asks the server again what it can do': 'server/discover came with 2026-07-28',
  'hears of a call what it wants to hear': 'here the log level belongs to the connection, not to a call',
}
const statelessOnly = {
  'pings the server': '2026-07-28 has no ping',
  'chooses a log level for the connection': '2026-07-28 has no logging/setLevel: the level rides with each call',
}

const noForms = 'forms came with 2025-06-18'
const noPages = 'showing a page came with 2025-11-25'

/** A client that knows nothing newer than this revision of the handshake era. */
export function olderClient(revision: string): ClientKind {
  return {
    name: `@modelcontextprotocol/client of ${revision}`,
    era: 'legacy',
    revision,
    make: capabilities => sdk2({ supportedProtocolVersions: [revision] }, capabilities),
    cannot: {
      ...handshakeOnly,
      'lets a tool show its user a page': noPages,
      'answers several questions of one call': noPages,
      ...(revision >= '2025-06-18'
        ? {}
        : {
            'lets a tool ask its user to fill in a form': noForms,
            'tells a tool that its user declined or looked away': noForms,
            'is asked once more when a form was filled in wrongly': noForms,
            'answers a second question that depends on the first': noForms,
            'lets a resource and a prompt ask its user, too': noForms,
          }),
    },
  }
}

/** The official clients that are tried. */
export const clientKinds: readonly ClientKind[] = [
  {
    name: '@modelcontextprotocol/client that insists on 2026-07-28',
    era: 'modern',
    revision: '2026-07-28',
    make: capabilities => sdk2({ versionNegotiation: { mode: { pin: '2026-07-28' } } }, capabilities),
    cannot: statelessOnly,
  },
  {
    name: '@modelcontextprotocol/client that finds out by itself',
    era: 'modern',
    revision: '2026-07-28',
    make: capabilities => sdk2({ versionNegotiation: { mode: 'auto' } }, capabilities),
    cannot: statelessOnly,
  },
  {
    name: '@modelcontextprotocol/client with a handshake',
    era: 'legacy',
    revision: '2025-11-25',
    make: capabilities => sdk2({ versionNegotiation: { mode: 'legacy' } }, capabilities),
    cannot: handshakeOnly,
  },
  olderClient('2024-11-05'),
  {
    name: '@modelcontextprotocol/sdk 1.x',
    era: 'legacy',
    revision: '2025-11-25',
    make: sdk1,
    cannot: handshakeOnly,
  },
]
