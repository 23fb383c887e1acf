import { describe, expect, it } from 'vitest'
import { type Board, createServer, DefinitionError, type Sensor, type SensorValue } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { OwnedClock, settled } from '../owned-clock.ts'

const minute = 60_000

/** A board of one sensor whose value the test sets, on a clock that the test moves. */
function bench(sensor: Partial<Sensor> = {}, first: SensorValue | Error = 20) {
  const clock = new OwnedClock()
  let value = first
  let readings = 0
  let changed: ((value: SensorValue) => void) | undefined
  const read = () => {
    readings++
    if (value instanceof Error) throw value
    return value
  }
  const board = (members: Partial<Sensor> = {}): Board => ({
    name: 'house',
    sensors: {
      air: { title: 'Air', ...(sensor.type === undefined && { unit: 'Cel' as const }), read, ...sensor, ...members },
    },
  })
  const server = createServer(board(), { clock, readSensorsTool: true })
  const client = new TestClient(server)
  return {
    clock,
    server,
    client,
    board,
    readings: () => readings,
    set: (next: SensorValue | Error) => {
      value = next
    },
    /** What a source of changes gives, for a sensor that has one. */
    watch: (tell: (value: SensorValue) => void) => {
      changed = tell
      return () => {}
    },
    change: (next: SensorValue) => changed?.(next),
    async see(...values: (SensorValue | Error)[]) {
      for (const next of values) {
        value = next
        await client.modern('resources/read', { uri: 'sensor://house/air' })
      }
    },
    async history() {
      const { result } = await client.modern('resources/read', { uri: 'sensor://house/air/history' })
      const text = result.contents.find((each: any) => each.mimeType === 'text/plain').text as string
      const pack = result.contents.find((each: any) => each.mimeType === 'application/senml+json')?.text
      return { text, lines: text.split('\n'), pack: pack === undefined ? undefined : JSON.parse(pack) }
    },
    async summary() {
      const { result } = await client.modern('tools/call', { name: 'read_sensors', arguments: { history: 'summary' } })
      return { text: result.content[0].text as string, history: result.structuredContent.readings[0].history }
    },
  }
}

