import { expect, it } from 'vitest'
import { createServer, type Tool } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'

/** A server for a device that nobody has seen yet. */
function stranger() {
  let settle: () => void = () => {}
  let known: Promise<void> | undefined = new Promise<void>(resolve => {
    settle = resolve
  })
  const server = createServer({ name: 'stranger' }, { untilKnown: () => known })
  const client = new TestClient(server)
  const learn = (tools: Record<string, Tool>) => {
    for (const [name, tool] of Object.entries(tools)) server.tools.set(name, tool)
    known = undefined
    settle()
  }
  return { client, learn }
}

it('a server that knows its device only later greets at once, and lists when it knows', async () => {
  const { client, learn } = stranger()
  const { capabilities } = await client.initialize()
  expect(capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} })
  const listed = client.request('tools/list')
  const called = client.callTool('echo')
  expect(client.heard).toHaveLength(1)
  learn({ echo: { call: () => 'here' } })
  expect((await listed).result.tools.map((tool: any) => tool.name)).toEqual(['echo'])
  expect((await called).result.content[0].text).toBe('here')
})

it('a call that was cancelled before its device was known never runs', async () => {
  const { client, learn } = stranger()
  await client.initialize()
  client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo' } })
  client.notify('notifications/cancelled', { requestId: 7 })
  let ran = 0
  learn({ echo: { call: () => `${++ran}` } })
  await client.request('ping')
  expect((await client.callTool('echo')).result.content[0].text).toBe('1')
  expect(client.answers(7)).toEqual([])
})
