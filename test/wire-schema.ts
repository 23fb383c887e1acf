/**
 * Checks what a server sends, line by line, against the official Zod schemas: those of `@modelcontextprotocol/core` for
 * both eras, and for the handshake era those of `@modelcontextprotocol/sdk` too, which are closer to its letter. What is
 * only said in the prose of 2026-07-28, and what these schemas forgive, is added below them.
 */
import * as core from '@modelcontextprotocol/core'
import * as sdk from '@modelcontextprotocol/sdk/types.js'
import {
  CreateTaskResultSchema,
  GetTaskResultSchema,
  TaskAcknowledgementSchema,
  TaskNotificationSchema,
} from './wire-schema-tasks.ts'

export type WireEra = 'modern' | 'legacy'

export interface WireContext {
  /** The era of the request that the line belongs to, or of the connection. */
  era: WireEra
  /** The revision that a handshake agreed on, where known: the older ones lack some kinds of content and questions. */
  revision?: string | undefined
  /** The method of the request that the line answers, when it is an answer. */
  requestMethod?: string | undefined
}

/** A line that does not fit; its message shows the line whole. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

interface Checker {
  safeParse(value: unknown): { success: true } | { success: false; error: { issues: readonly unknown[] } }
}

type Json = Record<string, any>

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const RELATED_TASK = 'io.modelcontextprotocol/related-task'

const neutralResults: Record<string, Checker> = {
  'tools/list': core.ListToolsResultSchema,
  'tools/call': core.CallToolResultSchema,
  'resources/list': core.ListResourcesResultSchema,
  'resources/templates/list': core.ListResourceTemplatesResultSchema,
  'resources/read': core.ReadResourceResultSchema,
  'prompts/list': core.ListPromptsResultSchema,
  'prompts/get': core.GetPromptResultSchema,
  'completion/complete': core.CompleteResultSchema,
}

const results: Record<WireEra, Record<string, Checker[]>> = {
  modern: {
    ...each(neutralResults),
    'server/discover': [core.DiscoverResultSchema],
    'subscriptions/listen': [core.SubscriptionsListenResultSchema],
    'tasks/get': [GetTaskResultSchema],
    'tasks/update': [TaskAcknowledgementSchema],
    'tasks/cancel': [TaskAcknowledgementSchema],
  },
  legacy: {
    ...each(neutralResults),
    initialize: [core.InitializeResultSchema, sdk.InitializeResultSchema],
    ping: [core.EmptyResultSchema],
    'logging/setLevel': [core.EmptyResultSchema],
    'resources/subscribe': [core.EmptyResultSchema],
    'resources/unsubscribe': [core.EmptyResultSchema],
    'tasks/get': [sdk.GetTaskResultSchema],
    'tasks/result': [sdk.GetTaskPayloadResultSchema, sdk.CallToolResultSchema],
    'tasks/list': [sdk.ListTasksResultSchema],
    'tasks/cancel': [sdk.CancelTaskResultSchema],
  },
}
results.legacy['tools/list']!.push(sdk.ListToolsResultSchema)
results.legacy['tools/call']!.push(sdk.CallToolResultSchema)
results.legacy['resources/list']!.push(sdk.ListResourcesResultSchema)
results.legacy['resources/templates/list']!.push(sdk.ListResourceTemplatesResultSchema)
results.legacy['resources/read']!.push(sdk.ReadResourceResultSchema)
results.legacy['prompts/list']!.push(sdk.ListPromptsResultSchema)
results.legacy['prompts/get']!.push(sdk.GetPromptResultSchema)
results.legacy['completion/complete']!.push(sdk.CompleteResultSchema)

const bothNotifications: Record<string, Checker> = {
  'notifications/cancelled': core.CancelledNotificationSchema,
  'notifications/progress': core.ProgressNotificationSchema,
  'notifications/message': core.LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': core.ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': core.PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': core.ResourceListChangedNotificationSchema,
  'notifications/resources/updated': core.ResourceUpdatedNotificationSchema,
}

const notifications: Record<WireEra, Record<string, Checker[]>> = {
  modern: {
    ...each(bothNotifications),
    'notifications/subscriptions/acknowledged': [core.SubscriptionsAcknowledgedNotificationSchema],
    'notifications/tasks': [TaskNotificationSchema],
  },
  legacy: {
    ...each(bothNotifications),
    'notifications/elicitation/complete': [sdk.ElicitationCompleteNotificationSchema],
    'notifications/tasks/status': [sdk.TaskStatusNotificationSchema],
  },
}

/** What a server may ask: as requests in the handshake era, inside `input_required` from 2026-07-28 on. */
const questions: Record<string, Checker[]> = {
  'elicitation/create': [core.ElicitRequestSchema, sdk.ElicitRequestSchema],
  'sampling/createMessage': [core.CreateMessageRequestSchema, sdk.CreateMessageRequestSchema],
  'roots/list': [core.ListRootsRequestSchema, sdk.ListRootsRequestSchema],
}

