import { describe, expect, it } from 'vitest'
import { simulate } from '../../boards/simulated/index.ts'
import { type Actuator, type Board, createServer, type Sensor } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'

const never = (): never => {
  throw new Error('the hardware was touched')
}

/** A board of which nothing may ever be called. */
function untouchable(
  sensors: Record<string, Partial<Sensor>>,
  actuators: Record<string, Partial<Actuator<any>>> = {},
): Board {
  return {
    name: 'real',
    open: never,
    close: never,
    makeSafe: never,
    arm: never,
    device: '/dev/real',
    sensors: Object.fromEntries(
      Object.entries(sensors).map(([name, each]) => [name, { read: never, watch: never, ...each }]),
    ),
    actuators: Object.fromEntries(
      Object.entries(actuators).map(([name, each]) => [
        name,
        { safe: { to: 0 }, inputSchema: to, set: never, ...each },
      ]),
    ),
  }
}

const to = { type: 'object', properties: { to: { type: ['number', 'boolean'] } }, required: ['to'] } as const

function served(board: Board) {
  const server = createServer(simulate(board), { readSensorsTool: true })
  const client = new TestClient(server)
  const call = async (name: string, args: object = {}) =>
    (await client.modern('tools/call', { name, arguments: args })).result
  const read = async (sensor: string) =>
    (await call('read_sensors', { sensors: [sensor] })).structuredContent.readings[0].value
  return { server, client, call, read }
}

describe('a simulated board', () => {
  it('lives its whole life without its hardware, and says what it is', async () => {
    const { server, call, client } = served(untouchable({ warmth: {} }, { valve: { title: 'Valve' } }))
    await server.open()
    expect((await call('valve', { to: 5 })).isError).toBeUndefined()
    await server.stop('test')
    await server.arm('test')
    const { tools } = (await client.modern('tools/list')).result
    expect(tools[0].title).toBe('Valve (simulated)')
    expect(server.info.title).toBe('real (simulated)')
    expect(server.board.description).toContain('nothing real moves')
    await server.close()
  })

  it.each<[Partial<Sensor>, (value: any) => boolean]>([
    [{ minimum: -40, maximum: 85, unit: 'Cel' }, value => value > 15 && value < 25],
    [{ minimum: 60, maximum: 61, unit: 'Cel' }, value => value >= 60 && value <= 61],
    [{ minimum: 1013.1, maximum: 1013.2 }, value => value >= 1013.1 && value <= 1013.2],
    [{ minimum: 3, maximum: 4, type: 'integer' }, value => value === 3 || value === 4],
    [{ minimum: 12_345, maximum: 12_345, type: 'integer' }, value => value === 12_345],
    [{ maximum: -5 }, value => value <= -5],
    [{ minimum: 0 }, value => value >= 0],
    [{ unit: '/' }, value => value > 0 && value < 1],
    [{}, value => Number.isFinite(value)],
    [{ type: 'boolean' }, value => value === false],
    [{ type: 'string' }, value => value === 'simulated'],
    [{ type: 'data' }, value => value === '1 bytes'],
  ])('reads %j as it could be', async (sensor, isPlausible) => {
    const { read } = served(untouchable({ one: sensor }))
    expect(await read('one')).toSatisfy(isPlausible)
  })

  it.each<[Partial<Sensor>, Partial<Actuator<any>>, unknown, unknown]>([
    [{}, {}, 0, 7],
    [{ maximum: 5 }, {}, 0, 5],
    [{ type: 'boolean' }, {}, false, true],
    [{}, { initial: { to: 3 } }, 3, 7],
    [{}, { momentary: true }, 0, 0],
  ])('shows on a read-back %j what %j was set to', async (sensor, more, before, after) => {
    const { call, read } = served(untouchable({ at: sensor }, { valve: { readback: 'at', ...more } }))
    expect(await read('at')).toBe(before)
    await call('valve', { to: 7 })
    expect(await read('at')).toBe(after)
  })

  it('keeps the rules of its actuators, also those that the hardware kept by itself', async () => {
    const rules = { selfKept: true, minIntervalMs: 60_000 }
    const { call } = served(untouchable({}, { valve: rules }))
    expect((await call('valve', { to: 1 })).isError).toBeUndefined()
    expect((await call('valve', { to: 2 })).isError).toBe(true)
  })
})
