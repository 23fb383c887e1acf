import { describe, expect, it } from 'vitest'
import { type Call, createServer, RpcError, tool } from '../../runtime/index.ts'
import { capable, modernMeta, TestClient } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { CheckedClient, TASKS, taskBench, withTasks } from './task-bench.ts'

const form = (name: string) =>
  ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }) as const
const accept = (content: object) => ({ action: 'accept', content })
const needed = { requiredCapabilities: { extensions: { [TASKS]: {} } } }
const iso = (ms: number) => new Date(ms).toISOString()

describe('a tool that may be a task (2026-07-28)', () => {
  it('is one for a client that takes tasks: a handle at once, and the outcome when it is there', async () => {
    const { client, begin, clock, gate } = taskBench(async (_args, call) => {
      await gate('done').pass(call.signal)
      return 'watered'
    })
    const began = clock.now()
    const handle = await begin()
    expect(handle).toEqual({
      resultType: 'task',
      _meta: expect.anything(),
      taskId: expect.stringMatching(/^[A-Za-z0-9_-]{24}$/),
      status: 'working',
      createdAt: iso(began),
      lastUpdatedAt: iso(began),
      ttlMs: null,
      pollIntervalMs: 500,
    })
    await clock.advance(20_000)
    expect(await client.task(handle.taskId)).toEqual({ ...handle, resultType: 'complete', pollIntervalMs: 2000 })
    gate('done').open()
    await settled()
    expect(await client.task(handle.taskId)).toEqual({
      resultType: 'complete',
      _meta: expect.anything(),
      taskId: handle.taskId,
      status: 'completed',
      createdAt: iso(began),
      lastUpdatedAt: iso(began + 20_000),
      ttlMs: 20_000 + 5 * 60_000,
      result: { resultType: 'complete', _meta: expect.anything(), content: [{ type: 'text', text: 'watered' }] },
    })
    client.check()
  })

  it('is found by its id in the very turn in which the handle comes', async () => {
    const { server } = taskBench(() => 'done')
    const client: TestClient = new TestClient(server)
    const found = client.next(({ id, result }) => {
      if (id === 'call')
        client.send({
          jsonrpc: '2.0',
          id: 'get',
          method: 'tasks/get',
          params: { taskId: result.taskId, _meta: withTasks },
        })
      return id === 'get'
    })
    client.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'work', _meta: withTasks } })
    expect((await found).result.status).toMatch(/working|completed/)
  })

  it('is answered in one piece for a client that does not take tasks', async () => {
    const { client } = taskBench(() => 'done')
    const answer = await client.modern('tools/call', { name: 'work' })
    expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] })
    client.check()
  })

  it('and needs one is refused to such a client before anything happens', async () => {
    const ran: string[] = []
    const { client, begin } = taskBench(() => ran.push('call'), {
      tool: { task: 'required', ask: () => ran.push('ask') },
    })
    const { error } = await client.modern('tools/call', { name: 'work' })
    expect(error).toEqual({ code: -32021, message: 'work needs a client that takes tasks', data: needed })
    expect(ran).toEqual([])
    expect(await begin()).toMatchObject({ resultType: 'task' })
    client.check()
  })

  it('takes no notice of the task param of the older revision', async () => {
    const { client } = taskBench(() => 'done', { tools: { plain: { call: () => 'plain' } } })
    for (const name of ['work', 'plain']) {
      const { result } = await client.modern('tools/call', { name, task: { ttl: 1000 } })
      expect(result.resultType).toBe('complete')
    }
    expect(await client.get('tools/call', { name: 'plain', task: {} })).toMatchObject({ resultType: 'complete' })
    client.check()
  })

  it('is advertised as the extension, and not listed otherwise', async () => {
    const { client, server } = taskBench(() => 'done', { extensions: { 'com.example/other': {} } })
    const { capabilities } = await client.get('server/discover')
    expect(capabilities.extensions).toEqual({ 'com.example/other': {}, [TASKS]: {} })
    expect(capabilities).not.toHaveProperty('tasks')
    const { tools } = await client.get('tools/list')
    expect(tools.find((each: any) => each.name === 'work')).not.toHaveProperty('execution')
    server.tools.delete('work')
    expect((await client.get('server/discover')).capabilities.extensions).toEqual({ 'com.example/other': {} })
    client.check()
  })

  it('whose arguments do not fit comes to a failure that the model can read', async () => {
    const { client, begin } = taskBench(() => 'done', { tool: { inputSchema: form('plant') } })
    const { taskId } = await begin({ plant: 3 })
    await settled()
    const { status, result, statusMessage } = await client.task(taskId)
    expect(status).toBe('completed')
    expect(result.isError).toBe(true)
    expect(statusMessage).toContain('the arguments of work do not fit')
    client.check()
  })

  it('a server without such a tool knows no task methods', async () => {
    const client = new CheckedClient(createServer({ name: 'bare' }, { tools: { plain: { call: () => '' } } }))
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/list', 'tasks/result']) {
      expect((await client.modern(method, { taskId: 'x' }, withTasks)).error.code, method).toBe(-32601)
    }
    client.check()
  })

  it('a word for it that nobody knows is a mistake in the declaration', () => {
    expect(() => taskBench(() => '', { tool: { task: 'maybe' as any } })).toThrow(
      'tool "work": task is one of never, optional, required, not "maybe"',
    )
  })
})

