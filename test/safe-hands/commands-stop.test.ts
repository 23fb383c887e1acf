import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { allAnswered } from '../../bin/running.ts'
import { meetingFolders } from '../../bin/share/meeting-folder.ts'
import type { ServerStatus } from '../../bin/share/server-door.ts'
import { CabledBoard, greenhouse, linkFirmware, mcpFirmware } from '../bridge/cabled-board.ts'
import type { Child } from '../child.ts'
import { noPtys } from '../serial/pty.ts'
import { boardFile, World } from './world.ts'

const unlessWindows = describe.skipIf(process.platform === 'win32')

/** Begins a call that lasts, and waits until it moves. */
async function lifting(child: Child): Promise<void> {
  const params = { name: 'lift', arguments: { ms: 60_000 }, _meta: { progressToken: 'lift' } }
  child.write({ jsonrpc: '2.0', id: 'lift', method: 'tools/call', params })
  await child.until(() => child.messages.some(({ params: told }) => told?.progressToken === 'lift'), 'the lift to move')
}

/** Waits until so many servers can be found. */
async function found(world: World, count: number): Promise<ServerStatus[]> {
  vi.stubEnv('FERRULE_RUNTIME_DIR', world.env.FERRULE_RUNTIME_DIR)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (;;) {
    const all = (await allAnswered()).flatMap(({ status }) => (status === undefined ? [] : [status]))
    if (all.length === count) return all
    await delay(20)
  }
}

describe('ferrule stop', () => {
  it('stops all servers at once: what moves is broken off, and stays off until a person arms it', async () => {
    const world = new World()
    const one = await world.serve()
    await world.serve(['--read-only'], { HANDS_NAME: 'two' })
    await found(world, 2)
    await lifting(one)
    await one.call('pump', { seconds: 9 })
    const { code, out } = await world.finish(['stop'])
    expect(out).toMatch(
      /hands \(ferrule serve .*board\.ts, process \d+\): stopped\n {2}pump {2}safe, as its sensor shows/,
    )
    expect(out).toMatch(/two \(ferrule serve .*\): stopped/)
    expect(out).toContain('  lift  set to its safe state; no sensor shows it')
    expect(code).toBe(0)
    expect((await one.answer('lift')).result.isError).toBe(true)
    expect([world.values('pump').at(-1), world.values('lift').at(-1)]).toEqual([0, 0])
    expect(await one.call('pump', { seconds: 1 })).toContain('stay off')
    const [first, second] = (await world.finish(['status'])).out.split('\n\n')
    expect(first).toMatch(/outputs +stopped: they stay off until "ferrule arm hands"/)
    expect(second).toMatch(/limits +read-only/)
  })

  it('is undone by ferrule arm, which asks first; both are recorded', async () => {
    const world = new World()
    const one = await world.serve()
    await found(world, 1)
    await world.finish(['stop'])
    expect(await world.finish(['arm'])).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') })
    expect(await one.call('pump', { seconds: 1 })).toContain('stay off')
    expect(await world.finish(['arm', '-y'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^hands .*: armed$/),
    })
    expect(await one.call('pump', { seconds: 1 })).toContain('"set":{"seconds":1}')
    expect(await world.finish(['arm', 'hands'])).toMatchObject({ code: 0, out: expect.stringContaining('already') })
    one.endInput()
    await one.exit()
    const record = (await world.finish(['log', 'hands'])).out
    expect(record).toMatch(/ran +stop +by ferrule stop[\s\S]*arm +by ferrule arm/)
  })

  it.skipIf(process.platform !== 'linux').each([
    ['y', 0],
    ['', 1],
    ['no', 1],
  ])('is not undone by ferrule arm in a terminal, unless the answer is yes: "%s"', async (answer, code) => {
    const world = new World()
    const one = await world.serve()
    await found(world, 1)
    await one.call('stop_all')
    const line = `${process.execPath} --import tsx bin/ferrule.ts arm`
    const person = world.run('script', ['-qec', line, '/dev/null'])
    await person.until(() => `${person.lines}${person.unfinished}`.includes('[y/N]'), 'the question')
    expect(`${person.lines}${person.unfinished}`).toContain('See that nobody is in the way')
    person.write(`${answer}\n`)
    expect(await person.exit()).toMatchObject({ code })
    const [status] = await found(world, 1)
    expect(status).toMatchObject({ armed: code === 0, stopped: code !== 0 })
  })

  it('stops one by its name, its file or its process, and leaves the others', async () => {
    const world = new World()
    const one = await world.serve([], { HANDS_NAME: 'one' })
    const two = await world.serve([], { HANDS_NAME: 'two' })
    await found(world, 2)
    expect(await world.finish(['stop', 'ONE'])).toMatchObject({ code: 0 })
    expect(await one.call('lamp', { on: true })).toContain('stay off')
    expect(await two.call('lamp', { on: true })).toContain('"on":true')
    expect((await world.finish(['arm', '--yes'])).out).toContain('one (ferrule serve')
    expect(await world.finish(['stop', String(two.process.pid)])).toMatchObject({ code: 0 })
    expect(await two.call('lamp', { on: true })).toContain('stay off')
    expect(await world.finish(['stop', boardFile])).toMatchObject({ code: 0 })
    expect(await one.call('lamp', { on: true })).toContain('stay off')
    const which = await world.finish(['arm', '--yes'])
    expect([which.code, which.err]).toEqual([2, expect.stringContaining(`ferrule arm ${one.process.pid}   one`)])
    const none = await world.finish(['stop', 'three'])
    expect([none.code, none.err]).toEqual([1, expect.stringMatching(/is called three: there is (one|two) \(process/)])
  })

  it('ends with 1 when an output could not be made safe, and says which', async () => {
    const world = new World()
    await world.serve([], { HANDS_BROKEN: 'pump' })
    await found(world, 1)
    const { code, out } = await world.finish(['stop'])
    expect(out).toMatch(
      /process \d+\): NOT SAFE\n {2}pump {2}NOT SAFE: it could not be set[\s\S]*the relay does not answer/,
    )
    expect(out).toContain('lamp  set to its safe state')
    expect(code).toBe(1)
    const json = JSON.parse((await world.finish(['stop', '--json'])).out)
    expect(json[0].outputs).toContainEqual(expect.objectContaining({ actuator: 'pump', state: 'failed' }))
  })

  it('says so when nothing runs, and leaves nothing behind of what was killed', async () => {
    const world = new World()
    const nothing = expect.stringContaining('nothing runs')
    expect(await world.finish(['stop'])).toMatchObject({ code: 1, err: nothing })
    expect(await world.finish(['status'])).toMatchObject({ code: 0, out: nothing })
    expect(await world.finish(['arm', '--yes'])).toMatchObject({ code: 1, err: nothing })
    const child = await world.serve()
    await found(world, 1)
    child.process.kill('SIGKILL')
    await child.exit()
    expect(await world.finish(['stop'])).toMatchObject({ code: 1, err: nothing })
    if (process.platform !== 'win32') expect(readdirSync(world.env.FERRULE_RUNTIME_DIR!)).toEqual([])
  })
})

