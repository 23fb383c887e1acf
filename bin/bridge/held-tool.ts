import {
  type JsonSchema,
  type OperatorLimits,
  RefusedMove,
  type StandardSchemaV1,
  type Tool,
  type ToolResult,
} from '../../runtime/index.ts'
import { checkUse, narrowedSchema } from '../../runtime/operator-limits.ts'

/** What the tools of a device that speaks MCP itself are held to: it keeps its own rules, and knows nothing of these. */
export interface ToolHold {
  readonly limits: OperatorLimits
  /** Everything was stopped, and no person has armed it since. */
  stopped(): boolean
}

/** The tools by which a device is stopped and armed, as every server of this kind has them. */
export const stopTool = 'stop_all'
export const armTool = 'arm_outputs'

/**
 * A tool of a device within what the person who runs the bridge allows. One that says of itself that it only reads is left
 * as it is, and so is the way to stop.
 *
 * @param own the name that the device has for it
 */
export function heldTool(name: string, own: string, tool: Tool<any>, { limits, stopped }: ToolHold): Tool<any> {
  if (tool.annotations?.readOnlyHint === true || own === stopTool) return tool
  const { outputSchema, ...rest } = tool
  return {
    ...rest,
    ...(outputSchema !== undefined && limits.dryRun !== true && { outputSchema }),
    inputSchema: narrowedSchema(name, { inputSchema: tool.inputSchema } as never, limits) as Tool['inputSchema'] & {},
    async call(args, call, asked) {
      // A board that speaks MCP does not say which state is safe.
      checkUse(name, { safe: null }, args, limits)
      if (limits.dryRun === true) return dryRun(name, args)
      if (stopped() && own !== armTool) {
        throw new RefusedMove(
          'disarmed',
          'The outputs were stopped, and stay off until a person arms them: ferrule arm',
        )
      }
      return tool.call(args, call, asked)
    },
  }
}

/** An input schema as hosts see it. */
export function shownJson(schema: object): JsonSchema {
  const standard = (schema as Partial<StandardSchemaV1>)['~standard']
  return standard?.jsonSchema?.input({ target: 'draft-2020-12' }) ?? (schema as JsonSchema)
}

function dryRun(name: string, args: unknown): ToolResult {
  return {
    content: [
      { type: 'text', text: `Dry run: ${name} would be called with ${JSON.stringify(args)}. Nothing was done.` },
    ],
    structuredContent: { dryRun: true, tool: name },
  }
}