const cacheable = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
])
const mayAsk = new Set(['tools/call', 'prompts/get', 'resources/read'])
const onSubscriptions = new Set([
  'notifications/subscriptions/acknowledged',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tasks',
  'notifications/cancelled',
])
const errorCodes: Record<WireEra, Set<number>> = {
  modern: new Set([-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022]),
  legacy: new Set([-32700, -32600, -32601, -32602, -32603, -32002, -32042]),
}

/**
 * Checks one line of a server's output, without its newline.
 *
 * @throws WireError with the whole line and everything that is wrong with it
 */
export function checkServerLine(line: string, context: WireContext): void {
  const problems: string[] = []
  let message: any
  try {
    message = JSON.parse(line)
  } catch (error) {
    problems.push(`no JSON: ${(error as Error).message}`)
  }
  if (message !== undefined) checkMessage(message, context, problems)
  if (problems.length === 0) return
  const about = context.requestMethod === undefined ? '' : `, in answer to ${context.requestMethod}`
  throw new WireError(`A ${context.era} message${about} does not fit:\n- ${problems.join('\n- ')}\n${line}`)
}

function checkMessage(message: Json, { era, revision, requestMethod }: WireContext, problems: string[]): void {
  check(core.JSONRPCMessageSchema, message, 'JSON-RPC', problems)
  if (message === null || typeof message !== 'object' || Array.isArray(message)) return
  if (revision !== undefined) checkRevision(message, revision, problems)
  if (message.method !== undefined) {
    if (message.id === undefined) checkNotification(message, era, problems)
    else checkRequest(message, era, problems)
  } else if (message.error !== undefined) checkError(message.error, era, problems)
  else if (requestMethod === undefined) problems.push('it answers a request that nobody made')
  else checkResult(message.result, era, requestMethod, problems)
}

/** What came into the handshake era later than with this revision. */
function checkRevision({ method, params, result }: Json, revision: string, problems: string[]): void {
  if (method === 'elicitation/create' && revision < '2025-06-18') problems.push(`${revision} has no ${method}`)
  if (params?.mode === 'url' && revision < '2025-11-25') problems.push(`${revision} shows no pages`)
  const contents = [...(result?.content ?? []), ...(result?.messages ?? []).map(({ content }: Json) => content)]
  for (const { type } of contents) {
    if ((type === 'audio' && revision < '2025-03-26') || (type === 'resource_link' && revision < '2025-06-18')) {
      problems.push(`${revision} has no content of type ${type}`)
    }
  }
}

function checkRequest({ jsonrpc: _, id: __, ...request }: Json, era: WireEra, problems: string[]): void {
  if (era === 'modern') {
    problems.push('a server sends no requests in this era')
    return
  }
  if (request.method === 'ping') return
  checkQuestion(request, '', problems)
  if (request.params?.mode === 'url' && typeof request.params.elicitationId !== 'string') {
    problems.push('params.elicitationId is missing')
  }
}

function checkQuestion(request: Json, where: string, problems: string[]): void {
  const checkers = questions[request?.method]
  if (checkers === undefined) problems.push(`${where}a server cannot ask ${request?.method}`)
  else for (const checker of checkers) check(checker, request, `${where}${request.method}`, problems)
}

function checkNotification({ jsonrpc: _, ...notification }: Json, era: WireEra, problems: string[]): void {
  const { method, params } = notification
  const checkers = notifications[era][method]
  if (checkers === undefined) {
    problems.push(`a server does not send ${method} in this era`)
    return
  }
  for (const checker of checkers) check(checker, notification, method, problems)
  const id = params?._meta?.[SUBSCRIPTION_ID]
  if (era === 'legacy') {
    if (id !== undefined) problems.push(`params._meta["${SUBSCRIPTION_ID}"] does not belong to this era`)
    return
  }
  if (onSubscriptions.has(method) !== (id !== undefined)) {
    problems.push(`params._meta["${SUBSCRIPTION_ID}"] ${id === undefined ? 'is missing' : 'does not belong here'}`)
  } else if (id !== undefined) check(core.RequestIdSchema, id, SUBSCRIPTION_ID, problems)
}

function checkError({ code }: Json, era: WireEra, problems: string[]): void {
  // Codes of one's own lie outside of what JSON-RPC keeps for itself.
  if (code >= -32768 && code <= -32000 && !errorCodes[era].has(code)) {
    problems.push(`error code ${code} has no meaning in this era`)
  }
}

