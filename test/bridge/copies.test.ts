import { describe, expect, it } from 'vitest'
import { noPtys } from '../serial/pty.ts'
import { CabledBoard, greenhouse, linkFirmware, ownFolders, startFerrule } from './cabled-board.ts'

describe.skipIf(noPtys !== undefined)('several copies of the bridge on one port', () => {
  it('are all served, each by its own answers', async () => {
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const folders = ownFolders()
    const bridges = [1, 2].map(() => startFerrule(['bridge', '--port', board.path], folders))
    await Promise.all(bridges.map(bridge => bridge.initialize()))
    for (const [index, bridge] of bridges.entries()) {
      bridge.write({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'fan', arguments: { percent: 10 + index } },
      })
    }
    const answers = await Promise.all(bridges.map(bridge => bridge.answer(1)))
    expect(answers.map(({ result }) => result.content[0].text)).toEqual([
      expect.stringContaining('10'),
      expect.stringContaining('11'),
    ])
    expect(moves.filter(each => each > 0).sort()).toEqual([10, 11])
  })

  it('find each other when they name a glob that is waited for, and when one names the path', async () => {
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const folders = ownFolders()
    const glob = board.path.replace(/t$/, '?')
    board.unplug()
    const waiting = startFerrule(['bridge', '--port', glob], folders)
    await waiting.tells('it is waited for')
    board.plug()
    await waiting.initialize()
    expect(await waiting.call('fan', { percent: 10 })).toMatch(/10/)
    const same = startFerrule(['bridge', '--port', glob], folders)
    await same.initialize()
    expect(await same.call('fan', { percent: 20 })).toMatch(/20/)
    for (const bridge of [waiting, same]) bridge.endInput()
    await Promise.all([waiting.exit(), same.exit()])
    const first = startFerrule(['bridge', '--port', glob], folders)
    await first.initialize()
    const other = startFerrule(['bridge', '--port', board.path], folders)
    await other.initialize()
    expect(await other.call('fan', { percent: 30 })).toMatch(/30/)
  })

  it('go on when the one that has it is killed', async () => {
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const folders = ownFolders()
    const first = startFerrule(['bridge', '--port', board.path], folders)
    await first.initialize()
    await first.call('fan', { percent: 10 })
    const second = startFerrule(['bridge', '--port', board.path], folders)
    await second.initialize()
    await second.call('fan', { percent: 20 })
    first.process.kill('SIGKILL')
    await second.tells('this process has the device now')
    await second.call('fan', { percent: 30 })
    expect(moves).toContain(30)
  })

  it('let go of it for an upload, and take it back by themselves', async () => {
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const folders = ownFolders()
    const bridge = startFerrule(['bridge', '--port', board.path], folders)
    await bridge.initialize()
    await bridge.call('fan', { percent: 10 })
    const upload = ['--', process.execPath, '-e', 'process.stdin.once("data", () => process.exit(3))']
    const release = startFerrule(['release', board.path, ...upload], folders)
    await release.tells('has let go')
    expect(await bridge.call('fan', { percent: 20 })).toMatch(/given back/)
    release.write('done\n')
    expect(await release.exit()).toMatchObject({ code: 3 })
    expect(await bridge.call('fan', { percent: 30 })).toMatch(/30/)
  })

  it('of several boards let go of all of them, when all are named', async () => {
    const [one, other] = [new CabledBoard(linkFirmware(greenhouse())), new CabledBoard(linkFirmware(greenhouse()))]
    const folders = ownFolders()
    const bridge = startFerrule(['bridge', '--port', `one=${one.path}`, '--port', `other=${other.path}`], folders)
    await bridge.initialize()
    await bridge.call('one_fan', { percent: 10 })
    const release = startFerrule(['release', `${other.path},${one.path}`], folders)
    await release.tells('press Enter')
    expect(await bridge.call('other_fan', { percent: 20 })).toMatch(/given back/)
    release.write('\n')
    expect(await release.exit()).toMatchObject({ code: 0 })
    expect(await bridge.call('other_fan', { percent: 30 })).toMatch(/30/)
  })

  it('are looked at from another terminal', async () => {
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const folders = ownFolders()
    const bridge = startFerrule(['bridge', '--port', board.path], folders)
    await bridge.initialize()
    await bridge.call('fan', { percent: 10 })
    const doctor = startFerrule(['doctor', board.path], folders)
    expect(await doctor.exit()).toMatchObject({ code: 0 })
    expect(doctor.lines.join('\n')).toMatch(/a ferrule bridge of yours has .*\n.*greenhouse.*compact link/)
    const trace = startFerrule(['trace', '--port', board.path], folders)
    await trace.until(() => trace.lines.length > 0, 'the trace to begin')
    await bridge.call('fan', { percent: 55 })
    await trace.until(() => trace.lines.some(line => /→ \d+ call fan \[55\]/.test(line)), 'the call')
    await trace.until(() => trace.lines.some(line => /← \d+ result \([\d.]+ ms\)/.test(line)), 'its answer')
  })

  it('there is nobody to let go of a port that no bridge has', async () => {
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const release = startFerrule(['release', board.path])
    expect(await release.exit()).toMatchObject({ code: 1 })
    expect(release.stderr).toContain('no bridge of yours has')
  })
})