describe('an outcome', () => {
  it('that is a failure of the tool is a completed task with isError', async () => {
    const { client, begin, diagnosed } = taskBench(() => {
      throw new Error('the tank is empty: fill it')
    })
    const { taskId } = await begin()
    await settled()
    expect(await client.task(taskId)).toMatchObject({
      status: 'completed',
      statusMessage: 'work: the tank is empty: fill it',
      result: { isError: true, content: [{ type: 'text', text: 'work: the tank is empty: fill it' }] },
    })
    expect(diagnosed.join()).toContain('the tank is empty')
    client.check()
  })

  it('that is an error of the protocol is a failed task with that error', async () => {
    const { client, begin } = taskBench(async () => {
      throw new RpcError(7, 'no such plant', { plant: 'fern' })
    })
    const { taskId } = await begin()
    await settled()
    const task = await client.task(taskId)
    expect(task).toMatchObject({
      status: 'failed',
      statusMessage: 'no such plant',
      error: { code: 7, message: 'no such plant', data: { plant: 'fern' } },
    })
    expect(task).not.toHaveProperty('result')
    client.check()
  })

  it.each<[string, unknown, object]>([
    ['a text', 'moved', { content: [{ type: 'text', text: 'moved' }] }],
    ['nothing', undefined, { content: [] }],
    ['a whole result', { content: [], structuredContent: [1] }, { structuredContent: [1] }],
  ])('may be %s', async (_what, value, result) => {
    const { client, begin } = taskBench(() => value)
    const { taskId } = await begin()
    await settled()
    expect(await client.task(taskId)).toMatchObject({ status: 'completed', result })
    client.check()
  })

  it('that no JSON can hold is a failed task', async () => {
    const { client, begin } = taskBench(() => ({ content: [{ type: 'text', text: 'moved', at: 1n }] }))
    const { taskId } = await begin()
    await settled()
    const { status, error } = await client.task(taskId)
    expect(status).toBe('failed')
    expect(error.code).toBe(-32603)
    expect(error.message).toMatch(/^The outcome is no JSON: .*BigInt/)
    client.check()
  })

  it.each([
    [0, 'completed'],
    [1, 'failed'],
  ])('fits into one message with all around it: %i bytes over', async (over, status) => {
    const maxMessageBytes = 10_000
    const { client, begin } = taskBench(
      async ({ bytes }) => ({ content: [{ type: 'text', text: 'x'.repeat(bytes) }] }),
      { maxMessageBytes },
    )
    const frame = JSON.stringify({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.2.3' } },
      content: [{ type: 'text', text: '' }],
    }).length
    const { taskId } = await begin({ bytes: maxMessageBytes - 4096 - frame + over })
    await settled()
    expect((await client.task(taskId)).status).toBe(status)
    client.check()
  })

  it('stays what it is when the value is changed afterwards', async () => {
    const shared = { content: [{ type: 'text' as const, text: 'before' }] }
    const { client, begin } = taskBench(() => shared)
    const { taskId } = await begin()
    await settled()
    shared.content[0]!.text = 'after'
    expect((await client.task(taskId)).result.content[0].text).toBe('before')
  })
})

describe('how far a task is', () => {
  it('is told by its status message: progress in words, in percent, as a number; what it logs', async () => {
    let call!: Call
    const { client, begin, gate } = taskBench(async (_args, running) => {
      call = running
      await gate('done').pass(running.signal)
    })
    const { taskId } = await begin()
    await settled()
    const message = async () => (await client.task(taskId)).statusMessage
    expect(await message()).toBeUndefined()
    call.progress(1, 8, 'Filling')
    expect(await message()).toBe('Filling')
    call.progress(3, 8)
    expect(await message()).toBe('38 %')
    call.progress(4)
    expect(await message()).toBe('4')
    call.progress(4, 8, 'not risen')
    call.progress(Number.NaN)
    call.log('debug', 'for nobody')
    call.log('warning', { a: 1 })
    expect(await message()).toBe('4')
    call.log('info', 'Rinsing')
    expect(await message()).toBe('Rinsing')
    const { progress } = call
    progress(5, 8, 'x'.repeat(2000))
    expect((await message()).length).toBe(1001)
    gate('done').open()
    await settled()
    call.progress(6, 8, 'too late')
    expect(await message()).toBeUndefined()
    // Neither belongs to a task in this revision.
    expect(client.told('notifications/progress')).toEqual([])
    expect(client.told('notifications/message')).toEqual([])
    client.check()
  })
})

