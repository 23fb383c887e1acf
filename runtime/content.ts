/** Hints for whoever shows or uses a piece of content (MCP Annotations). */
export interface Annotations {
  audience?: readonly ('user' | 'assistant')[]
  /** From 0 (optional) to 1 (required). */
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

/** An image that stands for a thing in a user interface (MCP Icon): an `https:` or `data:` URI. */
export interface Icon {
  src: string
  mimeType?: string
  /** `48x48`, or `any`. */
  sizes?: readonly string[]
  theme?: 'light' | 'dark'
}

type Meta = { _meta?: Record<string, unknown> }

/** What stands behind a URI: text, or bytes in base64 (MCP ResourceContents). */
export type ResourceContents = { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) & Meta

/** A piece of a tool's or a prompt's answer (MCP ContentBlock). */
export type ContentBlock = (
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; title?: string; description?: string; mimeType?: string }
  | { type: 'resource'; resource: ResourceContents }
) & { annotations?: Annotations } & Meta

/** The whole answer of a tool (MCP CallToolResult). */
export interface ToolResult extends Meta {
  content: readonly ContentBlock[]
  /** Any JSON value that fits the tool's `outputSchema`. */
  structuredContent?: unknown
  isError?: boolean
}

/** One message of a prompt (MCP PromptMessage). */
export interface PromptMessage {
  role: 'user' | 'assistant'
  content: ContentBlock
}

/** Makes an answer of one text. */
export function text(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}

/** Makes a failure that the model can act on: what went wrong, and what would be right. */
export function toolError(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
