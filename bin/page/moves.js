import { headerValue, Lost } from './mcp.js'
import { answersTo } from './questions.js'

/**
 * @typedef {{done?: number, total?: number, text: string}} Progress
 * @typedef {{content?: {type: string, text?: string}[], structuredContent?: any, isError?: boolean}} ToolResult
 * @typedef {{signal: AbortSignal, onProgress: (progress: Progress) => void}} MoveOptions
 */

/** A move was broken off, as the person wanted. */
export class Cancelled extends Error {}

/** So many moves keep a connection each; a browser has six to one server, and the stop button needs one. */
const streamsAtOnce = 3
let streams = 0
/** @type {(() => void)[]} */
const waiting = []

/**
 * Calls a tool and sees it through: its questions, its progress, and the task that it may become.
 *
 * @param {import('./mcp.js').McpClient} client
 * @param {import('./live.js').BoardTool} tool
 * @param {Record<string, unknown>} args
 * @param {MoveOptions} options `signal` breaks the move off
 * @returns {Promise<ToolResult>}
 * @throws Cancelled when it was broken off, Lost when nobody knows how it ended
 */
export async function move(client, tool, args, options) {
  const { signal, onProgress } = options
  const headers = mirrored(tool.inputSchema, args)
  /** @type {Record<string, unknown>} */
  let answers = {}
  for (;;) {
    const result = await inTurn(options, () =>
      client.request(
        'tools/call',
        { name: tool.name, arguments: args, ...answers },
        {
          signal,
          headers,
          onNotification: ({ method, params }) => {
            if (method !== 'notifications/progress') return
            onProgress({ done: params.progress, total: params.total, text: params.message ?? '' })
          },
        },
      ),
    )
    if (result.resultType === 'task') return followTask(client, result, options)
    if (result.resultType !== 'input_required') return result
    const inputResponses = await answersTo(result.inputRequests ?? {}, signal)
    if (signal.aborted) throw new Cancelled()
    answers = { inputResponses, ...(result.requestState !== undefined && { requestState: result.requestState }) }
  }
}

/**
 * @param {MoveOptions} options
 * @param {() => Promise<any>} send
 */
async function inTurn({ signal, onProgress }, send) {
  if (streams >= streamsAtOnce) {
    onProgress({ text: 'Waits for another move of yours to end' })
    await /** @type {Promise<void>} */ (new Promise(resolve => waiting.push(resolve)))
  }
  streams++
  try {
    signal.throwIfAborted()
    return await send()
  } catch (thrown) {
    throw signal.aborted ? new Cancelled() : thrown
  } finally {
    streams--
    waiting.shift()?.()
  }
}

/**
 * Polls a task until it is over.
 *
 * @param {import('./mcp.js').McpClient} client
 * @param {any} task its handle
 * @param {MoveOptions} options
 * @returns {Promise<ToolResult>}
 */
async function followTask(client, task, { signal, onProgress }) {
  const { taskId } = task
  const cancel = () => client.request('tasks/cancel', { taskId }, { timeoutMs: 10_000 }).catch(() => {})
  if (signal.aborted) await cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  /** Questions that were answered are not asked again. @type {Set<string>} */
  const answered = new Set()
  let now = task
  try {
    for (let failures = 0; ; ) {
      await pause(failures > 0 ? 2000 : (now.pollIntervalMs ?? 500))
      try {
        now = await client.request('tasks/get', { taskId }, { timeoutMs: 10_000 })
        failures = 0
      } catch (thrown) {
        // The task goes on without us; only when the server stays away is it lost to us.
        if (!(thrown instanceof Lost) || ++failures > 60) throw thrown
        onProgress({ text: 'The connection is lost; the move goes on' })
        continue
      }
      if (now.status === 'completed') return now.result
      if (now.status === 'failed') throw new Error(now.error?.message ?? 'It failed')
      if (now.status === 'cancelled') throw new Cancelled()
      onProgress({ text: now.statusMessage ?? '' })
      const open = Object.entries(now.inputRequests ?? {}).filter(([key]) => !answered.has(key))
      if (open.length === 0) continue
      for (const [key] of open) answered.add(key)
      const inputResponses = await answersTo(Object.fromEntries(open), signal)
      await client.request('tasks/update', { taskId, inputResponses }, { timeoutMs: 10_000 })
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/**
 * The arguments that the schema wants repeated in headers, by `x-mcp-header` (2026-07-28, streamable-http).
 *
 * @param {any} schema
 * @param {any} args
 * @returns {Record<string, string>}
 */
function mirrored(schema, args) {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).flatMap(([name, each]) => {
      const value = args?.[name]
      if (value === undefined || value === null) return []
      const header = each['x-mcp-header']
      const own = typeof header === 'string' ? [[`Mcp-Param-${header}`, headerValue(String(value))]] : []
      return [...own, ...Object.entries(mirrored(each, value))]
    }),
  )
}

/** @param {number} ms */
function pause(ms) {
  return new Promise(resolve => setTimeout(resolve, ms))
}
