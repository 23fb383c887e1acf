/** The device side in Python and the project's own host, under both interpreters. */
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import type { LinkDescription, LinkHostOptions } from '../../boards/remote/link/index.ts'
import { noisyLine, seeded } from '../link/pair.ts'
import { frameOf } from './micropython/frames.ts'
import { type Hosted, hostedInCPython, hostedInMicroPython } from './micropython/hosted.ts'
import { cPython, microPython } from './micropython/interpreters.ts'

const micro = microPython()
const full = cPython()
type Start = (context: TestContext, options?: Partial<LinkHostOptions>) => Promise<Hosted>
const interpreters: [string, Start][] = [
  ['MicroPython', async (context, options) => hostedInMicroPython(await micro.or(context), options)],
  ['CPython', async (context, options) => hostedInCPython(await full.or(context), options)],
]

describe.each(interpreters)('a board in %s', (_, start) => {
  /** The bench, its description, and its parts by name. */
  async function bench(context: TestContext, options?: Partial<LinkHostOptions>) {
    const hosted = await start(context, options)
    onTestFinished(() => hosted.close())
    const { host } = hosted
    const description: LinkDescription = await hosted.during(host.describe())
    const sensor = (name: string) => description.sensors.findIndex(each => each.name === name)
    const actuator = (name: string) => description.actuators.findIndex(each => each.name === name)
    return {
      hosted,
      host,
      description,
      sensor,
      actuator,
      read: async (name: string) => (await hosted.during(host.read(sensor(name)))).value,
      /** Calls it, and gives what it returned, or the code and the text of its error. */
      call: (name: string, args: any[], more = {}): Promise<any> =>
        hosted.during(
          host.call(actuator(name), args, more).catch(error => ({ code: error.code, text: error.message })),
        ),
    }
  }

  it('is found and describes itself', async context => {
    const { host, description } = await bench(context)
    expect(host.hello).toMatchObject({ name: 'bench', id: 'B1', firmware: '1.0', boot: 1, calls: 4, maxFrame: 256 })
    expect(description).toMatchObject({ name: 'bench', title: 'Test bench' })
    expect(description.sensors.slice(0, 4)).toEqual([
      { name: 'level', type: 'integer', unit: '%', minimum: 0, maximum: 100, minIntervalMs: 100 },
      { name: 'moves', type: 'integer' },
      {
        name: 'temperature',
        title: 'Temperature',
        type: 'number',
        unit: 'Cel',
        deadBand: 0.5,
        minIntervalMs: 100,
        deviceClass: 'temperature',
      },
      { name: 'door_is', type: 'string' },
    ])
    const byName = Object.fromEntries(description.actuators.map(each => [each.name, each]))
    expect(byName.fan).toEqual({
      name: 'fan',
      title: 'Fan',
      hints: 0,
      safe: [0, false],
      readback: 0,
      arguments: [
        { name: 'percent', type: 'integer', optional: false, unit: '%', minimum: 0, maximum: 100 },
        { name: 'on', type: 'boolean', optional: false },
      ],
    })
    expect(byName.mode).toMatchObject({ hints: 3, safe: null })
    expect(byName.mode!.arguments).toEqual([
      { name: 'mode', type: 'string', optional: false, values: ['day', 'night'] },
      { name: 'note', type: 'string', optional: true, maxLength: 5 },
    ])
    expect(byName.saw).toMatchObject({ arming: true, audience: 1 })
    expect(byName.heater).toMatchObject({ group: 1 })
    expect(byName.lamp).toMatchObject({ holdForMs: 1000 })
    expect(byName.motor).toMatchObject({ maxRate: 20 })
    expect(byName.compressor).toMatchObject({ minIntervalMs: 60_000 })
    expect(byName.door).toMatchObject({ timeoutMs: 20_000, safe: [0] })
  })

  it('is read; what fails says so', async context => {
    const { read, hosted, host, sensor } = await bench(context)
    expect(await read('temperature')).toBe(21.5)
    expect(await read('greeting')).toBe('grüß Gott')
    expect(await read('nothing')).toBe(null)
    // Longer than the host was told; it is only a matter of how long it waits.
    expect(await read('picture')).toEqual(Uint8Array.from({ length: 256 }, (_, at) => at))
    await expect(read('album')).rejects.toMatchObject({ code: 13 })
    await expect(read('broken')).rejects.toMatchObject({
      code: 12,
      message: 'ds18b20 does not answer: check the wiring',
    })
    await expect(read('wrong')).rejects.toMatchObject({ code: 12, message: expect.stringContaining('IndexError') })
    await expect(read('not_a_number')).rejects.toMatchObject({
      code: 12,
      message: expect.stringContaining('no number'),
    })
    await expect(hosted.during(host.read(99))).rejects.toMatchObject({ code: 2 })
    // Where it went wrong stands on the line, for the person at the board.
    expect(hosted.texts.join('\n')).toMatch(/Traceback[\s\S]*bench\.py[\s\S]*IndexError/)
    expect(sensor('level')).toBe(0)
  })

  it('is moved by what fits, and by nothing else', async context => {
    const { call, read } = await bench(context)
    const before = (await read('moves')) as number
    expect(await call('fan', [40, true])).toBe(null)
    expect(await read('level')).toBe(40)
    expect(await call('mode', ['day'])).toBe('day none')
    expect(await call('mode', ['night', 'quiet'])).toBe('night quiet')
    for (const to of [-3, 0.1, 1.5, 33.333]) expect(await call('dial', [to])).toBe(to)
    for (const [name, args, code, text] of [
      ['fan', [101, true], 4, 'percent must lie between 0 and 100'],
      ['fan', [1.5, true], 3, 'percent is no integer'],
      ['fan', [true, true], 3, 'percent is no integer'],
      ['fan', [1, 1], 3, 'on is no boolean'],
      ['fan', [1], 3, 'on is missing'],
      ['fan', [1, true, 1], 3, 'too many arguments'],
      ['mode', ['dusk'], 4, 'mode must be one of day, night'],
      ['mode', ['day', 'longer'], 4, 'note is longer than 5'],
      ['dial', ['left'], 3, 'to is no number'],
      ['dial', [-101], 4, 'to must lie between -100 and 100'],
    ] as const) {
      expect(await call(name, [...args]), `${name} ${args}`).toEqual({ code, text })
    }
    expect(await read('moves')).toBe(before + 1)
  })

  it('a failure of its program is an error of that call only', async context => {
    const { call, read, hosted } = await bench(context)
    const error = { code: 12, text: expect.stringContaining('ZeroDivisionError') }
    expect(await call('crash', [])).toEqual(error)
    expect(await call('crash', [])).toEqual(error)
    expect(await call('fan', [10, true])).toBe(null)
    expect(await read('level')).toBe(10)
    // The same failure again says nothing new.
    expect(hosted.texts.filter(text => text.includes('ZeroDivisionError')).length).toBe(1)
  })

  it('what it prints is text, and no frame suffers', async context => {
    const { call, hosted } = await bench(context)
    expect(await call('say', ['grüß Gott'])).toBe(null)
    expect(await call('say', ['adc: 512'])).toBe(null)
    expect(hosted.texts).toEqual(['grüß Gott', 'and more', 'adc: 512', 'and more'])
    expect(hosted.host.counters.damaged).toBe(0)
  })

  it('watches within its dead band', async context => {
    const { call, hosted, host, sensor } = await bench(context)
    const levels: unknown[] = []
    const temperatures: unknown[] = []
    host.watch(sensor('level'), ({ value }) => void levels.push(value))
    const stop = host.watch(sensor('temperature'), ({ value }) => void temperatures.push(value))
    await hosted.until(() => levels.length === 1 && temperatures.length === 1)
    await call('fan', [20, true])
    await hosted.until(() => levels.length === 2)
    await call('fan', [80, true])
    await hosted.until(() => levels.length === 3 && temperatures.length === 2)
    stop()
    await call('fan', [0, false])
    await hosted.until(() => levels.length === 4)
    await hosted.during(host.ping())
    expect(levels).toEqual([0, 20, 80, 0])
    expect(temperatures).toEqual([21.5, 22.3])
  })

  it('a call that is sent again and again runs once', async context => {
    const { hosted, host, call, read } = await bench(context)
    await call('fan', [1, true])
    const before = (await read('moves')) as number
    // Each frame arrives three times.
    hosted.toDevice = bytes => Buffer.concat([bytes, bytes, bytes])
    for (let percent = 0; percent < 10; percent++) expect(await call('fan', [percent, true])).toBe(null)
    expect(await read('moves')).toBe(before + 10)
    expect(host.counters.late).toBeGreaterThan(0)
  })

  it('a long move tells how far it is, others go on beside it, and its outcome comes back', async context => {
    const { call, read, actuator, hosted, host } = await bench(context)
    const reports: unknown[] = []
    const moving = host.call(actuator('door'), [1], { onProgress: (...report) => void reports.push(report) })
    await hosted.until(() => reports.length > 0)
    expect(await read('door_is')).toBe('moving')
    expect(await call('fan', [10, true])).toBe(null)
    expect(await call('door', [2])).toMatchObject({ code: 5 })
    expect(await hosted.during(moving)).toEqual({ arrived: true })
    expect(reports[0]).toEqual([1, 2, 'half'])
    expect(await read('door_is')).toBe('open')
  })

  it('a long move that is cancelled is broken off and made safe', async context => {
    const { read, actuator, hosted, host } = await bench(context)
    const abort = new AbortController()
    let moves = 0
    const moving = host
      .call(actuator('door'), [30], { signal: abort.signal, onProgress: () => void moves++ })
      .catch(error => error.code)
    await hosted.until(() => moves > 0)
    abort.abort()
    expect(await hosted.during(moving)).toBe(10)
    expect(await read('door_is')).toBe('closed')
  })

  it('a long move that takes too long is made safe', async context => {
    const { read, actuator, hosted, host } = await bench(context)
    if (!('clock' in hosted)) context.skip('it takes twenty seconds: MicroPython, whose clock the test holds, shows it')
    const moving = host.call(actuator('door'), [60]).catch(error => error.code)
    expect(await hosted.during(moving)).toBe(9)
    expect(await read('door_is')).toBe('closed')
  })

  it('a stop ends what runs, in any session', async context => {
    const { call, read, actuator, hosted, host } = await bench(context)
    await call('fan', [50, true])
    let began = false
    const moving = host
      .call(actuator('door'), [30], { onProgress: () => void (began = true) })
      .catch(error => error.code)
    await hosted.until(() => began)
    expect(await hosted.during(host.stop())).toEqual([])
    expect(await hosted.during(moving)).toBe(11)
    expect(await read('level')).toBe(0)
    expect(await read('door_is')).toBe('closed')
    // A stop of another host: in a session that the device does not have.
    await call('fan', [50, true])
    hosted.toDevice = bytes => Buffer.concat([frameOf([8, 4711, -21]), bytes])
    await hosted.during(host.ping())
    hosted.toDevice = bytes => bytes
    expect(await read('level')).toBe(0)
  })

  it('a stop names what did not get safe, and waits for what takes a moment', async context => {
    const { call, actuator, hosted, host } = await bench(context)
    await call('stuck', [true])
    expect(await hosted.during(host.stop())).toEqual([actuator('stuck')])
    expect(hosted.logs).toContain('2 stuck could not be made safe')
    expect(await call('stuck', [false])).toEqual({ code: -3, text: 'the contact is welded' })
    await call('unstuck', [])
    expect(await hosted.during(host.stop())).toEqual([])
  })

  it('keeps its own rules: group, least interval, rate', async context => {
    const { call, hosted } = await bench(context)
    expect(await call('heater', [true])).toBe(null)
    expect(await call('cooler', [true])).toMatchObject({ code: 6, text: 'heater is on' })
    expect(await call('cooler', [false])).toBe(null)
    expect(await call('heater', [false])).toBe(null)
    expect(await call('cooler', [true])).toBe(null)
    expect(await call('compressor', [true])).toBe(null)
    expect(await call('compressor', [false])).toMatchObject({ code: 7 })
    // More than the most of one second is never one step.
    expect(await call('motor', [21])).toMatchObject({ code: 7, text: 'at most 20 a second' })
    expect(hosted.logs).toEqual([])
  })

  it('puts away what is on for too long, however many calls come', async context => {
    const { call, read, hosted } = await bench(context)
    const isOut = () => hosted.logs.includes('4 lamp was away from its safe value for too long')
    while (!isOut()) await call('lamp', [true])
    const times = hosted.logs.length
    // And once more, from the last of these calls on.
    await call('lamp', [true])
    await hosted.until(() => hosted.logs.length > times)
    expect(await read('level')).toBe(0)
  })

  it('moves nothing that is not armed', async context => {
    const { call, hosted, actuator } = await bench(context)
    expect(await call('saw', [true])).toMatchObject({ code: 8 })
    expect(await call('saw', [false])).toBe(null)
    expect(actuator('saw')).toBeGreaterThan(0)
    expect(hosted.host.hello).toMatchObject({ name: 'bench' })
  })

  it('makes itself safe when its host falls silent, and tells why', async context => {
    const { call, read, hosted, host } = await bench(context, { failSafeMs: 1000 })
    expect(host.hello!.failSafeMs).toBe(1000)
    await call('fan', [50, true])
    host.keepAlive(false)
    await hosted.until(() => hosted.logs.some(log => log.includes('nothing came from the host')))
    expect(await read('level')).toBe(0)
    expect(await call('fan', [20, true])).toBe(null)
  })

  it('after a restart it is found again, and nothing from before is carried out', async context => {
    const { call, hosted, host, actuator, read } = await bench(context)
    await call('fan', [50, true])
    let began = false
    const moving = host
      .call(actuator('door'), [30], { onProgress: () => void (began = true) })
      .catch(error => error.name)
    await hosted.until(() => began)
    await hosted.restart()
    expect(await hosted.during(moving)).toBe('UnknownOutcomeError')
    await hosted.until(() => hosted.events.at(-1) === 'ready again')
    expect(await read('level')).toBe(0)
    expect(await read('door_is')).toBe('closed')
    expect(await call('fan', [30, true])).toBe(null)
  })

  it('noise costs time, not truth', async context => {
    const { hosted, host, call, read } = await bench(context)
    await call('fan', [0, true])
    const before = (await read('moves')) as number
    hosted.toDevice = noisyLine(seeded(3), 60)
    let unknown = 0
    let done = 0
    for (let percent = 1; percent <= 40; percent++) {
      const outcome = await call('fan', [percent, true])
      if (outcome === null) done++
      else if (outcome.code === undefined) unknown++
    }
    hosted.toDevice = bytes => bytes
    await hosted.until(() => host.hello !== undefined)
    const moved = ((await read('moves')) as number) - before
    expect(moved).toBeGreaterThanOrEqual(done)
    expect(moved).toBeLessThanOrEqual(done + unknown)
    expect(done).toBeGreaterThan(20)
  })
})