function checkResult(result: Json, era: WireEra, method: string, problems: string[]): void {
  const checkers = results[era][method]
  if (checkers === undefined) {
    problems.push(`${method} has no result in this era`)
    return
  }
  if (era === 'modern' && result?.resultType === 'input_required') return checkInputRequired(result, method, problems)
  if (method === 'tools/call' && (result?.resultType === 'task' || result?.task !== undefined)) {
    check(era === 'modern' ? CreateTaskResultSchema : sdk.CreateTaskResultSchema, result, 'a task', problems)
    if (era === 'modern') checkServerInfo(result, problems)
    return
  }
  for (const checker of checkers) check(checker, result, method, problems)
  if (era === 'modern') checkModernResult(result, method, problems)
  else {
    for (const member of ['resultType', 'ttlMs', 'cacheScope', 'pollIntervalMs']) {
      if (Object.hasOwn(result, member)) problems.push(`result.${member} does not belong to this era`)
    }
    if (result._meta?.[SERVER_INFO] !== undefined) problems.push(`_meta["${SERVER_INFO}"] does not belong to this era`)
  }
  if (method.startsWith('tasks/')) checkTaskResult(result, era, method, problems)
  // The schemas forgive a missing list of contents; the specification does not.
  if (method === 'tools/call' && !Array.isArray(result.content)) problems.push('result.content is missing')
}

function checkTaskResult(result: Json, era: WireEra, method: string, problems: string[]): void {
  for (const request of Object.values<Json>(result.inputRequests ?? {})) checkQuestion(request, '', problems)
  const isRelated = JSON.stringify(result._meta ?? result.result?._meta ?? {}).includes(RELATED_TASK)
  if (isRelated !== (era === 'legacy' && method === 'tasks/result')) {
    problems.push(`${RELATED_TASK} is ${isRelated ? 'there' : 'missing'}`)
  }
}

function checkModernResult(result: Json, method: string, problems: string[]): void {
  if (result.resultType !== 'complete') problems.push(`result.resultType is ${JSON.stringify(result.resultType)}`)
  checkServerInfo(result, problems)
  if (!cacheable.has(method)) {
    for (const member of method === 'tasks/get' ? ['cacheScope'] : ['ttlMs', 'cacheScope']) {
      if (Object.hasOwn(result, member)) problems.push(`result.${member} does not belong to ${method}`)
    }
    return
  }
  if (!Number.isInteger(result.ttlMs) || result.ttlMs < 0)
    problems.push('result.ttlMs must be a whole number from 0 on')
  if (!['public', 'private'].includes(result.cacheScope)) problems.push('result.cacheScope must be public or private')
}

function checkInputRequired(result: Json, method: string, problems: string[]): void {
  if (!mayAsk.has(method)) problems.push(`${method} cannot be answered by questions`)
  checkServerInfo(result, problems)
  const { inputRequests, requestState } = result
  if (inputRequests === undefined && requestState === undefined) {
    problems.push('one of inputRequests and requestState must be there')
  }
  if (requestState !== undefined && typeof requestState !== 'string') problems.push('requestState must be a string')
  for (const [key, request] of Object.entries<Json>(inputRequests ?? {})) {
    // The schemas want the identifier that a page had in the handshake era.
    const params = request.params?.mode === 'url' ? { elicitationId: '', ...request.params } : request.params
    checkQuestion({ ...request, params }, `inputRequests["${key}"]: `, problems)
    for (const member of ['jsonrpc', 'id']) {
      if (Object.hasOwn(request, member)) problems.push(`inputRequests["${key}"].${member} does not belong here`)
    }
    if (request.params?.elicitationId !== undefined) {
      problems.push(`inputRequests["${key}"].params.elicitationId does not belong to this era`)
    }
  }
  for (const member of ['ttlMs', 'cacheScope', 'content', 'contents', 'messages']) {
    if (Object.hasOwn(result, member)) problems.push(`result.${member} does not belong to input_required`)
  }
}

/** The specification says SHOULD; this server always does. */
function checkServerInfo(result: Json, problems: string[]): void {
  check(core.ImplementationSchema, result._meta?.[SERVER_INFO], `result._meta["${SERVER_INFO}"]`, problems)
}

function check(checker: Checker, value: unknown, what: string, problems: string[]): void {
  const outcome = checker.safeParse(value)
  if (!outcome.success) problems.push(`${what}: ${JSON.stringify(outcome.error.issues)}`)
}

function each(table: Record<string, Checker>): Record<string, Checker[]> {
  return Object.fromEntries(Object.entries(table).map(([method, checker]) => [method, [checker]]))
}