unlessWindows('a process that hangs', () => {
  it('is named, with what to do; others are stopped meanwhile, and it stops when it goes on', async () => {
    const world = new World()
    const one = await world.serve()
    await world.serve([], { HANDS_NAME: 'two' })
    await found(world, 2)
    await lifting(one)
    one.process.kill('SIGSTOP')
    const { code, out } = await world.finish(['stop'])
    const { pid } = one.process
    expect(out).toMatch(/two \(ferrule serve .*\): stopped/)
    expect(out).toContain(`process ${pid} does not answer`)
    if (process.platform === 'linux') expect(out).toContain(`It is halted: "kill -CONT ${pid}"`)
    expect(code).toBe(1)
    expect((await world.finish(['status'])).out).toContain(`process ${pid} does not answer`)
    one.process.kill('SIGCONT')
    expect((await one.answer('lift')).result.isError).toBe(true)
    await one.tells('Everything was stopped by ferrule stop')
  })
})

unlessWindows('SIGUSR1', () => {
  it('stops a server on stdio and over HTTP', async () => {
    const world = new World()
    const one = await world.serve()
    const http = world.start(['serve', boardFile, '--http', '0'], { HANDS_NAME: 'two', HANDS_LOG: world.log('two') })
    await http.tells('serves two at')
    one.process.kill('SIGUSR1')
    http.process.kill('SIGUSR1')
    await Promise.all([one, http].map(child => child.tells('Everything was stopped by SIGUSR1')))
    const all = await found(world, 2)
    expect(all.map(({ stopped }) => stopped)).toEqual([true, true])
    expect(all.map(({ over }) => over)).toEqual(['stdio', expect.stringMatching(/^http:\/\/localhost:[1-9]\d*\/mcp$/)])
  })
})