describe('a question of a task', () => {
  it('waits in the task, is answered by tasks/update, and the handler runs once', async () => {
    let runs = 0
    const { client, begin } = taskBench(async (_args, call) => {
      runs++
      const answer = await call.elicit({ key: 'name', message: 'Which plant?', requestedSchema: form('plant') })
      return answer.action === 'accept' ? `watered ${answer.content.plant}` : answer.action
    })
    const { taskId } = await begin()
    await settled()
    const asking = await client.task(taskId)
    expect(asking).toMatchObject({
      status: 'input_required',
      inputRequests: {
        name: { method: 'elicitation/create', params: { message: 'Which plant?', requestedSchema: form('plant') } },
      },
    })
    expect(await client.answerTask(taskId, { name: accept({ plant: 'fern' }) })).toEqual({
      resultType: 'complete',
      _meta: expect.anything(),
    })
    expect(await client.task(taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'watered fern' }] },
    })
    expect(runs).toBe(1)
    client.check()
  })

  it('of several: those that are answered go, the others stay open', async () => {
    const { client, begin } = taskBench(async (_args, call) => {
      const [a, b, c] = await Promise.all([
        call.elicit({ key: 'a', message: 'A?', requestedSchema: form('x') }),
        call.sample({ key: 'b', messages: [{ role: 'user', content: { type: 'text', text: 'B?' } }], maxTokens: 9 }),
        call.roots('c'),
      ])
      return `${a.action} ${b.model} ${c.length}`
    })
    const { taskId } = await begin()
    await settled()
    const open = async () => Object.keys((await client.task(taskId)).inputRequests ?? {})
    expect(await open()).toEqual(['a', 'b', 'c'])
    await client.answerTask(taskId, { b: { role: 'assistant', content: { type: 'text', text: '!' }, model: 'm' } })
    expect(await open()).toEqual(['a', 'c'])
    await client.answerTask(taskId, { b: { model: 'again' }, unknown: {}, a: 3, c: null })
    expect(await open()).toEqual(['a', 'c'])
    await client.answerTask(taskId, { a: { action: 'decline' }, c: { roots: [] } })
    expect((await client.task(taskId)).result.content[0].text).toBe('decline m 0')
    client.check()
  })

  it('that is answered with what does not fit is asked again under another key, and not for ever', async () => {
    const { client, begin } = taskBench((_args, call) =>
      call.elicit({ key: 'name', message: 'Which plant?', requestedSchema: form('plant') }),
    )
    const { taskId } = await begin()
    await settled()
    for (const key of ['name', 'name_2', 'name_3']) {
      expect(Object.keys((await client.task(taskId)).inputRequests)).toEqual([key])
      await client.answerTask(taskId, { [key]: accept({ plant: 3 }) })
    }
    const { status, error } = await client.task(taskId)
    expect(status).toBe('failed')
    expect(error.code).toBe(-32602)
    client.check()
  })

  it('never has the key of an earlier one', async () => {
    const { client, begin } = taskBench(async (_args, call) => {
      const once = () => call.elicit({ key: 'same', message: '?', requestedSchema: form('x') })
      await Promise.all([once(), once()])
      await once()
    })
    const { taskId } = await begin()
    await settled()
    expect(Object.keys((await client.task(taskId)).inputRequests)).toEqual(['same', 'same_2'])
    await client.answerTask(taskId, { same: accept({ x: '' }), same_2: accept({ x: '' }) })
    expect(Object.keys((await client.task(taskId)).inputRequests)).toEqual(['same_3'])
    await client.answerTask(taskId, { same: accept({ x: '' }), same_3: { action: 'cancel' } })
    expect((await client.task(taskId)).status).toBe('completed')
    client.check()
  })

  it('that the client cannot answer fails the task with what it lacks', async () => {
    const { client, begin } = taskBench((_args, call) => call.roots())
    const { taskId } = await begin({}, capable({ extensions: { [TASKS]: {} } }))
    await settled()
    expect(await client.task(taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    })
    client.check()
  })

  it('that nobody answers is given up', async () => {
    const { client, begin, clock } = taskBench((_args, call) => call.roots('where'), { questionTimeoutMs: 60_000 })
    const { taskId } = await begin()
    await clock.advance(59_999)
    expect((await client.task(taskId)).status).toBe('input_required')
    await clock.advance(1)
    const { status, result } = await client.task(taskId)
    expect(status).toBe('completed')
    expect(result.content[0].text).toBe('work: The client did not answer "where" in 60 s')
    client.check()
  })

  it('before the task is asked by rounds of the same request: ask runs again, call once with what it returned', async () => {
    const ran: string[] = []
    const work = tool({
      task: 'required',
      async ask(_args, call) {
        ran.push('ask')
        const answer = await call.elicit({ key: 'name', message: 'Who are you?', requestedSchema: form('name') })
        if (answer.action !== 'accept') throw new Error('not without a name')
        return answer.content.name
      },
      async call(_args, call, name) {
        ran.push('call')
        await call.roots('roots')
        return `Hello, ${name}!`
      },
    })
    const { client, begin } = taskBench(work.call as any, { tool: work })
    const first = await begin()
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } })
    expect(first).not.toHaveProperty('taskId')
    const handle = await client.get('tools/call', {
      name: 'work',
      arguments: {},
      requestState: first.requestState,
      inputResponses: { name: accept({ name: 'Alice' }) },
    })
    expect(handle).toMatchObject({ resultType: 'task', status: 'working' })
    await settled()
    expect(Object.keys((await client.task(handle.taskId)).inputRequests)).toEqual(['roots'])
    await client.answerTask(handle.taskId, { roots: { roots: [] } })
    expect((await client.task(handle.taskId)).result.content[0].text).toBe('Hello, Alice!')
    expect(ran).toEqual(['ask', 'ask', 'call'])
    client.check()
  })

  it('asked before the task and declined begins nothing', async () => {
    const { client, begin } = taskBench(() => 'never', {
      tool: {
        async ask(_args: any, call: Call) {
          const { action } = await call.elicit({ key: 'sure', message: 'Sure?', requestedSchema: form('x') })
          if (action !== 'accept') throw new Error('Nothing was done')
        },
      },
    })
    const { requestState } = await begin()
    const params = { name: 'work', arguments: {}, requestState, inputResponses: { sure: { action: 'decline' } } }
    expect(await client.get('tools/call', params)).toMatchObject({
      resultType: 'complete',
      isError: true,
      content: [{ text: 'work: Nothing was done' }],
    })
    client.check()
  })

  it('asked before is asked before too where the call is answered in one piece', async () => {
    const { client } = taskBench((_args, _call, asked) => `asked: ${asked}`, { tool: { ask: async () => 'yes' } })
    const { result } = await client.modern('tools/call', { name: 'work' })
    expect(result.content[0].text).toBe('asked: yes')
  })
})

