import { describe, expect, it } from 'vitest'
import { actuator, type Call, RpcError } from '../../runtime/index.ts'
import { settled } from '../owned-clock.ts'
import { CheckedClient, type TaskBenchOptions, taskBench, withTasks } from './task-bench.ts'
import { workbench } from './workbench.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const everything = { elicitation: {}, sampling: {}, roots: {} }
const heeding = (_args: any, { signal }: Call) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
const iso = (ms: number) => new Date(ms).toISOString()

/** A bench whose client shook hands. `begin` calls the tool as a task: what it is told of the task. */
async function handshake(call: (args: any, call: Call, asked: any) => unknown, options: TaskBenchOptions = {}) {
  const bench = taskBench(call, options)
  const { capabilities } = await bench.client.initialize('2025-11-25', everything)
  const begin = async (args: object = {}, task: object = {}, meta?: object): Promise<any> => {
    const params = { name: 'work', arguments: args, task, ...(meta === undefined ? {} : { _meta: meta }) }
    return (await bench.client.legacy('tools/call', params)).task
  }
  const status = async (taskId: string) => (await bench.client.legacy('tasks/get', { taskId })).status
  const told = () => bench.client.told('notifications/tasks/status').map(({ params }) => params)
  return { ...bench, begin, status, told, capabilities }
}

