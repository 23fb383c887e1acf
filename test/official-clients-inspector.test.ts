/** The MCP Inspector, from its command line, as a host. It is installed on the first run. */
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { inspect, installInspector } from './inspector/inspector.ts'
import { Recording } from './official/recording.ts'

let missing: Error | undefined

beforeAll(async () => {
  try {
    await installInspector()
  } catch (error) {
    // Without a network a developer still wants to run the tests. On a build machine nothing may be left out unseen.
    if (process.env.CI) throw error
    missing = error as Error
  }
}, 600_000)

for (const era of ['legacy', 'modern']) {
  describe(`the Inspector in the ${era} era`, () => {
    const recording = new Recording()
    const greenhouse = recording.command('test/inspector/greenhouse.ts')
    const ask = (context: TestContext, ...args: string[]) => {
      if (missing !== undefined) context.skip(missing.message)
      return inspect(greenhouse, ['--protocol-era', era, ...args])
    }
    afterEach(() => recording.check())
    afterAll(() => recording.remove())

    it('lists the tools and finds nothing in them that a model could not use', async context => {
      const { code, result, stderr } = await ask(context, '--method', 'tools/list', '--strict')
      expect(code).toBe(0)
      expect(result.tools.map(({ name }: any) => name)).toEqual([
        'pump',
        'vent',
        'heater',
        'grow_light',
        'refill',
        'read_sensors',
        'stop_all',
        'arm_outputs',
      ])
      expect(stderr).not.toMatch(/warning/i)
    }, 60_000)

    it('reads a sensor', async context => {
      const { code, result } = await ask(context, '--method', 'resources/read', '--uri', 'sensor://greenhouse/light')
      expect(code).toBe(0)
      expect(JSON.parse(result.contents[0].text)).toMatchObject([{ n: 'light', u: 'lx', v: expect.any(Number) }])
    }, 60_000)

    it('moves an actuator, and is told when that cannot be', async context => {
      const call = ['--method', 'tools/call', '--tool-name', 'grow_light', '--tool-arg']
      const [moved, refused] = await Promise.all([
        ask(context, ...call, 'percent=40'),
        ask(context, ...call, 'percent=400'),
      ])
      expect(moved).toMatchObject({ code: 0, result: { structuredContent: { percent: 40 } } })
      expect(refused.code).not.toBe(0)
      expect(refused.result.content[0].text).toContain('"percent" must be at most 100')
    }, 60_000)

    it('leaves every server behind with code 0', context => {
      if (missing !== undefined) context.skip(missing.message)
      const runs = recording.runs()
      expect(runs.length).toBeGreaterThanOrEqual(4)
      expect(runs.map(({ end }) => end)).toEqual(runs.map(() => ({ code: 0, signal: null })))
    })
  })
}