describe('the methods of tasks', () => {
  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s needs a client that takes tasks', async method => {
    const { client } = taskBench(() => '')
    const { error } = await client.modern(method, { taskId: 'nobody', inputResponses: {} }, modernMeta())
    expect(error).toMatchObject({ code: -32021, data: needed })
    client.check()
  })

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s of a task that nobody knows is -32602', async method => {
    const { client } = taskBench(() => '')
    for (const taskId of ['nobody', '', 3, undefined, '__proto__']) {
      const { error } = await client.modern(method, { taskId, inputResponses: {} }, withTasks)
      expect(error.code).toBe(-32602)
    }
    client.check()
  })

  it('tasks/result and tasks/list do not exist here', async () => {
    const { client, begin } = taskBench(() => '')
    const { taskId } = await begin()
    for (const method of ['tasks/result', 'tasks/list']) {
      expect((await client.modern(method, { taskId }, withTasks)).error.code).toBe(-32601)
    }
    client.check()
  })

  it.each([undefined, null, [], 'x'])('tasks/update with %j for answers is -32602', async inputResponses => {
    const { client, begin } = taskBench((_args, call) => call.roots())
    const { taskId } = await begin()
    await settled()
    const { error } = await client.modern('tasks/update', { taskId, inputResponses }, withTasks)
    expect(error.code).toBe(-32602)
  })

  it('tasks/update of a task that has ended changes nothing', async () => {
    const { client, begin } = taskBench(() => 'done')
    const { taskId } = await begin()
    await settled()
    const before = await client.task(taskId)
    await client.answerTask(taskId, { anything: {} })
    expect(await client.task(taskId)).toEqual(before)
    client.check()
  })
})