describe.skipIf(noPtys !== undefined)('a board on a cable', () => {
  it('is stopped through whichever copy, by its port or its name, and stays off for all of them', async () => {
    const world = new World()
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const bridges = []
    for (let copy = 0; copy < 2; copy++) {
      const bridge = world.start(['bridge', '--port', board.path])
      await bridge.initialize()
      await bridge.call('fan', { percent: 50 })
      bridges.push(bridge)
    }
    const [status] = await found(world, 1)
    expect(status).toMatchObject({ kind: 'bridge', board: 'greenhouse', clients: 2 })
    const { code, out } = await world.finish(['stop', board.path])
    expect(out).toMatch(
      new RegExp(`greenhouse \\(ferrule bridge ${board.path}, process \\d+\\): stopped\\n {2}fan {2}set`),
    )
    expect([code, moves.at(-1)]).toEqual([0, 0])
    for (const bridge of bridges) expect(await bridge.call('fan', { percent: 10 })).toContain('stay off')
    expect(await world.finish(['arm', 'greenhouse', '--yes'])).toMatchObject({ code: 0 })
    for (const bridge of bridges) expect(await bridge.call('fan', { percent: 10 })).toContain('10')
    expect(await world.finish(['release', board.path, '--', process.execPath, '-e', '0'])).toMatchObject({ code: 0 })
  })

  it('that never came has nothing to be stopped, which is said', async () => {
    const world = new World()
    const bridge = world.start(['bridge', '--port', join(world.folder, 'no-such-port')])
    await bridge.initialize()
    const { code, out } = await world.finish(['stop'])
    expect(out).toMatch(/stopped\n {2}no board is there:\n {2}.*no-such-port/)
    expect(code).toBe(0)
  })

  it('is stopped with all others of its bridge', async () => {
    const world = new World()
    const moves: number[][] = [[], []]
    const boards = moves.map((own, index) => new CabledBoard(linkFirmware(greenhouse(own), `B${index}`)))
    const bridge = world.start(['bridge', ...boards.flatMap(({ path }, index) => ['--port', `${'ab'[index]}=${path}`])])
    await bridge.initialize()
    await bridge.call('a_fan', { percent: 50 })
    await bridge.call('b_fan', { percent: 60 })
    const { code, out } = await world.finish(['stop'])
    expect(out).toMatch(/ {2}a_fan {2}set .*\n {2}b_fan {2}set/)
    expect([code, moves.map(own => own.at(-1))]).toEqual([0, [0, 0]])
  })

  it('that speaks MCP itself is stopped and armed by its own tools', async () => {
    const world = new World()
    const moves: number[] = []
    const board = new CabledBoard(mcpFirmware(greenhouse(moves)))
    const bridge = world.start(['bridge', '--port', board.path])
    await bridge.initialize()
    expect(await bridge.call('fan', { percent: 50 })).toContain('50')
    const { code, out } = await world.finish(['stop'])
    expect(out).toContain('  fan  set to its safe state')
    expect([code, moves.at(-1)]).toEqual([0, 0])
    expect(await bridge.call('fan', { percent: 10 })).toContain('stay off')
    expect(await world.finish(['arm', '--yes'])).toMatchObject({ code: 0 })
    expect(await bridge.call('fan', { percent: 10 })).toContain('10')
  })

  it('that speaks MCP and has no way to stop is kept from moving, and said to be not safe', async () => {
    const world = new World()
    let opened = 0
    const gate = { name: 'gate' }
    const board = new CabledBoard(
      mcpFirmware(gate, { tools: { open: { description: 'Opens it.', call: () => `opened ${++opened}` } } }),
    )
    const bridge = world.start(['bridge', '--port', board.path])
    await bridge.initialize()
    expect(await bridge.call('open')).toBe('opened 1')
    const { code, out } = await world.finish(['stop'])
    expect(out).toMatch(/NOT SAFE[\s\S]*it speaks MCP itself and has no tool stop_all. Switch it off by hand/)
    expect(code).toBe(1)
    expect(await bridge.call('open')).toContain('stay off')
    await world.finish(['arm', '--yes'])
    expect(await bridge.call('open')).toBe('opened 2')
  })
})

unlessWindows('where servers meet', () => {
  it('is every folder in which one may have been started, or the only one that is named', () => {
    const world = new World()
    const own = `${world.folder}/only`
    expect(meetingFolders({ FERRULE_RUNTIME_DIR: own })).toEqual([])
    const all = meetingFolders({ XDG_RUNTIME_DIR: world.folder })
    expect(all).not.toContain(own)
  })
})
