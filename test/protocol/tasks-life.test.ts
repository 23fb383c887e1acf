import { describe, expect, it } from 'vitest'
import { type Actuator, actuator, type Call, type Peer } from '../../runtime/index.ts'
import { settled } from '../owned-clock.ts'
import { CheckedClient, close, TASKS, taskBench, withTasks } from './task-bench.ts'
import { workbench } from './workbench.ts'

const minute = 60_000
const heeding = (_args: any, { signal }: Call) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
const deaf = () => new Promise<never>(() => {})
const status = async (client: CheckedClient, taskId: string) => (await client.task(taskId)).status

describe('a task that is cancelled', () => {
  it('is told to stop, and counts as cancelled when it has stopped', async () => {
    let stop = () => {}
    const { client, begin, clock } = taskBench(
      (_args, { signal }) =>
        new Promise((_, reject) => {
          stop = () => reject(signal.reason)
        }),
    )
    const { taskId } = await begin()
    await settled()
    expect(await client.get('tasks/cancel', { taskId })).toEqual({ resultType: 'complete', _meta: expect.anything() })
    expect(await client.task(taskId)).toMatchObject({ status: 'working', statusMessage: 'Stopping' })
    await clock.advance(100)
    stop()
    await settled()
    expect(await client.task(taskId)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'work: Cancelled by the client',
    })
    client.check()
  })

  it('and does not heed counts as cancelled all the same, after five seconds', async () => {
    const { client, begin, clock } = taskBench(deaf)
    const { taskId } = await begin()
    await client.get('tasks/cancel', { taskId })
    await clock.advance(4999)
    expect(await status(client, taskId)).toBe('working')
    await clock.advance(1)
    expect(await client.task(taskId)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'It was told to stop, and did not say that it did',
    })
    client.check()
  })

  it('and comes to its end all the same tells what it did', async () => {
    const { client, begin, gate } = taskBench(async () => {
      await gate('done').pass(new AbortController().signal)
      return 'done before it could stop'
    })
    const { taskId } = await begin()
    await settled()
    await client.get('tasks/cancel', { taskId })
    gate('done').open()
    await settled()
    expect(await client.task(taskId)).toMatchObject({ status: 'completed' })
    client.check()
  })

  it('before its work began never runs', async () => {
    const ran: string[] = []
    const { client } = taskBench(() => ran.push('ran'))
    // In the turn in which the handle comes, since the work begins in the next one.
    const begun = client.next(({ id, result }) => {
      if (id !== 'call') return false
      const params = { taskId: result.taskId, _meta: withTasks }
      client.send({ jsonrpc: '2.0', id: 'stop', method: 'tasks/cancel', params })
      return true
    })
    client.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'work', _meta: withTasks } })
    const { result } = await begun
    await settled()
    expect([ran, await status(client, result.taskId)]).toEqual([[], 'cancelled'])
    client.check()
  })

  it('while it asks takes its questions back', async () => {
    const { client, begin, clock } = taskBench((_args, call) => call.roots('where'))
    const { taskId } = await begin()
    await settled()
    expect(await status(client, taskId)).toBe('input_required')
    await client.get('tasks/cancel', { taskId })
    await settled()
    const task = await client.task(taskId)
    expect(task.status).toBe('cancelled')
    expect(task).not.toHaveProperty('inputRequests')
    await client.answerTask(taskId, { where: { roots: [] } })
    expect(await status(client, taskId)).toBe('cancelled')
    // Nothing but the moment at which the outcome is forgotten.
    expect(clock.pending).toBe(1)
    client.check()
  })

  it('may be cancelled again, and after its end: both are acknowledged and change nothing', async () => {
    const { client, begin, clock } = taskBench(heeding)
    const { taskId } = await begin()
    await settled()
    await client.get('tasks/cancel', { taskId })
    await client.get('tasks/cancel', { taskId })
    await settled()
    const before = await client.task(taskId)
    await clock.advance(1000)
    await client.get('tasks/cancel', { taskId })
    await settled()
    expect(await client.task(taskId)).toEqual(before)
    client.check()
  })

  it('is not what notifications/cancelled is for: the call was answered', async () => {
    const { client, begin } = taskBench(heeding)
    client.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'work', _meta: withTasks } })
    const { result } = await client.answer('call')
    client.notify('notifications/cancelled', { requestId: 'call' })
    await settled()
    expect(await status(client, result.taskId)).toBe('working')
    void begin
  })

  it('while what has to be asked first is asked: there is no task, and there never will be', async () => {
    const ran: string[] = []
    const { client, gate } = taskBench(() => ran.push('call'), {
      tool: { ask: async (_args: any, call: Call) => gate('asking').pass(call.signal) },
    })
    client.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'work', _meta: withTasks } })
    await gate('asking').entered
    client.notify('notifications/cancelled', { requestId: 'call' })
    await settled()
    expect(client.answers('call')).toEqual([])
    expect(ran).toEqual([])
  })
})

