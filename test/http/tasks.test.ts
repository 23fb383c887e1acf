import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Call, createServer, tool } from '../../runtime/index.ts'
import { http } from '../../transports/http/index.ts'
import { capable } from '../memory-client.ts'

const meta = capable({ extensions: { 'io.modelcontextprotocol/tasks': {} }, roots: {} })

/** A server at a free port with a tool that asks for roots, and a client that posts. */
async function served(call: (args: any, call: Call) => unknown) {
  const server = createServer({ name: 'shed' }, { tools: { work: tool({ task: 'required', call }) } })
  const serving = await http({ port: 0 }).serve(server)
  onTestFinished(() => serving.close())
  let id = 0
  const post = async (
    method: string,
    params: Record<string, unknown>,
    name: unknown = params.taskId ?? params.name,
  ) => {
    const response = await fetch(serving.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        'Mcp-Name': `${name}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: meta } }),
    })
    return { status: response.status, message: (await response.json()) as any }
  }
  const task = async (taskId: string) => (await post('tasks/get', { taskId })).message.result
  const until = async (taskId: string, status: string) => {
    for (;;) {
      const now = await task(taskId)
      if (now.status === status) return now
      await delay(10)
    }
  }
  return { post, task, until }
}

describe('a task over HTTP (2026-07-28)', () => {
  it('begins with one request, and is polled, answered and done by others', async () => {
    const { post, until } = await served(async (_args, call) => `${(await call.roots('where')).length} roots`)
    const { message } = await post('tools/call', { name: 'work', arguments: {} })
    const { taskId, resultType } = message.result
    expect(resultType).toBe('task')
    expect((await until(taskId, 'input_required')).inputRequests).toEqual({ where: { method: 'roots/list' } })
    await post('tasks/update', { taskId, inputResponses: { where: { roots: [] } } })
    expect((await until(taskId, 'completed')).result.content[0].text).toBe('0 roots')
  })

  it('is cancelled by another request', async () => {
    const { post, until } = await served(
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const { taskId } = (await post('tools/call', { name: 'work' })).message.result
    expect((await post('tasks/cancel', { taskId })).message.result.resultType).toBe('complete')
    expect((await until(taskId, 'cancelled')).statusMessage).toBe('work: Cancelled by the client')
  })

  it('is named in a header too, and the two must agree', async () => {
    const { post } = await served(() => '')
    const { taskId } = (await post('tools/call', { name: 'work' })).message.result
    const { status, message } = await post('tasks/get', { taskId }, 'another')
    expect([status, message.error.code]).toEqual([400, -32020])
  })
})
