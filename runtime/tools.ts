import { type NeededAccess, suffices } from './access.ts'
import type { CallState } from './call-state.ts'
import { type ContentBlock, type ToolResult, text, toolError } from './content.ts'
import type { Tool } from './definitions.ts'
import { DefinitionError, diagnostic, ErrorCode, publicMessage, RefusedMove, RpcError } from './errors.ts'
import { isObject } from './json.ts'
import type { CallRecordOptions } from './recorded-call.ts'
import * as deferredRecord from './recorded-call.ts'
import { type Entry, Registry, said } from './registry.ts'
import type { Checked, CompiledSchema } from './schema/types.ts'
import { assertObjectRoot, compileSchema, noArguments } from './schema.ts'
import { type HandlerTable, taskSupport } from './table.ts'
import type { TaskSupport } from './tasks/task.ts'
import type { TaskCall } from './tasks/task-call.ts'
import type { TaskStore } from './tasks/task-store.ts'
import type { TaskTerms } from './tasks/terms.ts'
import { isThenable } from './thenable.ts'
import { isToolResult, PlainText, StructuredAnswer } from './tool-answer.ts'

interface ToolEntry extends Entry<Tool<any>> {
  readonly name: string
  readonly input: CompiledSchema
  readonly output: CompiledSchema | undefined
  /** The structured answer need not be an object. */
  readonly anyOutput: boolean
  readonly access: NeededAccess
  readonly task: TaskSupport
  /** The last answer, where it was a short text: most tools of hardware say the same few words. */
  lastText: PlainText | undefined
  /** The arguments as they are recorded. */
  readonly recorded: (given: unknown) => unknown
}

/** A call that runs: in its request, or by itself as a task. */
type Running = CallState | TaskCall

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/
const taskSupports: readonly TaskSupport[] = ['never', 'optional', 'required']

/** The tools of a server and the methods that serve them. */
export interface ToolFeature {
  readonly registry: Registry<Tool<any>, ToolEntry>
  readonly methods: HandlerTable
}

/** What the tool feature needs of the server. */
export interface ToolFeatureOptions {
  /** Called whenever the list is another one. */
  readonly changed: () => void
  readonly maxMessageBytes: number
  readonly diagnose: (text: string) => void
  readonly tasks: () => TaskStore
  /** Whether the operator lets anybody use this tool, if it acts. */
  readonly isAllowed: (name: string) => boolean
  /** Where calls are recorded; nothing when they are not. */
  readonly record: CallRecordOptions | undefined
}

/** Makes the tool feature. */
export function toolFeature(options: ToolFeatureOptions): ToolFeature {
  const { changed, maxMessageBytes, isAllowed, record } = options
  const compile = (name: string, definition: Tool<any>): ToolEntry => {
    const entry = compileTool(name, definition, record !== undefined)
    return entry.access === 'read' || isAllowed(name) ? entry : { ...entry, access: 'nobody' }
  }
  const registry = new Registry<Tool<any>, ToolEntry>('tools', compile, changed, maxMessageBytes)
  return {
    registry,
    methods: {
      'tools/list': ({ cursor }, call) => registry.page(cursor, call.outlet.access),
      'tools/call': (params, call) => callTool(registry, params, call, options),
    },
  }
}

function compileTool(name: string, definition: Tool<any>, isRecorded: boolean): ToolEntry {
  if (!namePattern.test(name)) {
    throw new DefinitionError(`tool "${name}": a name has 1 to 128 of the characters A-Z a-z 0-9 _ . -`)
  }
  if (typeof definition?.call !== 'function') throw new DefinitionError(`tool "${name}" lacks its function call(args)`)
  const { title, description, inputSchema = noArguments, outputSchema, annotations, icons, _meta } = definition
  const { task = 'never' } = definition
  if (!taskSupports.includes(task)) {
    throw new DefinitionError(`tool "${name}": task is one of ${taskSupports.join(', ')}, not "${String(task)}"`)
  }
  const input = compileSchema(inputSchema, `inputSchema of tool "${name}"`)
  assertObjectRoot(input.json, `inputSchema of tool "${name}"`)
  const output =
    outputSchema === undefined ? undefined : compileSchema(outputSchema, `outputSchema of tool "${name}"`, 'output')
  const listed = said({
    name,
    title,
    description,
    inputSchema: input.json,
    outputSchema: output?.json,
    annotations,
    icons,
    _meta,
  })
  if (task !== 'never') Object.assign(listed, { [taskSupport]: task })
  const anyOutput = output !== undefined && output.json.type !== 'object'
  // Silence means that it acts: what nobody called harmless is not for those who may only look.
  const access = definition.access ?? (annotations?.readOnlyHint === true ? 'read' : 'act')
  const slackBytes = slackOf(input, output, anyOutput) + (task === 'never' ? 0 : taskBytes)
  const recorded = isRecorded ? deferredRecord.argumentsRecorder(input.json) : asTheyCame
  return { name, definition, listed, input, output, anyOutput, access, task, slackBytes, lastText: undefined, recorded }
}

