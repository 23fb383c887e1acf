import type { ToolResult } from './content.ts'
import { isObject, toJson } from './json.ts'

// The two usual answers of tools, which are sealed without a tree of objects.

/**
 * How a structured value stands in a result: as it is, as an object (in the handshake revisions, where another value is
 * wrapped as `result`), or wrapped in any case, as its schema is in their list.
 */
export type OutputForm = 'any' | 'object' | 'wrapped'

/** The answer of a tool that is nothing but a text. */
export class PlainText {
  readonly text: string
  #members: string | undefined = undefined

  constructor(text: string) {
    this.text = text
  }

  /** The members of its result as JSON, without the braces around them. */
  members(): string {
    this.#members ??= `"content":[${textBlock(this.text)}]`
    return this.#members
  }
}

/** The answer of a tool with a structured value. The value stands in the content as JSON too: it is written once for both. */
export class StructuredAnswer {
  readonly structuredContent: unknown
  /** What the model is told beside it, in further texts. */
  readonly remarks: readonly string[]
  #json: string | undefined = undefined

  constructor(structuredContent: unknown, remarks: readonly string[] = none) {
    this.structuredContent = structuredContent
    this.remarks = remarks
  }

  /**
   * The value as JSON.
   *
   * @throws what `JSON.stringify` throws, and TypeError for what JSON has no word for
   */
  get json(): string {
    this.#json ??= toJson(this.structuredContent)
    return this.#json
  }

  /** The members of its result as JSON, without the braces around them. */
  members(form: OutputForm): string {
    let content = textBlock(this.json)
    for (const remark of this.remarks) content += `,${textBlock(remark)}`
    const isWrapped = form === 'wrapped' || (form === 'object' && !isObject(this.structuredContent))
    return `"content":[${content}],"structuredContent":${isWrapped ? `{"result":${this.json}}` : this.json}`
  }
}

/** Whether a value is a whole result of a tool, in the words of MCP. */
export function isToolResult(value: unknown): value is ToolResult {
  return isObject(value) && Array.isArray(value.content)
}

function textBlock(text: string): string {
  return `{"type":"text","text":${toJson(text)}}`
}

const none: readonly string[] = []
