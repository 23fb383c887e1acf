import { describe, expect, it } from 'vitest'
import {
  type Actuator,
  type Board,
  createServer,
  DefinitionError,
  DeviceBusyError,
  isServer,
  processOwner,
  type Sensor,
  type SensorValue,
  type ServerOptions,
} from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { Gate } from './workbench.ts'

const percent = {
  type: 'object',
  properties: { percent: { type: 'number' } },
  required: ['percent'],
} as const

/** A board that writes down what happens to it. */
function workshop(board: Partial<Board> = {}, options: ServerOptions = {}) {
  const clock = new OwnedClock()
  const events: unknown[] = []
  const diagnosed: string[] = []
  const whole: Board = {
    name: 'shop',
    actuators: {
      fan: {
        inputSchema: percent,
        safe: { percent: 0 },
        set: args => void events.push(['fan', (args as any).percent]),
      },
      saw: {
        inputSchema: percent,
        safe: { percent: 0 },
        set: args => void events.push(['saw', (args as any).percent]),
      },
    },
    open: () => void events.push('open'),
    close: () => void events.push('close'),
    ...board,
  }
  const server = createServer(whole, { clock, diagnose: text => void diagnosed.push(text), ...options })
  return { server, clock, events, diagnosed, client: new TestClient(server) }
}

/** An actuator whose moves take until the test opens their gate; it writes down how each ended. */
function slow(events: unknown[], more: Partial<Actuator<any>> = {}) {
  const gates = new Map<number, Gate>()
  const gate = (value: number) => {
    const known = gates.get(value) ?? new Gate()
    gates.set(value, known)
    return known
  }
  const actuator: Actuator<any> = {
    inputSchema: percent,
    safe: { percent: 0 },
    async set({ percent: value }, call) {
      events.push(`start ${value}`)
      if (value === 0) return
      try {
        await gate(value).pass(call.signal)
        events.push(`end ${value}`)
      } catch (thrown) {
        events.push(`stop ${value}`)
        throw thrown
      }
    },
    ...more,
  }
  return { gate, actuator }
}

const textOf = (answer: any): string => answer.result.content[0].text

describe('opening', () => {
  it('takes the hardware once, and the first thing that happens is the safe state', async () => {
    const { server, events } = workshop()
    expect(events).toEqual([])
    await Promise.all([server.open(), server.open()])
    await server.open()
    expect(events).toEqual(['open', ['fan', 0], ['saw', 0]])
  })

  it('happens by itself at the first call, and calls wait for it', async () => {
    const opened = new Gate()
    const { client, events } = workshop({ open: () => opened.pass(new AbortController().signal) })
    const calls = [client.modern('tools/call', { name: 'fan', arguments: { percent: 30 } })]
    calls.push(client.modern('tools/call', { name: 'saw', arguments: { percent: 40 } }))
    expect(await client.modern('tools/list')).toHaveProperty('result')
    expect(events).toEqual([])
    opened.open()
    await Promise.all(calls)
    expect(events).toEqual([
      ['fan', 0],
      ['saw', 0],
      ['fan', 30],
      ['saw', 40],
    ])
  })

  it('is not needed to be looked at: lists, discovery and handshake answer at once', async () => {
    const { client, events } = workshop({ open: () => new Promise(() => {}) })
    await client.initialize()
    await client.request('tools/list')
    await client.modern('server/discover')
    expect(events).toEqual([])
  })

  it('a call that is cancelled while the hardware is opened never moves anything', async () => {
    const opened = new Gate()
    const { client, events } = workshop({ open: () => opened.pass(new AbortController().signal) })
    void client.modern('tools/call', { name: 'fan', arguments: { percent: 30 } }, undefined, 1)
    client.notify('notifications/cancelled', { requestId: 1 })
    opened.open()
    await settled()
    expect(events).toEqual([
      ['fan', 0],
      ['saw', 0],
    ])
    expect(client.heard).toEqual([])
  })

  it.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('/dev/ttyACM0 does not exist: plug the board in')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('/dev/ttyACM0 does not exist: plug the board in')
      },
    ],
  ])('that %s: calls fail with its message, each time, and the operator reads it once', async (_name, open) => {
    const { client, server, diagnosed, events } = workshop({ open, sensors: { light: { read: () => 1 } } })
    const message = 'shop could not be opened: /dev/ttyACM0 does not exist: plug the board in'
    await expect(server.open()).rejects.toThrow(message)
    for (let i = 0; i < 2; i++) {
      const { result } = await client.modern('tools/call', { name: 'fan', arguments: { percent: 1 } })
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: `fan: ${message}` }] })
      expect((await client.modern('resources/read', { uri: 'sensor://shop/light' })).error).toEqual({
        code: -32603,
        message,
      })
      expect((await client.modern('resources/read', { uri: 'sensor://shop' })).error).toEqual({ code: -32603, message })
    }
    expect(await client.modern('tools/list')).toHaveProperty('result')
    expect(diagnosed.filter(text => text.startsWith('shop could not be opened'))).toHaveLength(1)
    expect(events).toEqual([])
    expect(await server.makeSafe()).toEqual([])
    server.makeSafeNow()
    await server.close()
    expect(events).toEqual([])
  })

  it('tells the operator which actuators could not be made safe, and goes on', async () => {
    const { server, client, diagnosed } = workshop({
      actuators: {
        stuck: {
          safe: {},
          set: () => {
            throw new Error('the relay is welded')
          },
        },
        fan: { inputSchema: percent, safe: { percent: 0 }, set: () => {} },
      },
    })
    await server.open()
    expect(diagnosed.join('\n')).toContain('stuck could not be made safe: the relay is welded')
    expect(
      (await client.modern('tools/call', { name: 'fan', arguments: { percent: 1 } })).result.isError,
    ).toBeUndefined()
  })
})

