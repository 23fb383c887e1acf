import type { Access } from './access.ts'
import type { Call } from './call.ts'
import type { Annotations, ContentBlock, Icon, PromptMessage, ResourceContents, ToolResult } from './content.ts'
import type { ArgumentsOf, InputSchema } from './schema/types.ts'
import type { TaskSupport } from './tasks/task.ts'

/** What a tool says of itself (MCP ToolAnnotations). Left out means: not read-only, destructive, not idempotent, open world. */
export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** A tool of your own, beside the board's actuators. */
export interface Tool<S extends InputSchema = InputSchema, A = unknown> {
  title?: string
  description?: string
  /** The arguments: JSON Schema 2020-12 with an object at its root, or a Standard Schema. No arguments when left out. */
  inputSchema?: S
  /** What the tool's structured answer looks like: JSON Schema, or a Standard Schema. */
  outputSchema?: InputSchema
  annotations?: ToolAnnotations
  /**
   * What a client must be allowed to find and call it. When left out: `read` for a tool with the `readOnlyHint`, `act` for
   * every other. `person` keeps it from the model.
   */
  access?: Access
  icons?: readonly Icon[]
  _meta?: Record<string, unknown>
  /**
   * Whether it may go on as a task, for work that takes minutes: the client gets a handle at once and polls it. `never`
   * when left out. `optional` is a task for clients that take tasks, and is answered in one piece for the others;
   * `required` is refused to the others before anything happens.
   */
  task?: TaskSupport
  /**
   * Asks what has to be known before anything begins. What it returns is the third argument of `call`. A client of
   * 2026-07-28 that has to answer repeats its request, and then this runs again, and not `call`.
   */
  ask?(args: ArgumentsOf<S>, call: Call): A | Promise<A>
  /**
   * Does the work. Called with arguments that fit the schema, and with what `ask` returned.
   *
   * Return a text, content blocks, or a whole {@link ToolResult}. With an `outputSchema`, return the structured value
   * itself (unless it has an array `content`: then wrap it as `{ content: [], structuredContent: value }`).
   * What it throws becomes a result with `isError`; an {@link RpcError} becomes a JSON-RPC error.
   */
  call(args: ArgumentsOf<S>, call: Call, asked: A): unknown
}

/** What `read` of a resource may return: a text, bytes, or contents with their own URI and type. */
export type ResourceReturn = string | Uint8Array | ResourceContents | readonly ResourceContents[]

interface ResourceFields {
  /** A short name for programs; the URI or template when left out. */
  name?: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  icons?: readonly Icon[]
  _meta?: Record<string, unknown>
  /** How long a client may take what it read for fresh, in milliseconds; 0 when left out. */
  ttlMs?: number
  /** `public` when the contents are the same for every client; `private` when left out. */
  cacheScope?: 'public' | 'private'
}

/** A resource under one URI. */
export interface Resource extends ResourceFields {
  /** The size of the contents in bytes, where known. */
  size?: number
  /** Reads it. Throw an error that says what failed and what to do. */
  read(uri: string, call: Call): ResourceReturn | Promise<ResourceReturn>
  /**
   * A source of changes. Called when the first client subscribes; it calls `changed` after each change, until the
   * function that it returned is called. Without it, tell of changes by `server.resourceUpdated(uri)`.
   */
  watch?(changed: () => void): () => void
}

/** Suggests values that begin with what was typed; at most 100 reach the client, the best first. */
export type Completer = (
  typed: string,
  others: Record<string, string>,
) => readonly string[] | Promise<readonly string[]>

/** Resources under a pattern of URIs (RFC 6570). */
export interface ResourceTemplate extends ResourceFields {
  /** Reads the resource with these variables; throw {@link resourceNotFound} when there is none. */
  read(variables: Record<string, string>, uri: string, call: Call): ResourceReturn | Promise<ResourceReturn>
  /** Suggestions for the variables. */
  complete?: Record<string, Completer>
  /** A source of changes of one of these resources, as a {@link Resource} may have one. */
  watch?(uri: string, changed: () => void): () => void
}

/** One argument of a prompt. All arguments of prompts are texts. */
export interface PromptArgument {
  title?: string
  description?: string
  required?: boolean
  complete?: Completer
}

type RequiredKeys<A> = { [K in keyof A]: A[K] extends { required: true } ? K : never }[keyof A]

/** The arguments that a prompt's `get` is given: those with `required: true` are always there. */
export type PromptArgumentsOf<A> = { [K in RequiredKeys<A>]: string } & { [K in keyof A]?: string }

/** A prompt: messages that a person picks from a menu. */
export interface Prompt<A extends Record<string, PromptArgument> = Record<string, PromptArgument>> {
  title?: string
  description?: string
  arguments?: A
  icons?: readonly Icon[]
  _meta?: Record<string, unknown>
  /** Makes the messages: a text of the user, content of the user, or whole messages. */
  get(args: PromptArgumentsOf<A>, call: Call): PromptReturn | Promise<PromptReturn>
}

/** What `get` of a prompt may return. */
export type PromptReturn =
  | string
  | ContentBlock
  | readonly PromptMessage[]
  | { description?: string; messages: readonly PromptMessage[]; _meta?: Record<string, unknown> }

/** What `call` of a tool may return when it has no `outputSchema`. */
export type ToolReturn = string | readonly ContentBlock[] | ToolResult | undefined

/** Returns its argument. Around a tool it lets TypeScript infer the arguments of `call` from `inputSchema`. */
export function tool<const S extends InputSchema, A = undefined>(definition: Tool<S, A>): Tool<S, A> {
  return definition
}

/** Returns its argument. Around a prompt it lets TypeScript infer the arguments of `get`. */
export function prompt<const A extends Record<string, PromptArgument>>(definition: Prompt<A>): Prompt<A> {
  return definition
}
