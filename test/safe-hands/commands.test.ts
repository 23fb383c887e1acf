import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitTexts, operatorChoice } from '../../bin/operator-options.ts'
import type { Child } from '../child.ts'
import { boardFile, World } from './world.ts'

const allow = (...rules: string[]) => operatorChoice({ values: { allow: rules.at(-1)! }, lists: { allow: rules } })

async function toolsOf(child: Child): Promise<Record<string, any>> {
  const { result } = await child.request('tools/list')
  return Object.fromEntries(result.tools.map((tool: any) => [tool.name, tool]))
}

describe('a rule of --allow', () => {
  it.each([
    ['pump', { pump: true }],
    ['pump:seconds=0..10', { pump: { seconds: { minimum: 0, maximum: 10 } } }],
    ['pump:seconds=..10', { pump: { seconds: { maximum: 10 } } }],
    ['valve:at=-1.5..', { valve: { at: { minimum: -1.5 } } }],
    ['lamp:colour=red|green', { lamp: { colour: { values: ['red', 'green'] } } }],
    ['lamp:on=false', { lamp: { on: { values: [false] } } }],
    ['gear:step=1|2', { gear: { step: { values: [1, 2] } } }],
    ['gear:step="1"|"true"', { gear: { step: { values: ['1', 'true'] } } }],
    [
      'motor:rpm=0..500,direction=left',
      { motor: { rpm: { minimum: 0, maximum: 500 }, direction: { values: ['left'] } } },
    ],
  ])('%s is understood', (rule, expected) => expect({ ...allow(rule).limits?.allow }).toEqual(expected))

  it.each([
    ['', 'cannot be read'],
    ['pump:', 'cannot be read'],
    ['pump:seconds', 'cannot be read'],
    ['pump:seconds=', 'cannot be read'],
    ['pump:seconds=..', 'cannot be read'],
    ['pump:seconds=a..b', 'cannot be read'],
    ['pump:colour=red|', 'cannot be read'],
    ['pump=5', 'cannot be read'],
    ['pump:seconds=10..0', 'from the smaller to the larger one, 0..10'],
    ['pump:seconds=0..1,seconds=2', 'seconds is there twice'],
  ])('"%s" is refused, with what would be right', (rule, message) => {
    expect(() => allow(rule)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    )
  })

  it('names an output once', () => expect(() => allow('pump', 'pump:seconds=1')).toThrow('names pump twice'))

  it('reads as words', () => {
    const { limits = {} } = allow('pump:seconds=0..10', 'lamp', 'gear:step=1|2')
    expect(limitTexts({ readOnly: true, dryRun: true, ...limits })).toEqual([
      'read-only',
      'dry run',
      'pump: seconds 0 to 10',
      'lamp',
      'gear: step 1 or 2',
    ])
  })
})

describe('--silence', () => {
  it.each([
    ['2', 2000],
    ['0.5', 500],
    ['0.001', 1],
    ['86400', 86_400_000],
  ])('%s is understood', (text, ms) => expect(operatorChoice({ values: { silence: text } }).hostSilenceMs).toBe(ms))

  it.each(['0', '0.0001', '86401', '-1', '5s', '1e3', ''])('"%s" is refused', text => {
    expect(() => operatorChoice({ values: { silence: text } })).toThrow('a number of seconds')
  })
})