describe('a device has one owner', () => {
  it('who comes second is told who has it; who comes after the first has left gets it', async () => {
    const owner = processOwner()
    const shop = (name: string, title?: string) =>
      workshop({ name, device: '/dev/ttyACM0', ...(title === undefined ? {} : { title }) }, { owner })
    const first = shop('one', 'The first shop')
    const second = shop('two')
    await first.server.open()
    const message =
      'two could not be opened: /dev/ttyACM0 is in use by The first shop: one program at a time may have it'
    await expect(second.server.open()).rejects.toThrow(message)
    expect(textOf(await second.client.modern('tools/call', { name: 'fan', arguments: { percent: 1 } }))).toBe(
      `fan: ${message}`,
    )
    expect(second.events).toEqual([])
    // The loser gives nothing back that it never had.
    await second.server.close()
    await expect(shop('three').server.open()).rejects.toThrow('The first shop')
    await first.server.close()
    await shop('four').server.open()
  })

  it('servers of one process share an owner', async () => {
    const [a, b] = [workshop({ name: 'a', device: 'test-device-1' }), workshop({ name: 'b', device: 'test-device-1' })]
    await a.server.open()
    await expect(b.server.open()).rejects.toThrow('test-device-1 is in use by a')
    await a.server.close()
  })

  it('a device whose board does not open is given back', async () => {
    const owner = processOwner()
    const broken = workshop(
      {
        device: 'd',
        open: () => {
          throw new Error('no')
        },
      },
      { owner },
    )
    await expect(broken.server.open()).rejects.toThrow('no')
    await workshop({ device: 'd' }, { owner }).server.open()
    expect(() => owner.own('d', 'me')).toThrow(DeviceBusyError)
  })
})