describe('how many tasks there are', () => {
  it('of one client a quarter of all may run, and one more when one has ended', async () => {
    const { client, begin, connect } = taskBench(heeding, { maxTasks: 8 })
    const first = await begin()
    await begin()
    await expect(begin()).rejects.toThrow('More than 2 tasks of one client run: wait for one, or cancel one')
    const other = connect()
    await begin({}, withTasks, other)
    await client.get('tasks/cancel', { taskId: first.taskId })
    await settled()
    await begin()
    await expect(begin()).rejects.toMatchObject({ code: -32603 })
    client.check()
  })

  it('of all clients together no more than that run', async () => {
    const { begin, connect } = taskBench(heeding, { maxTasks: 2 })
    await begin()
    await begin({}, withTasks, connect())
    await expect(begin({}, withTasks, connect())).rejects.toThrow('More than 2 tasks run')
  })

  it('clients with one name are one client, over whatever connections', async () => {
    const { begin, connect } = taskBench(heeding, { maxTasks: 4 })
    const anna: Peer = { client: 'anna', returns: true }
    await begin({}, withTasks, connect(anna))
    await expect(begin({}, withTasks, connect(anna))).rejects.toThrow('More than 1 tasks of one client')
    await begin({}, withTasks, connect({ client: 'bert', returns: true }))
  })

  it('a handler that does not heed takes its place until it is over', async () => {
    const { client, begin, clock } = taskBench(deaf, { maxTasks: 4 })
    const { taskId } = await begin()
    await client.get('tasks/cancel', { taskId })
    await clock.advance(5000)
    expect(await status(client, taskId)).toBe('cancelled')
    await expect(begin()).rejects.toThrow('More than 1 tasks of one client')
  })

  it('the outcome is kept for its time, to the millisecond, and then the task is unknown', async () => {
    const { client, begin, clock } = taskBench(() => 'done', { taskTtlMs: 1000 })
    const { taskId } = await begin()
    await settled()
    const { ttlMs } = await client.task(taskId)
    expect(ttlMs).toBe(1000)
    await clock.advance(ttlMs - 1)
    expect(await status(client, taskId)).toBe('completed')
    await clock.advance(1)
    await expect(client.task(taskId)).rejects.toMatchObject({ code: -32602 })
    expect(clock.pending).toBe(0)
  })

  it('of the outcomes the oldest goes when there are too many: the own one first', async () => {
    const { client, begin, connect, clock } = taskBench(() => 'done', { maxTasks: 8 })
    const other = connect()
    const kept = await begin({}, withTasks, other)
    const own: string[] = []
    for (let i = 0; i < 4; i++) {
      own.push((await begin()).taskId)
      await settled()
      await clock.advance(10)
    }
    const known = await Promise.all(own.map(taskId => status(client, taskId).catch(() => 'unknown')))
    expect(known).toEqual(['unknown', 'unknown', 'completed', 'completed'])
    expect(await status(other, kept.taskId)).toBe('completed')
  })

  it('of nobody in particular the oldest of all goes', async () => {
    const { begin, connect } = taskBench(() => 'done', { maxTasks: 2 })
    const ids: string[] = []
    const poller = connect({ returns: true })
    for (let i = 0; i < 4; i++) {
      ids.push((await begin({}, withTasks, connect({ returns: true }))).taskId)
      await settled()
    }
    const known = await Promise.all(ids.map(taskId => status(poller, taskId).catch(() => 'unknown')))
    expect(known).toEqual(['unknown', 'unknown', 'completed', 'completed'])
  })

  it('a thousand tasks later nothing has piled up', async () => {
    const { client, begin, clock } = taskBench(() => 'done', { taskTtlMs: 100 })
    for (let i = 0; i < 1000; i++) {
      await begin()
      await settled()
      client.heard.length = 0
      await clock.advance(7)
    }
    await clock.advance(100)
    expect(clock.pending).toBe(0)
  })
})

