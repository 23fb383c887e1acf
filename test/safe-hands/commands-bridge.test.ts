import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bridgeOptions } from '../../bin/bridge/options.ts'
import type { Board } from '../../runtime/index.ts'
import { CabledBoard, greenhouse, linkFirmware, mcpFirmware } from '../bridge/cabled-board.ts'
import type { Child } from '../child.ts'
import { noPtys } from '../serial/pty.ts'
import { World } from './world.ts'

async function toolsOf(child: Child): Promise<Record<string, any>> {
  const { result } = await child.request('tools/list')
  return Object.fromEntries(result.tools.map((tool: any) => [tool.name, tool]))
}

/** A bridge for one board, and a host that has said hello to it. */
async function bridged(world: World, board: CabledBoard, words: readonly string[]): Promise<Child> {
  const bridge = world.start(['bridge', '--port', board.path, ...words])
  await bridge.initialize()
  return bridge
}

/** The board with a further output. */
function withHorn(moves: number[]): Board {
  const board = greenhouse(moves)
  const horn = { description: 'Blows.', safe: null, set: () => {} }
  return { ...board, version: '2.0.0', actuators: { ...board.actuators, horn } }
}

describe('the limits in --config', () => {
  function optionsOf(config: object, values: Record<string, string | true> = {}, lists = {}) {
    const world = new World()
    const file = join(world.folder, 'bridge.json')
    writeFileSync(file, JSON.stringify(config))
    return bridgeOptions({ values: { config: file, ...values }, lists })
  }

  it('are those of the command line, by their names in JSON', () => {
    const { operator, record } = optionsOf({
      readOnly: true,
      dryRun: true,
      allow: ['fan:percent=0..50', 'horn'],
      silence: 2.5,
      record: '/tmp/x.jsonl',
      recordBytes: 8192,
      recordFsync: true,
      recordRequired: true,
    })
    expect(operator.hostSilenceMs).toBe(2500)
    expect(operator.limits).toMatchObject({ readOnly: true, dryRun: true })
    expect({ ...operator.limits?.allow }).toEqual({ fan: { percent: { minimum: 0, maximum: 50 } }, horn: true })
    expect(record).toMatchObject({
      record: '/tmp/x.jsonl',
      'record-bytes': '8192',
      'record-fsync': true,
      'record-required': true,
    })
  })

  it('may be one text, and give way to what is typed', () => {
    expect({ ...optionsOf({ allow: 'fan' }).operator.limits?.allow }).toEqual({ fan: true })
    const typed = optionsOf({ allow: 'fan', silence: 5 }, { allow: 'horn', silence: '9' }, { allow: ['horn'] })
    expect([{ ...typed.operator.limits?.allow }, typed.operator.hostSilenceMs]).toEqual([{ horn: true }, 9000])
    expect(optionsOf({ readOnly: false }).operator).toEqual({})
  })

  it.each([
    [{ readOnly: 'yes' }, '"readOnly" must be true or false'],
    [{ allow: [1] }, '"allow" must be a text'],
    [{ allow: 'fan:' }, '--allow fan: cannot be read'],
    [{ silence: '5' }, '"silence" must be a number of seconds'],
    [{ silence: 0 }, '--silence is a number of seconds'],
    [{ record: true }, '"record" must be a text'],
  ])('%j is refused', (config, message) => expect(() => optionsOf(config)).toThrow(message))
})

describe.skipIf(noPtys !== undefined)('a bridge with limits', () => {
  it.each([
    ['on the link', linkFirmware],
    ['that speaks MCP itself', (board: any) => mcpFirmware(board)],
  ])('holds a board %s to --allow, from the list to the call', async (_, firmware) => {
    const world = new World()
    const moves: number[] = []
    const board = new CabledBoard(firmware(withHorn(moves)))
    const bridge = await bridged(world, board, ['--allow', 'fan:percent=0..50'])
    const tools = await toolsOf(bridge)
    expect(tools.fan.inputSchema.properties.percent).toMatchObject({ minimum: 0, maximum: 50 })
    expect(tools.horn).toBeUndefined()
    expect(await bridge.call('horn')).toContain('does not allow horn')
    expect(await bridge.call('fan', { percent: 50.5 })).toContain('at most 50')
    expect(await bridge.call('fan', { percent: '51' })).toContain('at most 50')
    expect(await bridge.call('fan', { percent: 50 })).toContain('50')
    expect(moves.filter(each => each > 0)).toEqual([50])
  })

  it.each([
    ['on the link', linkFirmware],
    ['that speaks MCP itself', (board: any) => mcpFirmware(board)],
  ])('moves nothing of a board %s with --read-only or --dry-run', async (_, firmware) => {
    const world = new World()
    const moves: number[] = []
    const board = new CabledBoard(firmware(greenhouse(moves)))
    const reads = await bridged(world, board, ['--read-only', '--no-share'])
    expect((await toolsOf(reads)).fan).toBeUndefined()
    expect(await reads.call('fan', { percent: 10 })).toContain('this client may only read')
    reads.endInput()
    await reads.exit()
    const dry = await bridged(world, board, ['--dry-run', '--no-share'])
    expect((await toolsOf(dry)).fan).toBeDefined()
    expect(await dry.call('fan', { percent: 10 })).toContain('Dry run: fan would be')
    expect(moves.filter(each => each > 0)).toEqual([])
  })

  it('goes on with them when the board has other firmware, records that, and says when a rule names nothing', async () => {
    const world = new World()
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const bridge = await bridged(world, board, ['--allow', 'fan:percent=0..50'])
    await bridge.call('fan', { percent: 10 })
    board.flash(linkFirmware(withHorn(moves)))
    await bridge.tells('actuator horn is new')
    expect((await toolsOf(bridge)).horn).toBeUndefined()
    expect(await bridge.call('fan', { percent: 51 })).toContain('at most 50')
    const { actuators: _, ...bare } = greenhouse(moves)
    board.flash(linkFirmware({ ...bare, actuators: { vent: { safe: null, set: () => {} } } }))
    await bridge.tells('--allow "fan": there is no actuator or tool "fan"')
    bridge.endInput()
    await bridge.exit()
    const { out } = await world.finish(['log', 'greenhouse'])
    expect(out).toMatch(/description .*it described itself: fan; soil/)
    expect(out).toMatch(/description .*actuator horn is new/)
    expect(out).toMatch(/description .*actuator vent is new.*actuator fan is gone/)
    expect(out).toMatch(/ran +fan +test 1\.0\.0/)
  })

  it('lets a copy with other limits only read, and one with none have its own', async () => {
    const world = new World()
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const rule = ['--allow', 'fan:percent=0..50']
    const owner = await bridged(world, board, rule)
    await owner.call('fan', { percent: 10 })
    const same = await bridged(world, board, rule)
    expect(await same.call('fan', { percent: 20 })).toContain('20')
    const none = await bridged(world, board, [])
    await none.tells('hold here as well: fan: percent 0 to 50')
    expect(await none.call('fan', { percent: 51 })).toContain('at most 50')
    const other = await bridged(world, board, ['--allow', 'fan:percent=0..40'])
    await other.tells('so its host can only read: give both the same')
    expect((await toolsOf(other)).fan).toBeUndefined()
    expect(await other.call('fan', { percent: 30 })).toContain('may only read')
    const reads = await bridged(world, board, ['--read-only'])
    expect(await reads.call('fan', { percent: 30 })).toContain('may only read')
    expect(moves.filter(each => each > 0)).toEqual([10, 20])
  })
})