describe('ferrule serve, for the person who runs it', () => {
  it('--read-only hides what acts, refuses it, and moves nothing; sensors are read, and stopping goes on', async () => {
    const world = new World()
    const child = await world.serve(['--read-only', '--read-sensors'])
    expect(Object.keys(await toolsOf(child)).sort()).toEqual(['read_sensors', 'stop_all'])
    expect(await child.call('pump', { seconds: 5 })).toContain('this client may only read')
    expect(await child.call('read_sensors')).toContain('Flow')
    expect(await child.call('stop_all')).toContain('pump: safe')
    expect(world.values('pump').filter(value => value !== 0)).toEqual([])
  })

  it('--allow leaves what it names, within its borders', async () => {
    const world = new World()
    const child = await world.serve(['--allow', 'pump:seconds=0..10', '--allow', 'lamp:colour=red|green'])
    const { pump, lamp, lift } = await toolsOf(child)
    expect(pump.inputSchema.properties.seconds).toEqual({ type: 'number', minimum: 0, maximum: 10 })
    expect(lamp.inputSchema.properties.colour.enum).toEqual(['red', 'green'])
    expect(lift).toBeUndefined()
    expect(await child.call('lift', { ms: 1 })).toContain('whoever runs this server does not allow lift')
    expect(await child.call('pump', { seconds: 10 })).toContain('"set":{"seconds":10}')
    expect(await child.call('pump', { seconds: 10.001 })).toContain('at most 10')
    expect(await child.call('lamp', { on: true, colour: 'green' })).toContain('green')
    expect(await child.call('lamp', { on: true, colour: 'blue' })).toMatch(/red.*green/)
    expect([world.values('pump'), world.values('lamp'), world.values('lift')]).toEqual([[0, 10], [false, 'green'], [0]])
  })

  it.each([
    ['pmp', '--allow "pmp": there is no actuator or tool "pmp". Did you mean "pump"?'],
    ['pump:second=0..10', '--allow "pump": there is no argument "second". Did you mean "seconds"?'],
    ['pump:seconds=70..80', 'nothing would be allowed'],
  ])('--allow %s is told, with exit code 2', async (rule, message) => {
    const { code, err } = await new World().finish(['serve', boardFile, '--allow', rule])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  it('--dry-run says what would happen, keeps the limits, and moves nothing', async () => {
    const world = new World()
    const child = await world.serve(['--dry-run', '--allow', 'pump:seconds=0..10'])
    expect(await child.call('pump', { seconds: 5 })).toContain('Dry run: pump would be moved with {"seconds":5}')
    expect(await child.call('pump', { seconds: 11 })).toContain('at most 10')
    child.endInput()
    await child.exit()
    expect(world.values('pump').filter(value => value !== 0)).toEqual([])
    const { out } = await world.finish(['log', 'hands', '--json', '--outcome', 'dry-run'])
    expect(JSON.parse(out)).toMatchObject({ tool: 'pump', arguments: { seconds: 5 }, client: 'test 1.0.0' })
  })

  it('--simulate serves the same board, and never touches its hardware', async () => {
    const world = new World()
    const child = await world.serve(['--simulate', '--read-sensors'])
    const { pump } = await toolsOf(child)
    expect(pump.title).toBe('Pump (simulated)')
    const { result } = await child.request('tools/call', { name: 'pump', arguments: { seconds: 7 } })
    expect(result.structuredContent.readback).toEqual({ sensor: 'flow', value: 7, unit: 'l/s' })
    expect(await child.call('pump', { seconds: 61 })).toContain('at most 60')
    const readings = (await child.request('tools/call', { name: 'read_sensors' })).result.structuredContent.readings
    const warmth = readings.find(({ sensor }: any) => sensor === 'warmth')
    expect(warmth.value).toBeGreaterThanOrEqual(10)
    expect(warmth.value).toBeLessThanOrEqual(30)
    child.endInput()
    expect(await child.exit()).toMatchObject({ code: 0 })
    expect(world.changes()).toEqual([])
  })

  it('what a file that makes its own server cannot keep is refused, and not ignored', async () => {
    const world = new World()
    const file = join(world.folder, 'own.mjs')
    const runtime = JSON.stringify(new URL('../../runtime/index.ts', import.meta.url).href)
    writeFileSync(file, `import { createServer } from ${runtime}\nexport default createServer({ name: 'own' })\n`)
    for (const words of [
      ['--read-only'],
      ['--allow', 'x'],
      ['--simulate'],
      ['--silence', '5'],
      ['--record', 'x.jsonl'],
    ]) {
      const { code, err } = await world.finish(['serve', file, ...words])
      expect([code, err]).toEqual([2, expect.stringContaining(`makes its own server, so ${words[0]} cannot hold`)])
    }
    expect(await world.finish(['serve', file, '--record', 'off', '--read-sensors'])).toMatchObject({ code: 0 })
  })

  it('records who did what and what came of it, in a file of the board, unless it is off', async () => {
    const world = new World()
    const child = await world.serve()
    await child.call('pump', { seconds: 3 })
    await child.call('pump', { seconds: 300 })
    child.endInput()
    await child.exit()
    const { out } = await world.finish(['log'])
    expect(out).toMatch(/ran +pump +test 1\.0\.0 .*\{"seconds":3\} {2}flow 3/)
    expect(out).toMatch(/refused +pump .*at most 60/)
    expect(out).toMatch(/close .*host closed the input/)
    const own = join(world.folder, 'own.jsonl')
    const other = await world.serve(['--record', own])
    await other.call('lamp', { on: true })
    other.endInput()
    await other.exit()
    expect(readFileSync(own, 'utf8')).toContain('"tool":"lamp"')
    const before = (await world.finish(['log', 'hands', '--json', '--last', '1000'])).out
    const silent = await world.serve(['--record', 'off'])
    await silent.call('lamp', { on: true })
    silent.endInput()
    await silent.exit()
    expect((await world.finish(['log', 'hands', '--json', '--last', '1000'])).out).toBe(before)
  })
})

describe('ferrule host', () => {
  const limits = ['--read-only', '--allow', 'pump:seconds=0..10', '--allow', 'lamp', '--silence', '30']

  it('carries the limits into the entry', async () => {
    const { code, out } = await new World().finish(['host', 'cursor', boardFile, ...limits, '--simulate'])
    const { args } = JSON.parse(out).mcpServers.hands
    expect(args.slice(1)).toEqual(['serve', boardFile, '--read-sensors', ...limits, '--simulate'])
    expect(code).toBe(0)
  })

  it('does so for the bridge, and for a shell', async () => {
    const { out } = await new World().finish(['host', 'claude-code', '--port', '/dev/ttyACM0', ...limits])
    const words = out.replace(/^.* -- /, '')
    const shown = execFileSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' }).split('\n')
    expect(shown.slice(2, -1)).toEqual(['bridge', '--port', '/dev/ttyACM0', '--read-sensors', ...limits])
  })

  it.each([
    [['--allow', 'pump:'], 'cannot be read'],
    [['--silence', 'x'], 'a number of seconds'],
    [['--record', 'off', '--record-required'], 'do not go together'],
  ])('%j is told at once', async (words, message) => {
    const { code, err } = await new World().finish(['host', 'cursor', boardFile, ...words])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})