describe('whose a task is', () => {
  it('the connection that began it may go, for a client that comes back', async () => {
    const { client, begin, connect, gate } = taskBench(async (_args, call) => gate('done').pass(call.signal), {
      peer: { returns: true },
    })
    const { taskId } = await begin()
    await settled()
    client.leave()
    const later = connect()
    expect(await status(later, taskId)).toBe('working')
    gate('done').open()
    await settled()
    expect(await status(later, taskId)).toBe('completed')
    later.check()
  })

  it('it ends with the connection of a client that does not come back', async () => {
    const { client, begin, connect } = taskBench(heeding)
    const { taskId } = await begin()
    await settled()
    client.leave()
    await settled()
    expect(await connect().task(taskId)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'work: The client is gone',
    })
  })

  it.each<[string, Peer, Peer, boolean]>([
    ['the same client', { client: 'anna' }, { client: 'anna' }, true],
    ['another client', { client: 'anna' }, { client: 'bert' }, false],
    ['a client without a name', { client: 'anna' }, {}, false],
    ['a client with a name, of a task without', {}, { client: 'anna' }, false],
    ['nobody in particular, by its id', {}, {}, true],
    ['the same client with less access', { client: 'anna' }, { client: 'anna', access: 'read' }, false],
    ['whoever may only read', {}, { access: 'read' }, false],
    ['a reader, of a task that it began', { access: 'read' }, { access: 'read' }, true],
    ['one who may act, of a task of a reader', { access: 'read' }, {}, true],
  ])('it is known to %s: %o, %o', async (_who, began, asks, known) => {
    const { begin, connect } = taskBench(heeding, { tool: { access: 'read' } })
    const { taskId } = await begin({}, withTasks, connect({ ...began, returns: true }))
    const client = connect({ ...asks, returns: true })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await client.modern(method, { taskId, inputResponses: {} }, withTasks)
      expect(error?.code).toBe(known ? undefined : -32602)
    }
    client.check()
  })

  it('ids are unlike each other', async () => {
    const { begin, connect } = taskBench(() => '')
    const ids = new Set<string>()
    for (let i = 0; i < 200; i++) ids.add((await begin({}, withTasks, connect({ returns: true }))).taskId)
    expect(ids.size).toBe(200)
    const first = new Set([...ids].map(id => id.slice(0, 4)))
    expect(first.size).toBeGreaterThan(190)
  })
})

describe('subscriptions/listen for tasks', () => {
  const SUB = 'io.modelcontextprotocol/subscriptionId'

  function listen(client: CheckedClient, taskIds: unknown, meta: object = withTasks, id = 'listen') {
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications: { taskIds }, _meta: meta },
    })
    return settled()
  }

  it('acknowledges those that are known, tells at once where they are, and then each change', async () => {
    const { client, begin, clock } = taskBench(async (_args, call) => {
      call.progress(1, 2, 'Half-way')
      await call.roots('where')
      return 'done'
    })
    const { taskId } = await begin()
    await settled()
    await listen(client, [taskId, 'nobody', taskId])
    expect(client.told('notifications/subscriptions/acknowledged').map(({ params }) => params.notifications)).toEqual([
      { taskIds: [taskId] },
    ])
    const told = () => client.told('notifications/tasks').map(({ params }) => params)
    expect(told()).toMatchObject([
      { taskId, status: 'input_required', inputRequests: { where: { method: 'roots/list' } } },
    ])
    await clock.advance(10)
    await client.answerTask(taskId, { where: { roots: [] } })
    expect(told().map(({ status }) => status)).toEqual(['input_required', 'working', 'completed'])
    expect(told().at(-1)).toMatchObject({ result: { content: [{ text: 'done' }] }, _meta: { [SUB]: 'listen' } })
    const { resultType: _, _meta: __, ...polled } = await client.task(taskId)
    expect(told().at(-1)).toMatchObject(polled)
    client.check()
  })

  it('tells how far a task is once a second at most', async () => {
    let call!: Call
    const { client, begin, clock } = taskBench((args, running) => {
      call = running
      return heeding(args, running)
    })
    const { taskId } = await begin()
    await settled()
    await listen(client, [taskId])
    for (let i = 1; i <= 100; i++) {
      call.progress(i, 100)
      await clock.advance(50)
    }
    const told = client.told('notifications/tasks').map(({ params }) => params.statusMessage)
    expect(told).toEqual([undefined, '1 %', '21 %', '41 %', '61 %', '81 %'])
    client.check()
  })

  it('ends with its own end: nothing is told any more', async () => {
    const { client, begin, gate } = taskBench(async (_args, call) => gate('done').pass(call.signal))
    const { taskId } = await begin()
    await settled()
    await listen(client, [taskId])
    client.notify('notifications/cancelled', { requestId: 'listen' })
    gate('done').open()
    await settled()
    expect(client.told('notifications/tasks')).toHaveLength(1)
  })

  it('needs a client that takes tasks, and a list of ids of bounded length', async () => {
    const { client } = taskBench(() => '')
    const ask = (taskIds: unknown, meta: object = withTasks) =>
      client.modern('subscriptions/listen', { notifications: { taskIds } }, meta)
    const plain = { ...withTasks, 'io.modelcontextprotocol/clientCapabilities': {} }
    expect((await ask(['x'], plain)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    })
    for (const wrong of ['x', [3], {}, null]) expect((await ask(wrong)).error.code).toBe(-32602)
    expect((await ask(Array.from({ length: 1025 }, (_, i) => `${i}`))).error.code).toBe(-32603)
    void ask(Array.from({ length: 1024 }, (_, i) => `${i}`))
    await settled()
    expect(client.told('notifications/subscriptions/acknowledged')).toHaveLength(1)
    client.check()
  })
})