const longestKeptText = 200

const asTheyCame = (given: unknown) => given

/** What a listed tool that may be a task takes more in the list of 2025-11-25. */
const taskBytes = 40

/** The handshake revisions list an output that need not be an object as `{ result }`, and write `false` as a schema. */
function slackOf(input: CompiledSchema, output: CompiledSchema | undefined, anyOutput: boolean): number {
  const properties = [input, output].flatMap(schema => Object.values(schema?.json.properties ?? {}))
  return (anyOutput ? 80 : 0) + 5 * properties.filter(property => property === false).length
}

function callTool(
  registry: ToolFeature['registry'],
  params: Record<string, unknown>,
  call: CallState,
  options: ToolFeatureOptions,
): unknown {
  const { name, arguments: given = noneGiven } = params
  if (typeof name !== 'string') throw new RpcError(ErrorCode.InvalidParams, 'name must be a string: the name of a tool')
  const entry = registry.entry(name)
  if (entry === undefined) throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 128)}`)
  if (!isObject(given)) throw new RpcError(ErrorCode.InvalidParams, 'arguments must be an object')
  const mayCall = suffices(call.outlet.access, entry.access)
  const isPlain = entry.task === 'never' && params.task === undefined
  call.anyOutput = entry.anyOutput
  // The usual call makes nothing on its way to the handler.
  if (mayCall && isPlain && options.record === undefined && entry.input.fits(given)) {
    return runTool(entry, given, call, options)
  }
  const request: Request = { entry, given, options }
  if (!mayCall) return refusedAccess(request, call)
  const terms = isPlain ? undefined : call.dialect.taskTerms(call, params, entry)
  const checked = entry.input.check(given)
  if (terms !== undefined) return runAsTask(request, checked, call, terms)
  return checked instanceof Promise ? runOnceChecked(request, checked, call) : runChecked(request, checked, call)
}

function refusedAccess(request: Request, call: CallState): unknown {
  return recorded(request, call, () => refused(call, noAccess(request.entry)))
}

async function runOnceChecked(request: Request, checking: Promise<Checked>, call: CallState): Promise<unknown> {
  return runChecked(request, await checking, call)
}

/** What a call is about, and what serves it. */
interface Request {
  readonly entry: ToolEntry
  readonly given: Record<string, unknown>
  readonly options: ToolFeatureOptions
}

function recorded({ entry, given, options: { record } }: Request, call: Running, run: () => unknown): unknown {
  if (record === undefined) return run()
  const tool = { name: entry.name, moves: entry.access !== 'read', arguments: entry.recorded(given) }
  return deferredRecord.recordCall(record, tool, call, run)
}

function refused(call: Running, why: string): ToolResult {
  call.thrown = new RefusedMove('access', why)
  return toolError(why)
}

function noAccess({ name, access }: ToolEntry): string {
  if (access === 'nobody') return `Nothing was done: whoever runs this server does not allow ${name}.`
  return access === 'person'
    ? `Nothing was done: ${name} is for a person only, who works it by a page or a command.`
    : `Nothing was done: ${name} works hardware, and this client may only read.`
}

const noneGiven: Record<string, unknown> = Object.freeze({})

/** The answer is a task, once nothing has to be asked before it begins. */
async function runAsTask(
  request: Request,
  checking: Checked | Promise<Checked>,
  call: CallState,
  terms: TaskTerms,
): Promise<unknown> {
  const { entry, options } = request
  const checked = await checking
  let asked: Asked | undefined
  if (checked.ok && terms.asksFirst && entry.definition.ask !== undefined) {
    try {
      asked = await askFirst(entry.definition, checked.value, call)
    } catch (thrown) {
      return failed(entry, thrown, call, options)
    }
  }
  return options.tasks().prepare(call, terms, taskCall => runChecked(request, checked, taskCall, asked))
}

/** What a tool's `ask` returned. */
interface Asked {
  readonly answer: unknown
}

async function askFirst(definition: Tool<any>, args: unknown, call: Running): Promise<Asked> {
  return { answer: await definition.ask?.(args, call) }
}

async function callAfterAsking(definition: Tool<any>, args: unknown, call: Running): Promise<unknown> {
  return definition.call(args, call, (await askFirst(definition, args, call)).answer)
}

function runChecked(request: Request, checked: Checked, call: Running, asked?: Asked): unknown {
  return request.options.record === undefined
    ? runFitting(request, checked, call, asked)
    : runRecorded(request, checked, call, asked)
}

function runRecorded(request: Request, checked: Checked, call: Running, asked: Asked | undefined): unknown {
  return recorded(request, call, () => runFitting(request, checked, call, asked))
}

function runFitting(request: Request, checked: Checked, call: Running, asked?: Asked): unknown {
  const { entry, options } = request
  if (checked.ok) return runTool(entry, checked.value, call, options, asked)
  return refused(call, `Nothing was done: the arguments of ${entry.name} do not fit. ${checked.problems.join('. ')}.`)
}

function runTool(entry: ToolEntry, args: unknown, call: Running, options: ToolFeatureOptions, asked?: Asked): unknown {
  const { definition } = entry
  try {
    const value =
      definition.ask === undefined || asked !== undefined
        ? definition.call(args, call, asked?.answer)
        : callAfterAsking(definition, args, call)
    return isThenable(value) ? runLong(entry, value, call, options) : finish(entry, value)
  } catch (thrown) {
    return failed(entry, thrown, call, options)
  }
}

async function runLong(
  entry: ToolEntry,
  running: PromiseLike<unknown>,
  call: Running,
  options: ToolFeatureOptions,
): Promise<unknown> {
  let value: unknown
  try {
    value = await running
  } catch (thrown) {
    return failed(entry, thrown, call, options)
  }
  return finish(entry, value)
}

function failed(entry: ToolEntry, thrown: unknown, call: Running, { diagnose }: ToolFeatureOptions): ToolResult {
  if (thrown instanceof RpcError || call.questions !== undefined) throw thrown
  if (!call.cancelled) diagnose(`Tool ${entry.name} failed: ${diagnostic(thrown)}`)
  call.thrown = thrown
  return toolError(`${entry.name}: ${publicMessage(thrown)}`)
}

type Answer = PlainText | StructuredAnswer | ToolResult

function finish(entry: ToolEntry, value: unknown): Answer | Promise<Answer> {
  const { output } = entry
  if (output === undefined) return typeof value === 'string' ? asText(entry, value) : asToolResult(entry, value)
  const answer = asStructured(entry, value)
  if (!(answer instanceof StructuredAnswer)) {
    if (answer.isError === true) return answer
    if (answer.structuredContent === undefined) {
      return toolError(`${entry.name} answered without the structured value that it promises`)
    }
  }
  const checked = output.check(answer.structuredContent)
  return checked instanceof Promise ? fittingOnceChecked(entry, answer, checked) : fitting(entry, answer, checked)
}

async function fittingOnceChecked(entry: ToolEntry, answer: Answer, checking: Promise<Checked>): Promise<Answer> {
  return fitting(entry, answer, await checking)
}

function fitting(entry: ToolEntry, answer: Answer, checked: Checked): Answer {
  if (checked.ok) return answer
  return toolError(`${entry.name} answered with a value that is not what it promises: ${checked.problems.join('. ')}`)
}

function asText(entry: ToolEntry, value: string): PlainText {
  if (entry.lastText?.text === value) return entry.lastText
  const answer = new PlainText(value)
  if (value.length <= longestKeptText) entry.lastText = answer
  return answer
}

/** What a tool with an `outputSchema` answered. */
function asStructured(entry: ToolEntry, value: unknown): StructuredAnswer | ToolResult {
  if (isToolResult(value)) return withContent(entry, value)
  const answer = value instanceof StructuredAnswer ? value : new StructuredAnswer(value)
  jsonOf(entry, answer)
  return answer
}

function asToolResult(entry: ToolEntry, value: unknown): ToolResult {
  if (isToolResult(value)) return withContent(entry, value)
  if (value === undefined) return { content: [] }
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value) && value.every(isBlock)) return { content: value }
  return text(jsonOf(entry, new StructuredAnswer(value)))
}

function withContent(entry: ToolEntry, result: ToolResult): ToolResult {
  return result.structuredContent !== undefined && result.content.length === 0
    ? { ...result, ...text(jsonOf(entry, new StructuredAnswer(result.structuredContent))) }
    : result
}

function jsonOf(entry: ToolEntry, answer: StructuredAnswer): string {
  try {
    return answer.json
  } catch (thrown) {
    throw notJson(entry, thrown)
  }
}

function notJson(entry: ToolEntry, thrown: unknown): RpcError {
  const why = thrown instanceof Error ? thrown.message.split('\n')[0] : 'it cannot be written'
  return new RpcError(ErrorCode.InternalError, `${entry.name} answered with a value that is no JSON: ${why}`)
}

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value.type === 'string'
}
