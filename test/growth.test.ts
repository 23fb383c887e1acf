import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { changeLoad, flat, type Load, leastCpu } from '../bench/growth-loads.ts'
import { slope } from '../bench/table.ts'
import { createServer, Framer, tool } from '../runtime/index.ts'
import { modernMeta, TestClient } from './memory-client.ts'

/**
 * How many times as much CPU the second load takes as the first. The least of many short rounds in turn, so that what
 * else the machine does falls out; measured again when it seems too much, since only real growth is there each time.
 */
async function growth(loads: readonly [Load, Load], times: number, most: number): Promise<number> {
  let ratio = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 4 && ratio > most; attempt++) {
    await leastCpu(loads, times, 10)
    const [small, large] = await leastCpu(loads, times, 40)
    ratio = Math.min(ratio, large! / small!)
  }
  return ratio
}

describe('a message costs the same, however much there is beside it', () => {
  it.each(flat.map(growing => ({ ...growing, title: `${growing.name}: ten times the ${growing.of}` })))(
    '$title',
    async ({ make }) => {
      const loads = [await make(1000), await make(10_000)] as const
      onTestFinished(async () => {
        for (const load of loads) await load.close()
      })
      expect(await growth(loads, 64, 1.5)).toBeLessThanOrEqual(1.5)
    },
  )
})

describe('a change of a sensor', () => {
  it.each([1, 10, 100, 1000])('is told to its %i subscribers, and to nobody else', async size => {
    const load = await changeLoad(size, 1000)
    onTestFinished(() => load.close())
    await load.run(3)
    expect(load.told()).toBe(3 * size)
  })

  it('costs the same beside a hundred times as many subscriptions to other sensors', async () => {
    const loads = [await changeLoad(1, 10), await changeLoad(1, 1000)] as const
    onTestFinished(async () => {
      for (const load of loads) await load.close()
    })
    expect(await growth(loads, 100, 1.5)).toBeLessThanOrEqual(1.5)
  })
})

describe('memory', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    collect()
    return process.memoryUsage().heapUsed
  }

  it('does not grow with the messages that were served, whatever became of them', async () => {
    const server = createServer(
      { name: 'growth', sensors: { probe: { read: () => 20 } } },
      {
        tools: {
          at_once: tool({ inputSchema: { type: 'object' }, call: () => 'ok' }),
          later: tool({ inputSchema: { type: 'object' }, call: async () => 'ok' }),
          failing: tool({
            inputSchema: { type: 'object' },
            call: async () => {
              throw new Error('no')
            },
          }),
        },
      },
    )
    await server.open()
    onTestFinished(() => server.close())
    const client = new TestClient(server)
    await client.initialize()
    const uri = 'sensor://growth/probe'
    let id = 0
    const everything = async () => {
      await Promise.all([
        client.callTool('at_once', {}, ++id),
        client.callTool('later', {}, ++id),
        client.callTool('failing', {}, ++id),
        client.callTool('nobody', {}, ++id),
        client.modern('tools/call', { name: 'later', arguments: {} }, modernMeta(), ++id),
        client.request('resources/read', { uri }, ++id),
        client.request('resources/subscribe', { uri }, ++id),
        client.request('tools/list', {}, ++id),
        client.request('no/method', {}, ++id),
      ])
      await client.request('resources/unsubscribe', { uri }, ++id)
      // One is cancelled under way, and one subscription is given up.
      client.send({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name: 'later', arguments: {} } })
      client.notify('notifications/cancelled', { requestId: id })
      const params = { notifications: { resourceSubscriptions: [uri] }, _meta: modernMeta() }
      client.send({ jsonrpc: '2.0', id: ++id, method: 'subscriptions/listen', params })
      client.notify('notifications/cancelled', { requestId: id })
      await client.request('ping', {}, ++id)
      client.heard.length = 0
    }
    const windows = 8
    const each = 150
    const perRound = async () => {
      const found: number[] = []
      for (let window = 0; window < windows; window++) {
        for (let i = 0; i < each; i++) await everything()
        found.push(heap())
      }
      return slope(found.map((bytes, window) => [window * each, bytes]))
    }
    // A call that is kept takes more. What is compiled on the way is no growth: it gets less each time.
    let bytes = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < 5 && bytes > 150; attempt++) bytes = Math.min(bytes, await perRound())
    expect(bytes).toBeLessThanOrEqual(150)
  }, 240_000)
})

describe('the framer', () => {
  const load = (length: number, chunkBytes: number): Load => {
    const chunk = new Uint8Array(chunkBytes).fill(0x78)
    const framer = new Framer({ maxLineBytes: length, onLine: () => {}, onOverlong: () => {} })
    return {
      // As many bytes in either case.
      run: times => {
        for (let left = times; left > 0; left -= length) {
          for (let at = 0; at < length; at += chunkBytes) framer.push(chunk)
          framer.push(newline)
        }
      },
      close: async () => {},
    }
  }
  const newline = Uint8Array.of(0x0a)
  const length = 16 * 1024

  it.each([1, 16, 64, 4096])(
    'takes the same time for a byte of a line that is 64 times as long, in pieces of %i',
    async chunkBytes => {
      const loads = [load(length, chunkBytes), load(64 * length, chunkBytes)] as const
      // Memory for a long line comes from the system, which is slower; work in proportion to the square would be 64 times.
      expect(await growth(loads, 64 * length, 6)).toBeLessThanOrEqual(6)
    },
  )
})