describe('an actuator that takes minutes', () => {
  /** A board with a pump that records what it does, and reports each minute. */
  function pumpBench(more: Partial<Actuator<any>> = {}, peer: Peer = {}) {
    const did: string[] = []
    let bench!: ReturnType<typeof workbench>
    const pump = actuator({
      inputSchema: { type: 'object', properties: { minutes: { type: 'integer' } }, required: ['minutes'] },
      safe: { minutes: 0 },
      timeoutMs: 15 * minute,
      async set({ minutes }, call) {
        did.push(minutes === 0 ? 'off' : 'on')
        for (let passed = 0; passed < minutes; passed++) {
          call.progress(passed, minutes, `${minutes - passed} minutes to go`)
          await new Promise<void>((resolve, reject) => {
            const timer = bench.clock.setTimeout(() => {
              call.signal.removeEventListener('abort', aborted)
              resolve()
            }, minute)
            const aborted = () => {
              bench.clock.clearTimeout(timer)
              reject(call.signal.reason)
            }
            call.signal.addEventListener('abort', aborted, { once: true })
          })
        }
        if (minutes > 0) did.push('off')
        return { litres: minutes * 2 }
      },
      ...more,
    })
    bench = workbench({ board: { name: 'greenhouse', actuators: { pump } } })
    const client = new CheckedClient(bench.server, peer)
    const begin = (minutes: number) => client.get('tools/call', { name: 'pump', arguments: { minutes } })
    return { ...bench, client, begin, did }
  }

  it('is polled for ten minutes, and has pumped', async () => {
    const { client, begin, clock, did, server } = pumpBench()
    await server.open()
    did.length = 0
    const { taskId } = await begin(10)
    const heard: string[] = []
    for (let polls = 0; polls < 11; polls++) {
      await clock.advance(polls === 0 ? 0 : minute)
      const { status, statusMessage, pollIntervalMs } = await client.task(taskId)
      heard.push(`${status} ${statusMessage} ${pollIntervalMs}`)
    }
    expect(heard.slice(0, 2)).toEqual(['working 10 minutes to go 500', 'working 9 minutes to go 5000'])
    expect(heard.at(-1)).toBe('completed undefined undefined')
    expect((await client.task(taskId)).result.structuredContent).toEqual({
      actuator: 'pump',
      set: { minutes: 10 },
      outcome: { litres: 20 },
    })
    expect(did).toEqual(['on', 'off'])
    client.check()
  })

  it('cancelled half-way it is safe before it counts as cancelled', async () => {
    const { client, begin, clock, did, server } = pumpBench()
    await server.open()
    did.length = 0
    const { taskId } = await begin(10)
    await clock.advance(5 * minute)
    await client.get('tasks/cancel', { taskId })
    await clock.advance(0)
    expect(did).toEqual(['on', 'off'])
    expect(await client.task(taskId)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'pump: Cancelled by the client',
    })
    client.check()
  })

  it('that heeds no signal is made safe, and then it counts as cancelled', async () => {
    const did: number[] = []
    const { client, begin, clock, server } = pumpBench({
      set: ({ minutes }: any) => {
        did.push(minutes)
        return minutes > 0 ? deaf() : undefined
      },
    })
    await server.open()
    const { taskId } = await begin(10)
    await clock.advance(minute)
    did.length = 0
    await client.get('tasks/cancel', { taskId })
    await clock.advance(999)
    expect([did, await status(client, taskId)]).toEqual([[], 'working'])
    await clock.advance(1)
    expect([did, await status(client, taskId)]).toEqual([[0], 'cancelled'])
  })

  it('that cannot be made safe says so', async () => {
    const { client, begin, clock } = pumpBench({
      set: ({ minutes }: any, call) => {
        if (minutes === 0) throw new Error('the relay does not answer')
        return heeding({}, call)
      },
    })
    const { taskId } = await begin(10)
    await clock.advance(minute)
    await client.get('tasks/cancel', { taskId })
    await clock.advance(1000)
    expect((await client.task(taskId)).statusMessage).toBe(
      'pump: Cancelled by the client; pump could not be made safe: the relay does not answer',
    )
  })

  it('takes longer than it may: it is safe, and the outcome says so', async () => {
    const { client, begin, clock, did } = pumpBench()
    const { taskId } = await begin(60)
    await clock.advance(15 * minute)
    const { status, result } = await client.task(taskId)
    expect(status).toBe('completed')
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('not done after 900 s')
    expect(did.at(-1)).toBe('off')
    client.check()
  })

  it('waits for its turn behind another one, and never moves when it is cancelled meanwhile', async () => {
    const { client, begin, clock, did, server } = pumpBench()
    await server.open()
    did.length = 0
    await begin(2)
    const { taskId } = await begin(3)
    await clock.advance(minute)
    await client.get('tasks/cancel', { taskId })
    await settled()
    expect(await status(client, taskId)).toBe('cancelled')
    await clock.advance(10 * minute)
    expect(did).toEqual(['on', 'off'])
  })

  it('is safe when its host is gone', async () => {
    const { client, begin, clock, did } = pumpBench()
    await begin(10)
    await clock.advance(3 * minute)
    expect(did.at(-1)).toBe('on')
    client.leave()
    await clock.advance(0)
    expect(did.at(-1)).toBe('off')
    expect(clock.pending).toBe(1)
  })

  it('goes on when a connection of a host that comes back is gone', async () => {
    const { client, begin, clock, did } = pumpBench({}, { returns: true })
    await begin(10)
    await clock.advance(3 * minute)
    client.leave()
    await clock.advance(6 * minute)
    expect(did.at(-1)).toBe('on')
    await clock.advance(minute)
    expect(did.at(-1)).toBe('off')
  })

  it('is safe when the server closes, and nothing is left behind', async () => {
    const { begin, clock, did, server } = pumpBench({}, { returns: true })
    await begin(10)
    await clock.advance(3 * minute)
    await close(server, clock)
    expect(did.at(-1)).toBe('off')
    expect(clock.pending).toBe(0)
  })

  it.each<[string, Partial<Actuator<any>>, string]>([
    ['60 s', { timeoutMs: 60_000 }, 'complete'],
    ['more than 60 s', { timeoutMs: 60_001 }, 'task'],
    ['more than 60 s, but never', { timeoutMs: 60_001, task: 'never' }, 'complete'],
    ['10 s, but optional', { timeoutMs: 10_000, task: 'optional' }, 'task'],
  ])('may be a task by its time: %s', async (_what, more, resultType) => {
    const { client, begin } = pumpBench({ ...more, set: () => undefined })
    expect((await begin(1)).resultType).toBe(resultType)
    client.check()
  })
})

describe('a server that closes', () => {
  it('tells its tasks to stop, waits a moment for them, and keeps no timer', async () => {
    const stopped: unknown[] = []
    const { begin, server, clock } = taskBench(
      async (_args, { signal }) => {
        await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
        stopped.push((signal.reason as Error).message)
      },
      { peer: { returns: true } },
    )
    await begin()
    await settled()
    await close(server, clock)
    expect(stopped).toEqual(['The server is shutting down'])
    expect(clock.pending).toBe(0)
  })

  it('does not wait for one that does not heed', async () => {
    const { begin, server, clock } = taskBench(deaf)
    await begin()
    await settled()
    await close(server, clock)
    expect(clock.pending).toBe(0)
  })
})