describe('closing', () => {
  it('makes safe first, then gives the hardware back, once', async () => {
    const events: string[] = []
    const owner = { own: () => ({ release: () => void events.push('release') }) }
    const { server } = workshop(
      {
        device: 'd',
        actuators: { fan: { inputSchema: percent, safe: { percent: 0 }, set: () => void events.push('safe') } },
        open: () => void events.push('open'),
        close: () => void events.push('close'),
      },
      { owner },
    )
    await server.open()
    await Promise.all([server.close(), server.close('again')])
    await server.close()
    expect(events).toEqual(['open', 'safe', 'safe', 'close', 'release'])
  })

  it('of a server that was never opened touches nothing', async () => {
    const { server, events } = workshop()
    await server.close()
    expect(events).toEqual([])
    await expect(server.open()).rejects.toThrow('closed')
    expect(events).toEqual([])
  })

  it('while it opens waits for the hardware, makes it safe and gives it back; waiting calls never move', async () => {
    const opened = new Gate()
    const events: unknown[] = []
    const { server, client } = workshop({
      open: () => opened.pass(new AbortController().signal).then(() => void events.push('open')),
      close: () => void events.push('close'),
      actuators: {
        fan: { inputSchema: percent, safe: { percent: 0 }, set: args => void events.push((args as any).percent) },
      },
    })
    const call = client.modern('tools/call', { name: 'fan', arguments: { percent: 30 } })
    const closing = server.close('going home')
    opened.open()
    await closing
    expect(events.filter(event => event !== 0)).toEqual(['open', 'close'])
    expect(events.indexOf(0)).toBeGreaterThan(0)
    expect((await call).result.isError).toBe(true)
  })

  it('breaks off calls, and still answers them with the reason', async () => {
    const events: unknown[] = []
    const { actuator } = slow(events)
    const { server, client, clock } = workshop(
      { actuators: { lift: actuator } },
      {
        tools: { hold: { call: (_args, call) => new Gate().pass(call.signal) } },
      },
    )
    const running = client.modern('tools/call', { name: 'lift', arguments: { percent: 50 } })
    const waiting = client.modern('tools/call', { name: 'lift', arguments: { percent: 60 } })
    const holding = client.modern('tools/call', { name: 'hold' })
    await settled()
    await server.close('The host closed the input')
    expect(textOf(await running)).toContain('The host closed the input')
    expect(textOf(await waiting)).toContain('The host closed the input')
    expect(textOf(await holding)).toBe('hold: The host closed the input')
    // At once, and once more when the move that was broken off is over.
    expect(events.slice(0, 5)).toEqual(['start 0', 'start 50', 'start 0', 'stop 50', 'start 0'])
    expect(events.slice(5).every(event => event === 'start 0')).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('a call that takes a moment to stop is still answered', async () => {
    const { server, client, clock } = workshop(
      { actuators: {} },
      {
        tools: {
          tidy: {
            call: (_args, call) =>
              new Gate().pass(call.signal).catch(async () => {
                await clock.advance(99)
                return 'tidied up'
              }),
          },
        },
      },
    )
    const call = client.modern('tools/call', { name: 'tidy' })
    await server.close()
    expect(textOf(await call)).toBe('tidied up')
    expect(clock.pending).toBe(0)
  })

  it('does not wait for ever for a call that does not heed its signal', async () => {
    const { server, client, clock } = workshop({}, { tools: { deaf: { call: () => new Promise(() => {}) } } })
    void client.modern('tools/call', { name: 'deaf' })
    const closing = server.close()
    await clock.advance(100)
    await closing
    expect(client.heard).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('a board that fails to close is told to the operator, and the device is given back', async () => {
    const owner = processOwner()
    const { server, diagnosed } = workshop(
      {
        device: 'd',
        close: () => {
          throw new Error('stuck')
        },
      },
      { owner },
    )
    await server.open()
    await server.close()
    expect(diagnosed.join()).toContain('shop could not be closed: Error: stuck')
    await workshop({ device: 'd' }, { owner }).server.open()
  })

  it('nothing is sent to a client any more', async () => {
    const { server, client } = workshop()
    await client.initialize()
    await server.close()
    client.heard.length = 0
    server.tools.set('more', { call: () => '' })
    server.log('emergency', 'x')
    client.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await settled()
    expect(client.heard).toEqual([])
  })

  it('one client leaving touches no other', async () => {
    const { server, client } = workshop()
    const other = new TestClient(server)
    await other.initialize()
    client.leave()
    server.tools.set('more', { call: () => '' })
    await settled()
    expect(other.told('notifications/tools/list_changed')).toHaveLength(1)
  })
})

describe('making safe', () => {
  it('breaks off what runs, refuses what waits, and calls after it move again', async () => {
    const events: unknown[] = []
    const { actuator, gate } = slow(events)
    const { server, client, clock } = workshop({ actuators: { lift: actuator } })
    await server.open()
    const running = client.modern('tools/call', { name: 'lift', arguments: { percent: 50 } })
    const waiting = client.modern('tools/call', { name: 'lift', arguments: { percent: 60 } })
    await settled()
    events.length = 0
    expect(await server.makeSafe()).toEqual([])
    // At once, and once more when the move that was broken off is over.
    expect(events.slice(0, 3)).toEqual(['start 0', 'stop 50', 'start 0'])
    expect(events.slice(3).every(event => event === 'start 0')).toBe(true)
    for (const answer of [await running, await waiting]) {
      expect(answer.result).toMatchObject({ isError: true })
      expect(textOf(answer)).toContain('safe state')
    }
    gate(70).open()
    expect(
      (await client.modern('tools/call', { name: 'lift', arguments: { percent: 70 } })).result.isError,
    ).toBeUndefined()
    expect(events.at(-1)).toBe('end 70')
    expect(clock.pending).toBe(0)
  })

  it('does not wait for a move that does not stop', async () => {
    const sets: number[] = []
    const { server, client, clock, diagnosed } = workshop({
      actuators: {
        deaf: {
          inputSchema: percent,
          safe: { percent: 0 },
          set: ({ percent: value }: any) => {
            sets.push(value)
            return value === 0 ? undefined : new Promise(() => {})
          },
        },
      },
    })
    await server.open()
    const call = client.modern('tools/call', { name: 'deaf', arguments: { percent: 50 } })
    await settled()
    const safe = server.makeSafe()
    expect(sets).toEqual([0, 50, 0])
    await clock.advance(1000)
    expect(await safe).toEqual([])
    expect((await call).result.isError).toBe(true)
    expect(diagnosed.join()).toContain('deaf did not stop when it was told to')
    expect(sets.at(-1)).toBe(0)
  })

  it('says which actuator did not reach its safe state, and makes the others safe', async () => {
    const sets: string[] = []
    let broken = false
    const { server, clock } = workshop({
      actuators: {
        throws: {
          safe: {},
          set: () => {
            if (broken) throw new Error('no power')
          },
        },
        hangs: { safe: {}, set: () => (broken ? new Promise(() => {}) : undefined) },
        works: { safe: {}, set: () => void sets.push('works') },
        nothing: { safe: null, set: () => void sets.push('never') },
      },
    })
    await server.open()
    broken = true
    sets.length = 0
    const failures = server.makeSafe()
    await clock.advance(1000)
    expect(await failures).toEqual([
      'throws could not be made safe: no power',
      'hangs did not reach its safe state in 1 s: check it',
    ])
    expect(sets).toEqual(['works'])
    sets.length = 0
    server.makeSafeNow()
    expect(sets).toEqual(['works'])
  })

  it('at once is done before the call returns', async () => {
    const { server, events } = workshop()
    server.makeSafeNow()
    expect(events).toEqual([])
    await server.open()
    events.length = 0
    server.makeSafeNow()
    expect(events).toEqual([
      ['fan', 0],
      ['saw', 0],
    ])
  })

  it('asks nobody and tells nobody', async () => {
    const { server, client } = workshop({
      actuators: {
        fan: {
          safe: {},
          async set(_args, call) {
            call.progress(1)
            call.log('emergency', 'x')
            await expect(call.roots()).rejects.toThrow('Nobody can be asked')
            expect(call.clientCapabilities).toEqual({})
          },
        },
      },
    })
    await client.initialize('2025-11-25', { roots: {} })
    client.heard.length = 0
    await server.open()
    expect(await server.makeSafe()).toEqual([])
    expect(client.heard).toEqual([])
  })
})

describe('the calls of one actuator', () => {
  function lift(more: Partial<Actuator<any>> = {}) {
    const events: unknown[] = []
    const { actuator, gate } = slow(events, more)
    const bench = workshop({ actuators: { lift: actuator, other: { safe: null, set: () => 'free' } } })
    const move = (value: number, id?: string | number) =>
      bench.client.modern('tools/call', { name: 'lift', arguments: { percent: value } }, undefined, id)
    return {
      ...bench,
      events,
      gate,
      move,
      ready: async () => {
        await bench.server.open()
        events.length = 0
      },
    }
  }

  it('run one after the other, in the order in which they came, and hold up no other actuator', async () => {
    const { move, gate, events, ready, client } = lift()
    await ready()
    const moves = [10, 20, 30].map(value => move(value))
    await settled()
    expect(events).toEqual(['start 10'])
    expect((await client.modern('tools/call', { name: 'other' })).result.isError).toBeUndefined()
    gate(30).open()
    gate(20).open()
    await settled()
    expect(events).toEqual(['start 10'])
    gate(10).open()
    await Promise.all(moves)
    expect(events).toEqual(['start 10', 'end 10', 'start 20', 'end 20', 'start 30', 'end 30'])
  })

  it('of two clients take turns too', async () => {
    const { move, gate, events, ready, server } = lift()
    await ready()
    const first = move(10)
    const second = new TestClient(server).modern('tools/call', { name: 'lift', arguments: { percent: 20 } })
    await settled()
    expect(events).toEqual(['start 10'])
    gate(10).open()
    gate(20).open()
    await Promise.all([first, second])
  })

  it('that fail do not hold up the next', async () => {
    const { move, ready } = lift({
      set: ({ percent: value }) => {
        if (value === 10) throw new Error('jammed')
        if (value === 20) return Promise.reject(new Error('jammed later'))
        return undefined
      },
    })
    await ready()
    const answers = await Promise.all([10, 20, 30].map(value => move(value)))
    expect(answers.map(({ result }) => result.isError ?? false)).toEqual([true, true, false])
    expect(textOf(answers[1])).toBe('lift: jammed later')
  })

  it('that are cancelled while they wait never move anything', async () => {
    const { move, gate, events, ready, client } = lift()
    await ready()
    const first = move(10)
    for (const value of [20, 30]) void move(value, value)
    const last = move(40)
    await settled()
    client.notify('notifications/cancelled', { requestId: 20 })
    client.notify('notifications/cancelled', { requestId: 30 })
    gate(10).open()
    gate(40).open()
    await Promise.all([first, last])
    expect(events).toEqual(['start 10', 'end 10', 'start 40', 'end 40'])
    expect([...client.answers(20), ...client.answers(30)]).toEqual([])
  })

  it.each<[string, Partial<Actuator<any>>]>([
    ['throws', {}],
    [
      'returns as if nothing were',
      {
        async set({ percent: value }, call) {
          if (value === 0 || call.signal.aborted) return
          await new Promise(resolve => call.signal.addEventListener('abort', resolve))
        },
      },
    ],
  ])(
    'that are cancelled half-way end in the safe state, before the next one starts: a move that %s',
    async (_name, more) => {
      const events: unknown[] = []
      const { actuator, gate } = slow(events, more)
      const recorded: Actuator<any> = {
        ...actuator,
        set(args, call) {
          events.push(`set ${args.percent}`)
          return actuator.set(args, call)
        },
      }
      const { server, client, clock } = workshop({ actuators: { lift: recorded } })
      await server.open()
      events.length = 0
      void client.modern('tools/call', { name: 'lift', arguments: { percent: 50 } }, undefined, 1)
      const next = client.modern('tools/call', { name: 'lift', arguments: { percent: 60 } }, undefined, 2)
      await settled()
      client.notify('notifications/cancelled', { requestId: 1 })
      await settled()
      expect(events.filter(event => String(event).startsWith('set'))).toEqual(['set 50', 'set 0', 'set 60'])
      expect(client.answers(1)).toEqual([])
      gate(60).open()
      client.notify('notifications/cancelled', { requestId: 2 })
      await settled()
      void next
      expect(clock.pending).toBe(0)
    },
  )

  it.each<[string, Partial<Actuator<any>>]>([
    ['throws', { timeoutMs: 5000 }],
    [
      'returns as if it were done',
      {
        timeoutMs: 5000,
        async set({ percent: value }, call) {
          if (value === 0 || call.signal.aborted) return
          await new Promise(resolve => call.signal.addEventListener('abort', resolve))
        },
      },
    ],
  ])('that take too long are stopped, made safe, and told as failed: a move that %s', async (_name, more) => {
    const sets: number[] = []
    const { actuator } = slow([], more)
    const { server, client, clock } = workshop({
      actuators: {
        lift: {
          ...actuator,
          set(args, call) {
            sets.push(args.percent)
            return actuator.set(args, call)
          },
        },
      },
    })
    await server.open()
    const call = client.modern('tools/call', { name: 'lift', arguments: { percent: 50 } })
    await clock.advance(4999)
    expect(sets).toEqual([0, 50])
    await clock.advance(1)
    expect(sets).toEqual([0, 50, 0])
    expect((await call).result.isError).toBe(true)
    expect(textOf(await call)).toContain('not done after 5 s')
    expect(clock.pending).toBe(0)
  })

  it('have a minute when nothing else is said', async () => {
    const { move, clock, events, ready } = lift()
    await ready()
    void move(10)
    await clock.advance(59_999)
    expect(events).toEqual(['start 10'])
    await clock.advance(1)
    expect(events).toEqual(['start 10', 'stop 10', 'start 0'])
  })

  it('that do not heed their signal do not block the next for ever', async () => {
    const sets: number[] = []
    const { client, server, clock, diagnosed } = workshop({
      actuators: {
        deaf: {
          inputSchema: percent,
          safe: { percent: 0 },
          timeoutMs: 5000,
          set: ({ percent: value }: any) => {
            sets.push(value)
            return value === 50 ? new Promise(() => {}) : undefined
          },
        },
      },
    })
    await server.open()
    const first = client.modern('tools/call', { name: 'deaf', arguments: { percent: 50 } })
    const second = client.modern('tools/call', { name: 'deaf', arguments: { percent: 60 } })
    await clock.advance(5999)
    expect(sets).toEqual([0, 50])
    await clock.advance(1)
    expect((await first).result.isError).toBe(true)
    expect((await second).result.isError).toBeUndefined()
    expect(sets).toEqual([0, 50, 0, 60])
    expect(diagnosed.join()).toContain('deaf did not stop')
  })

  it('whose safe state fails say so', async () => {
    let broken = false
    const { actuator } = slow([], { timeoutMs: 5000 })
    const { server, client, clock } = workshop({
      actuators: {
        lift: {
          ...actuator,
          set(args, call) {
            if (args.percent === 0 && broken) throw new Error('the brake is worn')
            return actuator.set(args, call)
          },
        },
      },
    })
    await server.open()
    broken = true
    const call = client.modern('tools/call', { name: 'lift', arguments: { percent: 50 } })
    await clock.advance(5000)
    expect(textOf(await call)).toMatch(/not done after 5 s.*lift could not be made safe: the brake is worn/)
  })

  it('with a safe state of null are stopped and left as they are', async () => {
    const { move, clock, events, ready, client } = lift({ safe: null, timeoutMs: 5000 })
    await ready()
    const call = move(10)
    await clock.advance(5000)
    expect((await call).result.isError).toBe(true)
    void move(20, 'b')
    await settled()
    client.notify('notifications/cancelled', { requestId: 'b' })
    await settled()
    expect(events).toEqual(['start 10', 'stop 10', 'start 20', 'stop 20'])
    expect(clock.pending).toBe(0)
  })
})

describe('sensors', () => {
  function shelf(sensor: Partial<Sensor>, more: Partial<Board> = {}) {
    const bench = workshop({ sensors: { soil: { read: () => 1, ...sensor } }, ...more })
    const read = async (uri = 'sensor://shop/soil') => bench.client.modern('resources/read', { uri })
    const value = async () => JSON.parse((await read()).result.contents[0].text)[0].v
    return { ...bench, read, value }
  }
  /** A sensor that gives what the test says, and counts. */
  function scripted(values: (SensorValue | Error)[]) {
    let reads = 0
    return {
      reads: () => reads,
      read: async () => {
        const value = values[Math.min(reads++, values.length - 1)]!
        if (value instanceof Error) throw value
        return value
      },
    }
  }
  const uri = 'sensor://shop/soil'

  it('are resources of SenML and of a line to read', async () => {
    const { read } = shelf({ title: 'Soil', unit: 'Cel', ttlMs: 2000, read: () => 21.5 })
    expect((await read()).result).toMatchObject({
      ttlMs: 2000,
      cacheScope: 'private',
      contents: [
        { uri, mimeType: 'application/senml+json', text: expect.stringContaining('"n":"soil","u":"Cel","v":21.5') },
        { uri, mimeType: 'text/plain', text: 'Soil: 21.5 °C' },
      ],
    })
  })

  it('are read once for all who ask at the same time', async () => {
    let finish: (value: number) => void = () => {}
    let reads = 0
    const { client, read } = shelf({
      read: () => {
        reads++
        return new Promise<number>(resolve => {
          finish = resolve
        })
      },
    })
    const asked = [read(), read(), read('sensor://shop'), client.modern('resources/read', { uri })]
    await settled()
    finish(7)
    const answers = await Promise.all(asked)
    expect(reads).toBe(1)
    expect(answers.every(({ result }) => result.contents[0].text.includes('"v":7'))).toBe(true)
  })

  it('are read anew when the last value is older than its ttl, and not before', async () => {
    const { reads, read } = scripted([1, 2, 3])
    const { value, clock } = shelf({ ttlMs: 1000, read })
    expect(await value()).toBe(1)
    await clock.advance(999)
    expect(await value()).toBe(1)
    await clock.advance(1)
    expect(await value()).toBe(2)
    expect(reads()).toBe(2)
  })

  it('without a ttl are read each time', async () => {
    const { value } = shelf({ read: scripted([1, 2, 3]).read })
    expect([await value(), await value(), await value()]).toEqual([1, 2, 3])
  })

  it('are read anew after an actuator moved', async () => {
    const { value, client } = shelf({ ttlMs: 60_000, read: scripted([1, 2]).read })
    expect(await value()).toBe(1)
    await client.modern('tools/call', { name: 'fan', arguments: { percent: 1 } })
    expect(await value()).toBe(2)
  })

  it('that were being read while an actuator moved are read anew too', async () => {
    const finish: ((value: number) => void)[] = []
    const { value, client } = shelf({
      ttlMs: 60_000,
      read: () => new Promise<number>(resolve => void finish.push(resolve)),
    })
    const before = value()
    await settled()
    await client.modern('tools/call', { name: 'fan', arguments: { percent: 1 } })
    const meanwhile = value()
    await settled()
    // One reading at a time: who asks after the move waits for the next one.
    expect(finish).toHaveLength(1)
    finish[0]!(1)
    expect(await before).toBe(1)
    const after = value()
    await settled()
    finish[1]!(2)
    expect([await meanwhile, await after]).toEqual([2, 2])
    expect(finish).toHaveLength(2)
  })

  it.each<[string, Partial<Sensor>, RegExp]>([
    [
      'throws',
      {
        read: () => {
          throw new Error('no answer at 0x76: check the wiring')
        },
      },
      /^soil: no answer at 0x76: check the wiring$/,
    ],
    ['rejects', { read: () => Promise.reject(new Error('no answer')) }, /^soil: no answer$/],
    [
      'slips',
      {
        read: () => {
          throw new TypeError('x is undefined')
        },
      },
      /^soil: Internal error$/,
    ],
    ['gives NaN', { read: () => Number.NaN }, /^soil: it gave NaN instead of a number$/],
    ['gives a text', { read: () => 'wet' }, /^soil: it gave the text "wet" instead of a number$/],
    ['gives nothing', { read: () => undefined as never }, /^soil: it gave undefined instead of a number$/],
    [
      'gives too little',
      { minimum: -40, maximum: 85, unit: 'Cel', read: () => -127 },
      /^soil: it gave -127 Cel, which lies outside -40 to 85/,
    ],
    [
      'gives too much',
      { minimum: -40, maximum: 85, read: async () => 85.1 },
      /^soil: it gave 85.1 .*outside -40 to 85/,
    ],
    [
      'gives a fraction for a whole number',
      { type: 'integer', read: () => 1.5 },
      /^soil: it gave 1.5 instead of a whole number$/,
    ],
    ['gives a number for a yes', { type: 'boolean', read: () => 1 }, /^soil: it gave 1 instead of a boolean$/],
    ['gives a number for a text', { type: 'string', read: () => 1 }, /^soil: it gave 1 instead of a string$/],
    [
      'gives a text for data',
      { type: 'data', read: () => 'x' },
      /^soil: it gave the text "x" instead of a Uint8Array$/,
    ],
  ])('one that %s is an error that names it, never a value', async (_name, sensor, message) => {
    const { read } = shelf(sensor)
    const { error } = await read()
    expect(error).toEqual({ code: -32603, message: expect.stringMatching(message) })
  })

  it.each([[-40], [85], [0]])('a value at the edge of what is possible is a value: %d', async edge => {
    const { value } = shelf({ minimum: -40, maximum: 85, read: () => edge })
    expect(await value()).toBe(edge)
  })

  it('one that does not answer fails in its time, its signal aborts, and it is asked again next time', async () => {
    let signal: AbortSignal | undefined
    let reads = 0
    const { read, clock, value } = shelf({
      timeoutMs: 3000,
      read: request => {
        signal = request.signal
        return reads++ === 0 ? new Promise(() => {}) : 5
      },
    })
    const asked = read()
    await clock.advance(2999)
    expect(signal!.aborted).toBe(false)
    await clock.advance(1)
    expect((await asked).error.message).toBe('soil: no answer in 3 s: check its wiring and its power')
    expect(signal!.aborted).toBe(true)
    expect(await value()).toBe(5)
    expect(clock.pending).toBe(0)
  })

  it('a dead one costs only its own value when all are read', async () => {
    const { client } = workshop({
      sensors: {
        dead: {
          title: 'Dead',
          read: () => {
            throw new Error('gone')
          },
        },
        air: { title: 'Air', read: () => 1 },
        soil: { title: 'Soil', read: async () => 2 },
      },
    })
    const { contents } = (await client.modern('resources/read', { uri: 'sensor://shop' })).result
    expect(JSON.parse(contents[0].text).map(({ v }: any) => v)).toEqual([1, 2])
    expect(contents[1].text).toBe('Dead: no reading. dead: gone\nAir: 1\nSoil: 2')
  })

  describe('while somebody is subscribed', () => {
    async function watching(sensor: Partial<Sensor>) {
      const bench = shelf(sensor)
      await bench.client.initialize()
      await bench.client.request('resources/subscribe', { uri })
      await settled()
      const told = () => bench.client.told('notifications/resources/updated').length
      const leave = () => bench.client.request('resources/unsubscribe', { uri })
      return { ...bench, told, leave }
    }

    it('are polled each second, and a change is told once', async () => {
      const { reads, read } = scripted([1, 1, 2, 2, 3])
      const { clock, told, leave } = await watching({ read })
      expect([reads(), told()]).toEqual([1, 0])
      await clock.advance(1000)
      expect([reads(), told()]).toEqual([2, 0])
      await clock.advance(1000)
      expect([reads(), told()]).toEqual([3, 1])
      await clock.advance(2000)
      expect([reads(), told()]).toEqual([5, 2])
      await leave()
      await clock.advance(10_000)
      expect(reads()).toBe(5)
      expect(clock.pending).toBe(0)
    })

    it('are polled no faster than new values come', async () => {
      const { reads, read } = scripted([1, 2, 3])
      const { clock } = await watching({ read, ttlMs: 5000 })
      await clock.advance(4999)
      expect(reads()).toBe(1)
      await clock.advance(1)
      expect(reads()).toBe(2)
    })

    it('tell of changes beyond the dead band only, counted from what was told last', async () => {
      const { clock, told } = await watching({ deadBand: 1, read: scripted([10, 10.9, 11, 11.1, 12, 12.2]).read })
      const seen: number[] = []
      for (let i = 0; i < 5; i++) {
        await clock.advance(1000)
        seen.push(told())
      }
      expect(seen).toEqual([0, 0, 1, 1, 2])
    })

    it('tell once that they stopped answering, and once that they answer again', async () => {
      const gone = new Error('gone')
      const { clock, told } = await watching({ read: scripted([1, gone, gone, gone, 1, 1]).read })
      const seen: number[] = []
      for (let i = 0; i < 5; i++) {
        await clock.advance(1000)
        seen.push(told())
      }
      expect(seen).toEqual([1, 1, 1, 2, 2])
    })

    it('with a source of changes are not polled; changes come at most as often as said, the last one is never lost', async () => {
      let changed: (value: SensorValue) => void = () => {}
      const events: string[] = []
      const { reads, read } = scripted([1])
      const { clock, told, leave } = await watching({
        read,
        minIntervalMs: 2000,
        watch: tell => {
          changed = tell
          events.push('watch')
          return () => void events.push('unwatch')
        },
      })
      expect([reads(), told()]).toEqual([1, 0])
      changed(2)
      expect(told()).toBe(1)
      for (let i = 3; i < 100; i++) changed(i)
      expect(told()).toBe(1)
      await clock.advance(1999)
      expect(told()).toBe(1)
      await clock.advance(1)
      expect(told()).toBe(2)
      await clock.advance(60_000)
      expect([reads(), told()]).toEqual([1, 2])
      changed(100)
      changed(101)
      await leave()
      changed(102)
      await clock.advance(60_000)
      expect(told()).toBe(3)
      expect(events).toEqual(['watch', 'unwatch'])
      expect(clock.pending).toBe(0)
    })

    it.each<[string, SensorValue[], number]>([
      ['yes and no', [true, true, false], 1],
      ['texts', ['a', 'a', 'b'], 1],
      ['bytes', [new Uint8Array([1]), new Uint8Array([1]), new Uint8Array([2])], 1],
    ])('compare %s by what they say', async (_name, values, changes) => {
      const types = { boolean: 'boolean', string: 'string', object: 'data' } as const
      const { clock, told } = await watching({
        type: types[typeof values[0] as keyof typeof types],
        read: scripted(values).read,
      })
      await clock.advance(5000)
      expect(told()).toBe(changes)
    })

    it('two watchers cost one, and all sensors of the board are watched by its own resource', async () => {
      const { reads, read } = scripted([1, 2, 3])
      const { client, server, clock } = await watching({ read })
      const other = new TestClient(server)
      await other.initialize()
      await other.request('resources/subscribe', { uri: 'sensor://shop' })
      await settled()
      const before = reads()
      await clock.advance(1000)
      expect(reads()).toBe(before + 1)
      expect(other.told('notifications/resources/updated').map(({ params }) => params.uri)).toEqual(['sensor://shop'])
      client.leave()
      other.leave()
      expect(clock.pending).toBe(0)
    })
  })

  describe('the tool that reads them', () => {
    const sensors: Record<string, Sensor> = {
      air: { title: 'Air', unit: 'Cel', minimum: -40, maximum: 85, description: 'At the door.', read: () => 21.5 },
      door: { type: 'boolean', read: () => true },
      tag: { type: 'data', read: () => new Uint8Array(3) },
      dead: {
        read: () => {
          throw new Error('gone')
        },
      },
    }

    it('is there when asked for, and says that it changes nothing', async () => {
      const listed = async (options: ServerOptions) =>
        (await workshop({ sensors, actuators: {} }, options).client.modern('tools/list')).result?.tools
      expect(await listed({})).toBeUndefined()
      const [tool] = await listed({ readSensorsTool: true })
      expect(tool).toMatchObject({
        name: 'read_sensors',
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      })
      expect(tool.description).toContain('- air: At the door. (-40 to 85, unit Cel)')
    })

    it('reads all, or those that are named; a dead one says why', async () => {
      const { client, clock } = workshop({ sensors }, { readSensorsTool: true })
      const all = (await client.modern('tools/call', { name: 'read_sensors' })).result
      const time = new Date(clock.now()).toISOString()
      expect(all.structuredContent.readings).toEqual([
        { sensor: 'air', value: 21.5, unit: 'Cel', time },
        { sensor: 'door', value: true, time },
        { sensor: 'tag', value: '3 bytes', time },
        { sensor: 'dead', error: 'dead: gone' },
      ])
      expect(all.content[0].text).toContain('Air: 21.5 °C\n')
      const some = (await client.modern('tools/call', { name: 'read_sensors', arguments: { sensors: ['door'] } }))
        .result
      expect(some.structuredContent.readings.map(({ sensor }: any) => sensor)).toEqual(['door'])
      expect(
        (await client.modern('tools/call', { name: 'read_sensors', arguments: { sensors: ['nobody'] } })).result
          .isError,
      ).toBe(true)
    })
  })
})

describe('registries', () => {
  it('tell once a turn that a list changed, however much changed', async () => {
    const { client, server } = workshop()
    await client.initialize()
    client.heard.length = 0
    for (let i = 0; i < 100; i++) server.tools.set(`tool_${i}`, { call: () => '' })
    server.tools.delete('tool_3')
    server.resources.set('a:b', { read: () => '' })
    server.resourceTemplates.set('a:{b}', { read: () => '' })
    server.prompts.set('p', { get: () => '' })
    expect(client.heard).toEqual([])
    await settled()
    expect(client.heard.map(({ method }) => method)).toEqual(
      ['tools', 'resources', 'prompts'].map(feature => `notifications/${feature}/list_changed`),
    )
    server.tools.delete('tool_4')
    await settled()
    expect(client.heard).toHaveLength(4)
    expect(server.tools.delete('nobody')).toBe(false)
    await settled()
    expect(client.heard).toHaveLength(4)
  })

  it('a replaced tool keeps its place, is called anew, and one that is gone is unknown', async () => {
    const { client, server } = workshop()
    server.tools.set('a', { call: () => 'old' })
    server.tools.set('b', { call: () => 'b' })
    server.tools.set('a', { title: 'New', call: () => 'new' })
    const { tools } = (await client.modern('tools/list')).result
    expect(tools.map(({ name, title }: any) => (name === 'a' ? title : name))).toEqual([
      'fan',
      'saw',
      'stop_all',
      'arm_outputs',
      'New',
      'b',
    ])
    expect(textOf(await client.modern('tools/call', { name: 'a' }))).toBe('new')
    server.tools.delete('a')
    expect((await client.modern('tools/call', { name: 'a' })).error.code).toBe(-32602)
    expect([...server.tools.keys()]).toEqual(['fan', 'saw', 'stop_all', 'arm_outputs', 'b'])
    expect([server.tools.size, server.tools.has('b'), server.tools.get('a')]).toEqual([5, true, undefined])
  })

  it('refuse a bad definition when it is added, and keep the good one', () => {
    const { server } = workshop()
    server.tools.set('a', { call: () => '' })
    expect(() => server.tools.set('a', {} as never)).toThrow(DefinitionError)
    expect(server.tools.get('a')).toHaveProperty('call')
  })
})

describe('mistakes in a board are told when the server is made', () => {
  const fan: Actuator<any> = { inputSchema: percent, safe: { percent: 0 }, set: () => {} }
  const air: Sensor = { read: () => 1 }
  const make =
    (board: unknown, options: unknown = {}) =>
    () =>
      createServer(board as Board, options as ServerOptions)
  const withSensor = (sensor: unknown, name = 'air') => make({ name: 'b', sensors: { [name]: sensor } })
  const withActuator = (actuator: unknown, name = 'fan') => make({ name: 'b', actuators: { [name]: actuator } })

  it.each<[string, () => unknown, RegExp]>([
    ['no board', make(undefined), /needs a board/],
    ['null', make(null), /needs a board/],
    ['a list', make([]), /needs a board/],
    ['no name', make({}), /board "undefined": a name is a letter/],
    ['an empty name', make({ name: '' }), /board ""/],
    ['a name with a space', make({ name: 'my board' }), /board "my board": a name is a letter followed by/],
    ['a name that begins with a digit', make({ name: '1b' }), /board "1b"/],
    ['a name that is too long', make({ name: 'b'.repeat(65) }), /at most 64/],
    ['a sensor with a bad name', withSensor(air, 'air temp'), /sensor "air temp"/],
    ['a sensor without read', withSensor({}), /sensor "air" lacks its function read\(\)/],
    ['a sensor that is nothing', withSensor(undefined), /sensor "air" lacks/],
    [
      'a sensor of an unknown type',
      withSensor({ ...air, type: 'float' }),
      /sensor "air": type is one of number, .*not "float"/,
    ],
    [
      'a sensor with a unit that nobody knows',
      withSensor({ ...air, unit: 'Celsius' }),
      /sensor "air": "Celsius" is no unit.*did you mean "Cel"\?/,
    ],
    [
      'a text with a unit',
      withSensor({ ...air, type: 'string', unit: 'Cel' }),
      /unit, minimum and maximum belong to numbers, and this is a string/,
    ],
    ['a yes or no with a range', withSensor({ ...air, type: 'boolean', minimum: 0 }), /this is a boolean/],
    ['a range upside down', withSensor({ ...air, minimum: 2, maximum: 1 }), /minimum 2 is more than maximum 1/],
    ...['ttlMs', 'deadBand', 'minIntervalMs', 'timeoutMs'].flatMap(member =>
      [-1, Number.NaN, Number.POSITIVE_INFINITY, '5'].map((value): [string, () => unknown, RegExp] => [
        `a sensor whose ${member} is ${JSON.stringify(value) ?? value} (${typeof value})`,
        withSensor({ ...air, [member]: value }),
        new RegExp(`sensor "air": ${member} must be a number`),
      ]),
    ),
    ['an actuator with a bad name', withActuator(fan, 'fan!'), /actuator "fan!"/],
    ['an actuator without set', withActuator({ safe: null }), /actuator "fan" lacks its function set\(args\)/],
    [
      'an actuator without a safe state',
      withActuator({ set: () => {} }),
      /actuator "fan" lacks its safe state: give .* or null/,
    ],
    [
      'a safe state that does not fit',
      withActuator({ ...fan, safe: { percent: 'off' } }),
      /actuator "fan": its safe state does not fit its inputSchema/,
    ],
    [
      'a safe state with arguments that nobody takes',
      withActuator({ safe: { a: 1 }, set: () => {} }),
      /safe state does not fit/,
    ],
    ['an actuator whose timeoutMs is 0', withActuator({ ...fan, timeoutMs: 0 }), /timeoutMs must be a number above 0/],
    [
      'an actuator whose timeoutMs is infinite',
      withActuator({ ...fan, timeoutMs: Number.POSITIVE_INFINITY }),
      /timeoutMs/,
    ],
    [
      'an input schema whose root is no object',
      withActuator({ ...fan, safe: null, inputSchema: { type: 'array' } }),
      /inputSchema of (actuator|tool) "fan".*"type": "object"/,
    ],
    [
      'an input schema that can never work',
      withActuator({ ...fan, safe: null, inputSchema: { type: 'object', properties: { a: { type: 'nmber' } } } }),
      /inputSchema of (actuator|tool) "fan"/,
    ],
    [
      'an output schema that can never work',
      withActuator({ ...fan, outputSchema: { type: 'nmber' } }),
      /outputSchema of tool "fan"/,
    ],
    [
      'an actuator with the name of the tool that reads the sensors',
      make({ name: 'b', sensors: { air }, actuators: { read_sensors: fan } }, { readSensorsTool: true }),
      /read_sensors.*taken/,
    ],
    [
      'a tool with the name of an actuator',
      make({ name: 'b', actuators: { fan } }, { tools: { fan: { call: () => '' } } }),
      /tool "fan" is declared twice/,
    ],
    [
      'a resource with the URI of a sensor',
      make({ name: 'b', sensors: { air } }, { resources: { 'sensor://b/air': { read: () => '' } } }),
      /resource "sensor:\/\/b\/air" is declared twice/,
    ],
    ['a tool with a bad name', make({ name: 'b' }, { tools: { 'a b': { call: () => '' } } }), /tool "a b"/],
    ['a tool without call', make({ name: 'b' }, { tools: { a: {} } }), /tool "a" lacks its function call/],
    [
      'a resource whose URI is none',
      make({ name: 'b' }, { resources: { 'no uri': { read: () => '' } } }),
      /resource "no uri": this is no URI/,
    ],
    [
      'a resource without read',
      make({ name: 'b' }, { resources: { 'a:b': {} } }),
      /resource "a:b" lacks its function read/,
    ],
    [
      'a template without read',
      make({ name: 'b' }, { resourceTemplates: { 'a:{b}': {} } }),
      /resource template "a:\{b\}" lacks/,
    ],
    ['a template that is none', make({ name: 'b' }, { resourceTemplates: { 'a:{b': { read: () => '' } } }), /a:\{b/],
    [
      'a template that completes what it does not have',
      make({ name: 'b' }, { resourceTemplates: { 'a:{b}': { read: () => '', complete: { c: () => [] } } } }),
      /completes "c", which it does not have/,
    ],
    ['a prompt without get', make({ name: 'b' }, { prompts: { p: {} } }), /prompt "p" lacks its function get/],
    ['a prompt without a name', make({ name: 'b' }, { prompts: { '': { get: () => '' } } }), /must have a name/],
    ...['maxLineBytes', 'maxMessageBytes', 'maxCallsInFlight', 'questionTimeoutMs'].flatMap(option =>
      [0, -1, 1.5, Number.NaN, '5'].map((value): [string, () => unknown, RegExp] => [
        `${option} of ${JSON.stringify(value)}`,
        make({ name: 'b' }, { [option]: value }),
        new RegExp(`${option} must be a whole number from 1 on`),
      ]),
    ),
  ])('%s', (_name, made, message) => {
    expect(made).toThrow(DefinitionError)
    expect(made).toThrow(message)
  })

  it('names at the limit are good, and a server is known as one', () => {
    const server = createServer({
      name: 'b'.repeat(64),
      sensors: { ['s'.repeat(64)]: air },
      actuators: { 'A-_9': fan },
    })
    expect(isServer(server)).toBe(true)
    for (const other of [null, undefined, {}, server.board, () => {}]) expect(isServer(other)).toBe(false)
  })
})

describe('the tool of an actuator', () => {
  it('counts as dangerous when nothing is said', async () => {
    const { client } = workshop({
      actuators: {
        silent: { safe: null, set: () => {} },
        lamp: {
          safe: null,
          reversible: true,
          absolute: true,
          reachesBeyond: true,
          set: () => {},
        },
      },
    })
    const { tools } = (await client.modern('tools/list')).result
    expect(tools.slice(0, 2).map(({ annotations }: any) => annotations)).toEqual([
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    ])
    expect(tools[0].inputSchema).toEqual({ type: 'object', additionalProperties: false })
    expect((await client.modern('tools/call', { name: 'silent', arguments: { a: 1 } })).result.isError).toBe(true)
  })
})
