/** The official SDK of the handshake era calls tools as tasks (2025-11-25), over HTTP and over stdio. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { projectDir } from './child.ts'
import { serveConformance } from './conformance/fixture.ts'

/** Connects the official client, which says yes to whatever it is asked. */
async function connected(transport: Transport) {
  const asked: any[] = []
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params)
    return { action: 'accept', content: { confirm: true, name: 'Alice' } }
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  // It learns here which tools may be tasks.
  await client.listTools()
  /** Calls a tool as a task, and keeps what the client makes of it. */
  const call = async (name: string, args: object = {}) => {
    const heard: any[] = []
    const params = { name, arguments: { ...args } }
    for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: {} })) {
      heard.push(message)
    }
    return { heard, kinds: [...new Set(heard.map(({ type }) => type))], last: heard.at(-1) }
  }
  return { client, asked, call }
}

const transports: [string, () => Promise<Transport>][] = [
  [
    'HTTP',
    async () => {
      const serving = await serveConformance(0)
      onTestFinished(() => serving.close())
      return new StreamableHTTPClientTransport(new URL(serving.url)) as Transport
    },
  ],
  [
    'stdio',
    async () =>
      new StdioClientTransport({
        command: process.execPath,
        args: ['--import', 'tsx', 'test/conformance/stdio.ts'],
        cwd: projectDir,
        stderr: 'ignore',
      }),
  ],
]

describe.each(transports)('tasks of 2025-11-25 over %s', (_name, open) => {
  it('a tool that takes a while comes to its result', async () => {
    const { call } = await connected(await open())
    const { kinds, last } = await call('slow_compute', { seconds: 0.2, label: 'tides' })
    expect(kinds).toEqual(['taskCreated', 'taskStatus', 'result'])
    expect(last.result.content).toEqual([{ type: 'text', text: 'Computed tides in 0.2 s' }])
  })

  it('a tool that asks in between is answered by the person', async () => {
    const { call, asked } = await connected(await open())
    const { last } = await call('confirm_delete', { filename: 'old.log' })
    expect(last.result.content[0].text).toBe('Deleted old.log')
    expect(asked).toMatchObject([{ message: 'Really delete old.log?', _meta: { [related]: expect.anything() } }])
  })

  it('a tool that fails, and one that ends in an error of the protocol', async () => {
    const { client, call } = await connected(await open())
    const { tasks } = client.experimental
    const failed = await call('failing_job')
    // This client tells any failed task as an error; what it failed with is in its result.
    expect(failed.last.type).toBe('error')
    const result = await tasks.getTaskResult(failed.heard[0].task.taskId, CallToolResultSchema)
    expect(result).toMatchObject({ isError: true, content: [{ text: 'failing_job: This job always fails' }] })
    const ended = await call('protocol_error_job')
    expect(ended.last.type).toBe('error')
    await expect(tasks.getTaskResult(ended.heard[0].task.taskId, CallToolResultSchema)).rejects.toMatchObject({
      code: -32603,
    })
  })

  it('is cancelled', async () => {
    const { client } = await connected(await open())
    const { tasks } = client.experimental
    for await (const message of tasks.callToolStream(
      { name: 'slow_compute', arguments: { seconds: 60 } },
      CallToolResultSchema,
      { task: {} },
    )) {
      if (message.type !== 'taskCreated') continue
      const { taskId } = message.task
      expect(await tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' })
      expect(await tasks.getTask(taskId)).toMatchObject({ status: 'cancelled' })
      expect((await tasks.listTasks()).tasks).toMatchObject([{ taskId, status: 'cancelled' }])
      break
    }
  })
})

const related = 'io.modelcontextprotocol/related-task'
