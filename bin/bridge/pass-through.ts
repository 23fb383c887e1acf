import { cleanText, cleanValue } from '../../boards/remote/index.ts'
import type { Listed, McpClient } from '../../runtime/client/index.ts'
import type { Feature, LogLevel, Registry, Server } from '../../runtime/index.ts'
import { DefinitionError } from '../../runtime/index.ts'
import { compileUriTemplate } from '../../runtime/uri-template.ts'
import { heldTool, type ToolHold } from './held-tool.ts'
import { toolChanges } from './list-changes.ts'
import { type OfferedUris, offeredName, offeredUris } from './names.ts'
import { offeredPrompt, offeredResource, offeredTemplate, offeredTool } from './offered.ts'

/** What a device listed, as it stands on the wire: what is kept of it to be served before it answers again. */
export interface DeviceLists {
  tools: Listed[]
  resources: Listed[]
  resourceTemplates: Listed[]
  prompts: Listed[]
  /** Whether the device suggests values for arguments. */
  completes: boolean
}

/** How a device is passed through. */
export interface PassThroughOptions {
  /** Stands before each name, where one server offers several devices. */
  prefix?: string
  /** What the device listed the last time: it is served until the device answers. */
  stored?: DeviceLists
  /** What the person who runs the bridge holds its tools to. */
  hold?: ToolHold
  /** Called with what the device lists, whenever it was read. */
  onLists?(lists: DeviceLists): void
  /** Called with what its tools are others in than the last time, a short text for each. */
  onChanges?(changes: readonly string[]): void
  diagnose(text: string): void
}

const features: readonly Feature[] = ['tools', 'resources', 'prompts']

/**
 * Offers what a device has as a server's own: its tools, resources, templates and prompts, its log messages and its
 * changes. The lists follow the device's. Returns what ends it and takes everything out again.
 *
 * It resolves when the lists are there: at once where they are stored or the device is away, and else when it has told
 * them. Lists that could not be read are read again when the device is met again.
 */
export async function passThrough(server: Server, client: McpClient, options: PassThroughOptions): Promise<() => void> {
  const offer = new Offer(server, client, options)
  await offer.begin()
  return () => offer.end()
}

class Offer {
  readonly #server: Server
  readonly #client: McpClient
  readonly #options: PassThroughOptions
  readonly #uris: OfferedUris
  readonly #lists: DeviceLists
  readonly #tools: Shelf
  readonly #resources: Shelf
  readonly #templates: Shelf
  readonly #prompts: Shelf
  /** What is being read, and whether it changed meanwhile. */
  readonly #reading = new Map<Feature, { isStale: boolean; done: Promise<void> }>()
  #unobserve: () => void = () => {}
  #forgetLogLevel: () => void = () => {}
  #logLevel: LogLevel | undefined = undefined
  #isOver = false

  constructor(server: Server, client: McpClient, options: PassThroughOptions) {
    this.#server = server
    this.#client = client
    this.#options = options
    this.#uris = offeredUris(options.prefix)
    this.#lists = options.stored ?? { tools: [], resources: [], resourceTemplates: [], prompts: [], completes: false }
    const { prefix, diagnose } = options
    const asName = (name: string, isTaken: (name: string) => boolean) => offeredName(name, prefix, isTaken)
    const asUri = (uri: string) => this.#uris.toHost(uri)
    this.#tools = new Shelf('tool', server.tools, 'name', asName, diagnose)
    this.#resources = new Shelf('resource', server.resources, 'uri', asUri, diagnose)
    this.#templates = new Shelf('resource template', server.resourceTemplates, 'uriTemplate', asUri, diagnose)
    this.#prompts = new Shelf('prompt', server.prompts, 'name', asName, diagnose)
  }

  async begin(): Promise<void> {
    if (this.#options.stored !== undefined) for (const feature of features) this.#show(feature)
    this.#unobserve = this.#client.observe({
      onConnected: () => void this.#readAll(),
      onListChanged: feature => void this.#read(feature),
      onResourceUpdated: uri => this.#server.resourceUpdated(this.#uris.toHost(uri)),
      onLog: (level: LogLevel, data, logger) =>
        this.#server.log(
          level,
          typeof data === 'string' ? cleanValue(data) : data,
          cleanText(logger ?? this.#client.deviceName),
        ),
    })
    const { onLogLevel } = this.#server
    const chosen = () => {
      onLogLevel()
      this.#chooseLogLevel()
    }
    this.#server.onLogLevel = chosen
    this.#forgetLogLevel = () => {
      if (this.#server.onLogLevel === chosen) this.#server.onLogLevel = onLogLevel
    }
    this.#chooseLogLevel()
    if (this.#client.session === undefined) return
    const read = this.#readAll()
    if (this.#options.stored === undefined) await read
  }

  end(): void {
    this.#isOver = true
    this.#unobserve()
    this.#forgetLogLevel()
    for (const shelf of [this.#tools, this.#resources, this.#templates, this.#prompts]) shelf.clear()
  }

  /** A device sends as much as the most curious host wants to hear; each host gets what it asked for. */
  #chooseLogLevel(): void {
    const { logLevel } = this.#server
    if (this.#isOver || logLevel === undefined || logLevel === this.#logLevel) return
    this.#logLevel = logLevel
    this.#client.setLogLevel(logLevel).catch(thrown => {
      this.#options.diagnose(`The log level was not set: ${thrown instanceof Error ? thrown.message : thrown}`)
    })
  }

  async #readAll(): Promise<void> {
    this.#lists.completes = this.#client.session?.capabilities.completions !== undefined
    await Promise.all(features.map(feature => this.#read(feature)))
  }

  /** Reads a list. What changes meanwhile is read once more after it. */
  #read(feature: Feature): Promise<void> {
    const running = this.#reading.get(feature)
    if (running !== undefined) {
      running.isStale = true
      return running.done
    }
    const reading = { isStale: true, done: Promise.resolve() }
    this.#reading.set(feature, reading)
    reading.done = this.#readWhileStale(feature, reading).finally(() => this.#reading.delete(feature))
    return reading.done
  }

  async #readWhileStale(feature: Feature, reading: { isStale: boolean }): Promise<void> {
    while (reading.isStale && !this.#isOver) {
      reading.isStale = false
      try {
        await this.#load(feature)
      } catch (thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown)
        this.#options.diagnose(`The ${feature} of ${this.#client.deviceName} could not be listed: ${why}`)
        return
      }
      if (this.#isOver) return
      this.#show(feature)
      this.#options.onLists?.(this.#lists)
    }
  }