describe('what a sensor remembers', () => {
  it('is said in a line that a model can use', async () => {
    const { clock, see, history } = bench()
    for (const value of [21.3, 22, 22.5, 23.1, 24.9]) {
      await see(value)
      await clock.advance(minute)
    }
    expect((await history()).lines.slice(0, 2)).toEqual([
      'Air: 24.9 °C, read 60 s ago',
      'Last 10 min: 21.3 to 24.9 °C, mean 22.76, 5 readings, rising',
    ])
  })

  it('is told to nobody as a reading: looking at it does not touch the hardware', async () => {
    const { history, readings } = bench()
    expect((await history()).text).toBe('Air: no value yet')
    expect(readings()).toBe(0)
  })

  it('holds a day, by the hour, when the sensor was read for longer', async () => {
    const { clock, see, history } = bench()
    await see(-5)
    await clock.advance(25 * 60 * minute)
    await see(10)
    await clock.advance(2 * 60 * minute)
    await see(12)
    const { lines } = await history()
    expect(lines).toContain('Last 10 min: 12 °C, 1 reading')
    expect(lines).toContain('Last hour: 12 °C, 1 reading')
    expect(lines).toContain('Last 24 h: 10 to 12 °C, mean 11, 2 readings, rising')
    expect(lines).toContain('Since 2026-01-01T00:00:00Z: -5 to 12 °C, mean 5.7, 3 readings, 2 changes')
  })

  it('counts what failed apart, with why, and never as a number', async () => {
    const { clock, see, summary } = bench()
    await see(20, Number.NaN, new Error('the probe does not answer'))
    await clock.advance(1000)
    await see(21)
    const { history, text } = await summary()
    expect(history).toMatchObject({ readings: 3, failures: 2, windows: [{ readings: 3, minimum: 20, maximum: 21 }] })
    expect(history.lastFailure).toEqual({
      error: 'the probe does not answer',
      time: '2026-01-01T00:00:00Z',
    })
    expect(text).toContain('2 readings failed, the last 1 s ago (2026-01-01T00:00:00Z): the probe does not answer')
  })

  it('counts a reading that is given again once', async () => {
    const { see, summary } = bench({ ttlMs: 1000 })
    await see(20, 20, 20)
    expect((await summary()).history.readings).toBe(1)
  })

  it('is a SenML pack: the last changes by the name of the sensor, and figures by names behind it, in the order of time', async () => {
    const { clock, see, history } = bench()
    await clock.advance(1500)
    await see(20)
    await clock.advance(minute)
    await see(22)
    const { pack } = await history()
    expect(pack[0]).toMatchObject({ bn: 'sensor://house/air', bt: Date.UTC(2026, 0, 1) / 1000, bu: 'Cel' })
    const named = pack.map(({ n = '', v, t = 0 }: any) => `${n} ${v} at ${t}`)
    expect(named).toEqual([
      '/1min/min 20 at 0',
      '/1min/max 20 at 0',
      '/1min/mean 20 at 0',
      '/10min/min 20 at 0',
      '/10min/max 22 at 0',
      '/10min/mean 21 at 0',
      '/1h/min 20 at 0',
      '/1h/max 22 at 0',
      '/1h/mean 21 at 0',
      ' 20 at 1.5',
      '/1min/min 22 at 60',
      '/1min/max 22 at 60',
      '/1min/mean 22 at 60',
      ' 22 at 61.5',
    ])
  })

  it('keeps the last changes that are larger than the dead band, and no more than it was told to', async () => {
    const { see, history } = bench({ deadBand: 0.5, history: { samples: 2 } })
    await see(20, 20.4, 21, 21.2, 22)
    expect((await history()).lines.slice(-3)).toEqual([
      'Last changes, the oldest first:',
      '2026-01-01T00:00:00Z: 21 °C',
      '2026-01-01T00:00:00Z: 22 °C',
    ])
  })

  it('knows of a switch how often it switched, and for how much of the time it was on', async () => {
    const { clock, see, summary } = bench({ type: 'boolean' }, false)
    await see(false)
    await clock.advance(2 * minute)
    await see(true)
    await clock.advance(minute)
    await see(false)
    await clock.advance(minute)
    const { history, text } = await summary()
    expect(history.windows[0]).toMatchObject({ switches: 2, onShare: 0.25 })
    expect(text).toContain('Last 10 min: on for 25 % of the time, switched 2 times, 4 readings')
  })

  it('keeps a long text of a sensor short, and quoted', async () => {
    const { see, history } = bench({ type: 'string' }, '')
    await see('ready', `x"\n${'y'.repeat(10_000)}`)
    const { lines } = await history()
    expect(lines.at(-2)).toBe('2026-01-01T00:00:00Z: "ready"')
    expect(lines.at(-1)).toMatch(/^2026-01-01T00:00:00Z: "x\\"\\ny+…"$/)
    expect(lines.at(-1)!.length).toBeLessThan(140)
  })

  it('is offered for every sensor, listed where its author asked for it, and left out where nothing is kept', async () => {
    const { client } = bench({ history: false })
    const { result } = await client.modern('resources/templates/list')
    expect(result.resourceTemplates.map((each: any) => each.uriTemplate)).toEqual(['sensor://house/{sensor}'])
    const asked = bench({ history: { samples: 4 } })
    const listed = (await asked.client.modern('resources/list')).result.resources.map((each: any) => each.uri)
    expect(listed).toEqual(['sensor://house', 'sensor://house/air', 'sensor://house/air/history'])
    const none = await asked.client.modern('resources/read', { uri: 'sensor://house/soil/history' })
    expect(none.error.code).toBe(-32602)
  })

  it('outlives a new description of the same board, and not one that measures something else', async () => {
    const { see, server, board, summary } = bench()
    await see(20, 21)
    server.replaceBoard(board({ description: 'In the north corner' }))
    expect((await summary()).history.readings).toBe(3)
    server.replaceBoard(board({ unit: 'K' }))
    expect((await summary()).history.readings).toBe(1)
  })
})

describe('a sensor that is read in the background', () => {
  it('is read at its period while the hardware is open, and no longer', async () => {
    const { clock, server, readings, summary } = bench({ history: { everyMs: 1000 } })
    await clock.advance(5000)
    expect(readings()).toBe(0)
    await server.open()
    await clock.advance(10_000)
    expect(readings()).toBe(11)
    expect((await summary()).history.readings).toBe(12)
    await server.close()
    await clock.advance(10_000)
    expect(readings()).toBe(12)
    expect(clock.pending).toBe(0)
  })

  it('is read no faster than a new value can be there', async () => {
    const { clock, server, readings } = bench({ ttlMs: 5000, history: { everyMs: 1000 } })
    await server.open()
    await clock.advance(20_000)
    expect(readings()).toBe(5)
    await server.close()
  })

  it('is read once at a time, however slow it is, and goes on after a failure', async () => {
    let running = 0
    let most = 0
    let count = 0
    const clock = new OwnedClock()
    const read = async () => {
      most = Math.max(most, ++running)
      await new Promise<void>(resolve => clock.setTimeout(resolve, 3000))
      running--
      if (++count % 2 === 0) throw new Error('it stutters')
      return 1
    }
    const server = createServer({ name: 'house', sensors: { slow: { history: { everyMs: 100 }, read } } }, { clock })
    await server.open()
    await clock.advance(31_000)
    expect(most).toBe(1)
    expect(count).toBe(10)
    await server.close()
  })
})

describe('a threshold', () => {
  async function subscribed(sensor: Partial<Sensor>) {
    const made = bench()
    made.server.replaceBoard(made.board({ watch: made.watch, minIntervalMs: 60_000, ...sensor }))
    await made.client.initialize()
    await made.client.request('resources/subscribe', { uri: 'sensor://house/air' })
    await settled()
    const told = () => made.client.told('notifications/resources/updated').length
    const after = async (value: number) => {
      made.set(value)
      made.change(value)
      await settled()
      return told()
    }
    return { ...made, after }
  }

  it('is told at once, within the shortest interval and the dead band', async () => {
    const { after } = await subscribed({ deadBand: 5, thresholds: [{ above: 30 }] })
    expect(await after(29.9)).toBe(1)
    expect(await after(30.1)).toBe(2)
    expect(await after(30.2)).toBe(2)
  })

  it('is not crossed by a value that is equal to it, and crossed back by one that is', async () => {
    const { after } = await subscribed({ deadBand: 100, thresholds: [{ above: 30, below: 10 }] })
    expect(await after(30)).toBe(0)
    expect(await after(30.01)).toBe(1)
    expect(await after(30)).toBe(2)
    expect(await after(10)).toBe(2)
    expect(await after(9.99)).toBe(3)
    expect(await after(10)).toBe(4)
  })

  it('is crossed back only at its hysteresis', async () => {
    const { after, history, clock } = await subscribed({
      deadBand: 100,
      thresholds: [{ above: 30, hysteresis: 2 }],
    })
    expect(await after(31)).toBe(1)
    expect(await after(29)).toBe(1)
    expect(await after(31)).toBe(1)
    expect(await after(28.01)).toBe(1)
    expect(await after(28)).toBe(2)
    await clock.advance(60_000)
    expect(await after(31)).toBe(3)
    const { lines } = await history()
    expect(lines).toContain('Crossed 30 °C upwards 60 s ago (2026-01-01T00:00:00Z)')
    expect(lines).toContain('Crossed 30 °C downwards 60 s ago (2026-01-01T00:00:00Z)')
    expect(lines).toContain('It is above 30 °C now')
  })

  it('takes the place of a change that was held back: nobody is told twice', async () => {
    const { after, clock, client } = await subscribed({ thresholds: [{ above: 30 }] })
    await after(21)
    await after(22)
    expect(await after(31)).toBe(2)
    await clock.advance(120_000)
    expect(client.told('notifications/resources/updated')).toHaveLength(2)
  })

  it('is not crossed by the first value, on whichever side it is', async () => {
    const { see, summary } = bench({ thresholds: [{ above: 10 }] })
    await see(20)
    expect((await summary()).history.crossings).toBeUndefined()
    await see(5)
    expect((await summary()).history.crossings).toEqual([
      { limit: 10, direction: 'downwards', time: '2026-01-01T00:00:00Z' },
    ])
  })

  it('is told to who subscribed when somebody else reads beyond it', async () => {
    const { see, client } = await subscribed({ watch: () => () => {}, thresholds: [{ above: 30 }] })
    await see(31)
    expect(client.told('notifications/resources/updated')).toHaveLength(1)
  })
})

it.each<[string, Partial<Sensor>]>([
  ['history.samples', { history: { samples: 1.5 } }],
  ['history.everyMs', { history: { everyMs: 0 } }],
  ['above, below or both', { thresholds: [{ hysteresis: 1 }] }],
  ['hysteresis', { thresholds: [{ above: 1, hysteresis: -1 }] }],
  ['above, below and hysteresis are numbers', { thresholds: [{ above: Number.NaN }] }],
  ['belong to numbers', { type: 'string', thresholds: [{ above: 1 }] }],
])('a mistake in %s is told when the board is declared', (words, members) => {
  const make = () => createServer({ name: 'house', sensors: { air: { read: () => 1, ...members } } })
  expect(make).toThrow(DefinitionError)
  expect(make).toThrow(words)
})