describe('a tool called as a task (2025-11-25)', () => {
  it('is answered with the task at once, and its result waits for whoever asks', async () => {
    const { client, begin, clock, gate, told } = await handshake(async (_args, call) => {
      await gate('done').pass(call.signal)
      return 'watered'
    })
    const began = clock.now()
    const task = await begin()
    expect(task).toEqual({
      taskId: expect.stringMatching(/^[A-Za-z0-9_-]{24}$/),
      status: 'working',
      createdAt: iso(began),
      lastUpdatedAt: iso(began),
      ttl: null,
      pollInterval: 500,
    })
    const { taskId } = task
    const waiting = client.legacy('tasks/result', { taskId })
    await clock.advance(20_000)
    expect(await client.legacy('tasks/get', { taskId })).toEqual({ ...task, pollInterval: 2000 })
    gate('done').open()
    expect(await waiting).toEqual({
      content: [{ type: 'text', text: 'watered' }],
      _meta: { [RELATED]: { taskId } },
    })
    const { pollInterval: _, ...over } = task
    const ended = { ...over, status: 'completed', lastUpdatedAt: iso(began + 20_000), ttl: 320_000 }
    expect(await client.legacy('tasks/get', { taskId })).toEqual(ended)
    expect(told()).toEqual([ended])
    expect((await client.legacy('tasks/result', { taskId })).content[0].text).toBe('watered')
    client.check()
  })

  it('is told of in the handshake and in the list, to clients of that revision only', async () => {
    const { client, capabilities, connect } = await handshake(() => '', {
      tools: { plain: { call: () => '' }, must: { task: 'required', call: () => '' } },
    })
    expect(capabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } })
    expect(capabilities).not.toHaveProperty('extensions')
    const executions = async (as: CheckedClient) => {
      const { tools } = await as.legacy('tools/list')
      return Object.fromEntries(tools.map((each: any) => [each.name, each.execution?.taskSupport]))
    }
    expect(await executions(client)).toMatchObject({ plain: undefined, must: 'required', work: 'optional' })
    for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05']) {
      const older = connect()
      expect((await older.initialize(revision)).capabilities).not.toHaveProperty('tasks')
      expect(await executions(older)).toMatchObject({ plain: undefined, must: undefined, work: undefined })
      older.check()
    }
    client.check()
  })

  it('whose support changes is listed anew', async () => {
    const { client, server } = await handshake(() => '')
    const support = async () => (await client.legacy('tools/list')).tools.at(-1).execution?.taskSupport
    expect(await support()).toBe('optional')
    server.tools.set('work', { ...server.tools.get('work')!, task: 'required' })
    expect(await support()).toBe('required')
    server.tools.set('work', { ...server.tools.get('work')!, task: 'never' })
    expect(await support()).toBeUndefined()
  })

  it('may be called without one, unless it needs one', async () => {
    const { client } = await handshake(() => 'done', { tools: { must: { task: 'required', call: () => '' } } })
    expect((await client.legacy('tools/call', { name: 'work' })).content[0].text).toBe('done')
    const { error } = await client.request('tools/call', { name: 'must' })
    expect(error).toEqual({ code: -32601, message: 'must takes long, and runs as a task only: call it with "task"' })
    client.check()
  })

  it('that never is one is not called as one, and the task is ignored where no tool ever is', async () => {
    const { client, server } = await handshake(() => '', { tools: { plain: { call: () => 'plain' } } })
    const asTask = () => client.request('tools/call', { name: 'plain', task: {} })
    expect((await asTask()).error).toEqual({
      code: -32601,
      message: 'plain does not run as a task: call it without "task"',
    })
    server.tools.delete('work')
    expect((await asTask()).result.content[0].text).toBe('plain')
    client.check()
  })

  it('by a client of an older revision ignores the task, and is an error the model can read where it needs one', async () => {
    const ran: string[] = []
    const { connect } = taskBench(() => 'inline', {
      tools: { must: { task: 'required', call: () => void ran.push('ran') } },
    })
    const client = connect()
    await client.initialize('2025-06-18')
    expect((await client.legacy('tools/call', { name: 'work', task: {} })).content[0].text).toBe('inline')
    expect(await client.legacy('tools/call', { name: 'must', task: {} })).toEqual({
      content: [{ type: 'text', text: 'must takes long, and needs a client that takes tasks' }],
      isError: true,
    })
    expect(ran).toEqual([])
    for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel']) {
      expect((await client.request(method, { taskId: 'x' })).error.code, method).toBe(-32601)
    }
    client.check()
  })

  it.each([null, 'x', [], { ttl: 'x' }, { ttl: -1 }])('with the task %j is -32602', async task => {
    const { client } = await handshake(() => '')
    expect((await client.request('tools/call', { name: 'work', task })).error.code).toBe(-32602)
  })

  it.each([
    [0, 1000],
    [1000, 1000],
    [1001, 1001],
    [60 * 60_000, 60 * 60_000],
    [60 * 60_000 + 1, 60 * 60_000],
  ])('is kept as long as the client wants, within bounds: %i ms, %i ms', async (ttl, kept) => {
    const { client, begin, clock } = await handshake(() => '', { taskTtlMs: 1000 })
    const { taskId } = await begin({}, { ttl })
    await settled()
    expect((await client.legacy('tasks/get', { taskId })).ttl).toBe(kept)
    await clock.advance(kept - 1)
    await client.legacy('tasks/get', { taskId })
    await clock.advance(1)
    await expect(client.legacy('tasks/get', { taskId })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('an outcome (2025-11-25)', () => {
  it('that is a failure of the tool is a failed task, and its result the failure', async () => {
    const { client, begin } = await handshake(() => {
      throw new Error('the tank is empty')
    })
    const { taskId } = await begin()
    const result = await client.legacy('tasks/result', { taskId })
    expect(result).toMatchObject({ isError: true, content: [{ text: 'work: the tank is empty' }] })
    expect(await client.legacy('tasks/get', { taskId })).toMatchObject({
      status: 'failed',
      statusMessage: 'work: the tank is empty',
    })
    client.check()
  })

  it('that is an error of the protocol is that error', async () => {
    const { client, begin } = await handshake(async () => {
      throw new RpcError(7, 'no such plant', { plant: 'fern' })
    })
    const { taskId } = await begin()
    const { error } = await client.request('tasks/result', { taskId })
    expect(error).toEqual({ code: 7, message: 'no such plant', data: { plant: 'fern' } })
    expect(await client.legacy('tasks/get', { taskId })).toMatchObject({
      status: 'failed',
      statusMessage: 'no such plant',
    })
    client.check()
  })

  it('of arguments that do not fit is one too: the call was made as a task', async () => {
    const { client, begin } = await handshake(() => '', {
      tool: { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    })
    const { taskId } = await begin({ a: 1 })
    expect((await client.legacy('tasks/result', { taskId })).content[0].text).toContain('do not fit')
    client.check()
  })

  it('that is structured is told as in the answer of a call, with the mark of its task', async () => {
    const { client, begin } = await handshake(() => 5, { tool: { outputSchema: { type: 'number' } } })
    const { taskId } = await begin()
    expect(await client.legacy('tasks/result', { taskId })).toEqual({
      content: [{ type: 'text', text: '5' }],
      structuredContent: { result: 5 },
      _meta: { [RELATED]: { taskId } },
    })
    client.check()
  })

  it('is waited for as long as whoever asks has patience', async () => {
    const { client, begin, gate, status } = await handshake(async (_args, call) => gate('done').pass(call.signal))
    const { taskId } = await begin()
    client.send({ jsonrpc: '2.0', id: 'impatient', method: 'tasks/result', params: { taskId } })
    client.notify('notifications/cancelled', { requestId: 'impatient' })
    const patient = client.legacy('tasks/result', { taskId })
    await settled()
    expect(await status(taskId)).toBe('working')
    gate('done').open()
    await patient
    expect(client.answers('impatient')).toEqual([])
    client.check()
  })
})

describe('a question of a task (2025-11-25)', () => {
  it('is a request with the mark of the task, which waits for input meanwhile', async () => {
    const { client, begin, told, status } = await handshake(async (_args, call) => {
      const answer = await call.elicit({
        message: 'Which plant?',
        requestedSchema: { type: 'object', properties: { plant: { type: 'string' } }, required: ['plant'] },
      })
      const roots = await call.roots()
      return answer.action === 'accept' ? `${answer.content.plant} ${roots.length}` : ''
    })
    const elicited = client.called('elicitation/create')
    const { taskId } = await begin()
    const { id, params } = await elicited
    expect(params).toMatchObject({ message: 'Which plant?', _meta: { [RELATED]: { taskId } } })
    expect(await status(taskId)).toBe('input_required')
    const listed = client.called('roots/list')
    client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { plant: 'fern' } } })
    const roots = await listed
    expect(roots.params).toEqual({ _meta: { [RELATED]: { taskId } } })
    client.send({ jsonrpc: '2.0', id: roots.id, result: { roots: [] } })
    expect((await client.legacy('tasks/result', { taskId })).content[0].text).toBe('fern 0')
    expect(told().map(({ status }) => status)).toEqual([
      'input_required',
      'working',
      'input_required',
      'working',
      'completed',
    ])
    client.check()
  })

  it('that has to be asked first is asked in the task: the client has its handle at once', async () => {
    const ran: string[] = []
    const { client, begin } = await handshake((_args, _call, asked) => `asked ${asked}`, {
      tool: {
        task: 'required',
        ask: async (_args: any, call: Call) => {
          ran.push('ask')
          return (await call.roots()).length
        },
      },
    })
    const listed = client.called('roots/list')
    const { taskId } = await begin()
    client.send({ jsonrpc: '2.0', id: (await listed).id, result: { roots: [] } })
    expect((await client.legacy('tasks/result', { taskId })).content[0].text).toBe('asked 0')
    expect(ran).toEqual(['ask'])
    client.check()
  })

  it('that the client refuses, or leaves open too long, is told to the handler', async () => {
    const { client, begin, clock } = await handshake((_args, call) => call.roots('where'), { questionTimeoutMs: 1000 })
    const first = client.called('roots/list')
    const refused = await begin()
    client.send({ jsonrpc: '2.0', id: (await first).id, error: { code: -1, message: 'not now' } })
    const result = async ({ taskId }: any) => (await client.legacy('tasks/result', { taskId })).content[0].text
    expect(await result(refused)).toBe('work: The client refused: not now')
    const late = await begin()
    await clock.advance(1000)
    expect(await result(late)).toBe('work: The client did not answer "where" in 1 s')
    expect(client.told('notifications/cancelled')).toHaveLength(1)
    client.check()
  })
})

describe('the messages of a task (2025-11-25)', () => {
  it('progress and log messages carry its mark, for as long as it lives', async () => {
    let call!: Call
    const { client, begin } = await handshake((args, running) => {
      call = running
      return heeding(args, running)
    })
    const { taskId } = await begin({}, {}, { progressToken: 'p' })
    await settled()
    call.progress(1, 2, 'Half-way')
    call.progress(1, 2)
    call.log('info', 'Rinsing', 'pump')
    call.log('debug', 'for nobody')
    const _meta = { [RELATED]: { taskId } }
    expect(client.told('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, total: 2, message: 'Half-way', _meta },
    ])
    expect(client.told('notifications/message').map(({ params }) => params)).toEqual([
      { level: 'info', logger: 'pump', data: 'Rinsing', _meta },
    ])
    await client.legacy('tasks/cancel', { taskId })
    await settled()
    call.progress(2, 2)
    expect(client.told('notifications/progress')).toHaveLength(1)
    client.check()
  })
})

describe('tasks/cancel (2025-11-25)', () => {
  it('cancels before it answers, whatever the handler does then, and only once', async () => {
    const { client, begin, gate, status, told } = await handshake(async () => {
      await gate('done').pass(new AbortController().signal)
      return 'done all the same'
    })
    const { taskId } = await begin()
    await settled()
    expect(await client.legacy('tasks/cancel', { taskId })).toMatchObject({
      taskId,
      status: 'cancelled',
      statusMessage: 'Cancelled by the client',
    })
    gate('done').open()
    await settled()
    expect(await status(taskId)).toBe('cancelled')
    expect(told().map(({ status }) => status)).toEqual(['cancelled'])
    const { error } = await client.request('tasks/cancel', { taskId })
    expect(error).toEqual({ code: -32602, message: 'The task has ended already: it is cancelled' })
    expect((await client.request('tasks/result', { taskId })).error).toEqual({
      code: -32602,
      message: 'The task was cancelled: it has no result',
    })
    client.check()
  })

  it('ends the waiting for its result', async () => {
    const { client, begin } = await handshake(heeding)
    const { taskId } = await begin()
    const waiting = client.request('tasks/result', { taskId })
    await client.legacy('tasks/cancel', { taskId })
    expect((await waiting).error.code).toBe(-32602)
    client.check()
  })

  it('makes an actuator safe', async () => {
    const did: unknown[] = []
    const pump = actuator({
      inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
      safe: { on: false },
      task: 'optional',
      set: ({ on }, call) => {
        did.push(on)
        return on ? heeding({}, call) : undefined
      },
    })
    const { server } = workbench({ board: { name: 'shed', actuators: { pump } } })
    const client = new CheckedClient(server)
    await server.open()
    await client.initialize()
    const { task } = await client.legacy('tools/call', { name: 'pump', arguments: { on: true }, task: {} })
    await settled()
    await client.legacy('tasks/cancel', { taskId: task.taskId })
    await settled()
    expect(did).toEqual([false, true, false])
    client.check()
  })
})

describe('tasks/list (2025-11-25)', () => {
  it('lists what this client began, in that order, in pages', async () => {
    const { client, connect, clock } = await handshake(() => '', { maxTasks: 1000 })
    const call = { name: 'work', task: {} }
    const ids: string[] = []
    for (let i = 0; i < 101; i++) {
      ids.push((await client.legacy('tools/call', call)).task.taskId)
      await clock.advance(1)
    }
    const other = connect()
    await other.initialize()
    await other.legacy('tools/call', call)
    await other.get('tools/call', { name: 'work' })
    const first = await client.legacy('tasks/list')
    expect(first.tasks).toHaveLength(100)
    const second = await client.legacy('tasks/list', { cursor: first.nextCursor })
    expect(second).not.toHaveProperty('nextCursor')
    expect([...first.tasks, ...second.tasks].map(({ taskId }: any) => taskId)).toEqual(ids)
    expect((await other.legacy('tasks/list')).tasks).toHaveLength(1)
    for (const cursor of ['x', 3, `after:${'x'.repeat(24)}`, null]) {
      expect((await client.request('tasks/list', { cursor })).error.code).toBe(-32602)
    }
    client.check()
  })
})

describe('both eras on one connection', () => {
  it('a task belongs to the era that it began in', async () => {
    const { client, begin } = await handshake(() => '')
    const legacy = await begin()
    const modern = await client.get('tools/call', { name: 'work' }, withTasks)
    await settled()
    await expect(client.task(legacy.taskId)).rejects.toMatchObject({ code: -32602 })
    await expect(client.legacy('tasks/get', { taskId: modern.taskId })).rejects.toMatchObject({ code: -32602 })
    expect((await client.task(modern.taskId)).status).toBe('completed')
    client.check()
  })
})