  async #load(feature: Feature): Promise<void> {
    const client = this.#client
    if (feature === 'tools') this.#lists.tools = this.#compared(await client.listTools())
    else if (feature === 'prompts') this.#lists.prompts = await client.listPrompts()
    else {
      const [resources, templates] = await Promise.all([client.listResources(), this.#templatesOf(client)])
      this.#lists.resources = resources
      this.#lists.resourceTemplates = templates
    }
  }

  /** Whoever trusted the tools of a device trusted those that it had then. */
  #compared(tools: Listed[]): Listed[] {
    const changes = this.#lists.tools.length === 0 ? [] : toolChanges(this.#lists.tools, tools)
    if (changes.length > 0) {
      this.#options.onChanges?.(changes)
      this.#options.diagnose(
        `The tools of ${this.#client.deviceName} are others than the last time. ${changes.join('; ')}`,
      )
    }
    return tools
  }

  /** Small devices have resources and do not know that there are templates. */
  #templatesOf(client: McpClient): Promise<Listed[]> {
    return client.listResourceTemplates().catch(thrown => {
      if (thrown?.name === 'DeviceError') return []
      throw thrown
    })
  }

  #show(feature: Feature): void {
    const { completes, tools, resources, resourceTemplates, prompts } = this.#lists
    const { diagnose, hold } = this.#options
    const offered = { client: this.#client, uris: this.#uris, diagnose }
    if (feature === 'tools') {
      this.#tools.fill(tools, (listed, name) => {
        const tool = offeredTool(listed, offered)
        return hold === undefined ? tool : heldTool(name, String(listed.name), tool, hold)
      })
    }
    if (feature === 'prompts') this.#prompts.fill(prompts, listed => offeredPrompt(listed, completes, offered))
    if (feature === 'resources') {
      this.#resources.fill(resources, listed => offeredResource(listed, offered))
      this.#templates.fill(resourceTemplates, listed => {
        const { variables } = compileUriTemplate(this.#uris.toHost(String(listed.uriTemplate)))
        return offeredTemplate(listed, variables, completes, offered)
      })
    }
  }
}

/** What one list of the device put into one registry of the server. */
class Shelf {
  readonly #kind: string
  readonly #registry: Registry<any>
  readonly #key: string
  readonly #offeredAs: (own: string, isTaken: (key: string) => boolean) => string
  readonly #diagnose: (text: string) => void
  /** How things are offered, by their own names. */
  #offered = new Map<string, string>()
  /** What was said, so that a list that is read again does not say it again. */
  readonly #said = new Set<string>()

  constructor(
    kind: string,
    registry: Registry<any>,
    key: string,
    offeredAs: (own: string, isTaken: (key: string) => boolean) => string,
    diagnose: (text: string) => void,
  ) {
    this.#kind = kind
    this.#registry = registry
    this.#key = key
    this.#offeredAs = offeredAs
    this.#diagnose = diagnose
  }

  /** Puts the list in the place of the last one. What cannot be offered is told and left out. */
  fill(items: readonly Listed[], define: (listed: Listed, offered: string) => unknown): void {
    const next = new Map<string, string>()
    const mine = new Set(this.#offered.values())
    const taken = new Set<string>()
    for (const listed of items) {
      const own = listed[this.#key]
      if (typeof own !== 'string' || next.has(own)) continue
      const shown = cleanText(own, 100)
      const offered = this.#offeredAs(own, key => taken.has(key) || (this.#registry.has(key) && !mine.has(key)))
      if (this.#registry.has(offered) && !mine.has(offered)) {
        this.#say(`The ${this.#kind} ${shown} is left out: there is another one of this name`)
        continue
      }
      try {
        this.#registry.set(offered, define(listed, offered))
      } catch (thrown) {
        if (!(thrown instanceof DefinitionError)) throw thrown
        this.#say(`The ${this.#kind} ${shown} is left out: ${cleanText(thrown.message)}`)
        continue
      }
      if (this.#key === 'name' && !offered.endsWith(own)) {
        this.#say(`The ${this.#kind} ${shown} is offered as ${offered}, a name that every host takes`)
      }
      taken.add(offered)
      next.set(own, offered)
    }
    for (const key of mine) if (!taken.has(key)) this.#registry.delete(key)
    this.#offered = next
  }

  clear(): void {
    for (const key of this.#offered.values()) this.#registry.delete(key)
    this.#offered.clear()
  }

  #say(text: string): void {
    if (this.#said.has(text) || this.#said.size > 1000) return
    this.#said.add(text)
    this.#diagnose(text)
  }
}
