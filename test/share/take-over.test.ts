import { describe, expect, it } from 'vitest'
import { promisedExitMs } from '../child.ts'
import { begin, Copies, move, said } from './copies.ts'

describe('two hosts, one device', () => {
  it('both are served by the first copy, each with its own answers, although they use the same ids', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    begin(first, 1, 'wait', { ms: 300 })
    begin(second, 1, 'echo', { text: 'second' })
    expect(said(await second.answer(1))).toBe('second')
    expect(first.messages.filter(({ id }) => id === 1)).toEqual([])
    expect(said(await first.answer(1))).toBe('waited')
    expect(await first.call('who')).toBe(String(first.process.pid))
    expect(await second.call('who')).toBe(String(first.process.pid))
    expect(copies.owners()).toEqual([first.process.pid])
  })

  it('a copy whose host leaves ends in time, and the device goes on', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await move(first, 'long', 'long', 1500)
    const since = performance.now()
    second.endInput()
    const { code, ms } = await second.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(promisedExitMs)
    expect(said(await first.answer('long'))).toContain('moved long')
    expect(copies.owners()).toEqual([first.process.pid])
  })

  it('a call is cancelled through the owner', async () => {
    const copies = new Copies()
    await copies.start()
    const second = await copies.start()
    await move(second, 'slow', 'slow', 60_000)
    second.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
    // The arm has one move at a time, so this one shows that the other is over.
    begin(second, 'next', 'arm', { ms: 1, tag: 'next' })
    expect(said(await second.answer('next'))).toContain('moved next')
    expect(copies.times('ends slow')).toBe(0)
    expect(second.messages.filter(({ id }) => id === 'slow')).toEqual([])
  })

  it('what is no message is answered as ever', async () => {
    const copies = new Copies()
    await copies.start()
    const second = await copies.start()
    second.write('no json\n', 'noise \u0004 \u0006 \u0004\n', '{"jsonrpc":"2.0","id":"odd"}\n')
    expect(await second.answer('odd')).toMatchObject({ error: { code: -32600 } })
    expect(second.messages.filter(({ error }) => error?.code === -32700)).toHaveLength(2)
  })
})

describe('the owner is killed', () => {
  it("another's call ends as unknown, is not run again, and the next one works", async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await move(second, 1, 'half', 60_000)
    first.process.kill('SIGKILL')
    const { result } = await second.answer(1)
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(/unknown whether arm was done: process \d+.*ended.*not sent again/)
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect(copies.times('begins half')).toBe(1)
    expect(copies.owners([first.process.pid])).toEqual([first.process.pid, second.process.pid])
  })

  it('what only reads is asked again, and nobody notices', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    // A stopped process answers nothing, so what is asked now is still open when it is killed.
    first.process.kill('SIGSTOP')
    second.write({ jsonrpc: '2.0', id: 'list', method: 'tools/list' })
    second.write({ jsonrpc: '2.0', id: 'read', method: 'resources/read', params: { uri: 'sensor://shared/position' } })
    await second.rests()
    first.process.kill('SIGKILL')
    const { result } = await second.answer('list')
    expect(result.tools.map(({ name }: { name: string }) => name)).toContain('arm')
    expect(await second.answer('read')).toMatchObject({ result: { contents: [{}, {}] } })
  })

  it('a call of a modern host ends with a whole result', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = copies.launch()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    begin(second, 1, 'arm', { ms: 60_000, tag: 'modern' }, { ...meta, progressToken: 'p' })
    await second.until(() => second.lines.length > 0, 'progress')
    first.process.kill('SIGKILL')
    expect(await second.answer(1)).toMatchObject({ result: { resultType: 'complete', isError: true } })
    begin(second, 2, 'who', {}, meta)
    expect(said(await second.answer(2))).toBe(String(second.process.pid))
  })

  it('a file that it left behind is in nobody’s way', async () => {
    const copies = new Copies()
    const first = await copies.start()
    await first.stop()
    const second = await copies.start()
    expect(await second.call('who')).toBe(String(second.process.pid))
    const third = await copies.start()
    expect(await third.call('who')).toBe(String(second.process.pid))
  })

  it('a device that cannot be taken over is told to whoever calls, and taken when it can be', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start({ SHARE_BROKEN: '1' })
    await first.stop()
    const text = await second.call('arm', { ms: 1, tag: 'never' })
    expect(text).toContain('Nothing was done: arm did not begin, because /dev/ttyTEST does not exist')
    const third = await copies.start()
    await second.tells(`process ${third.process.pid} has it`)
    expect(await second.call('who')).toBe(String(third.process.pid))
  })
})

describe("the owner's host leaves", () => {
  it("another's call is finished first, a call made meanwhile is done by the next owner, and both run once", async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await move(second, 'running', 'running', 1500)
    first.endInput()
    await first.tells('handed over')
    begin(second, 'meanwhile', 'arm', { ms: 1, tag: 'meanwhile' })
    const running = await second.answer('running')
    expect(running.result.isError).toBeUndefined()
    expect(said(running)).toContain('moved running')
    expect(said(await second.answer('meanwhile'))).toContain('moved meanwhile')
    expect((await first.exit()).code).toBe(0)
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect(copies.times('begins running')).toBe(1)
    expect(copies.times('begins meanwhile')).toBe(1)
    expect(copies.owners()).toEqual([first.process.pid, second.process.pid])
  })

  it('a copy that is started meanwhile is served at once, and its calls wait for the next owner', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await move(second, 'running', 'running', 4000)
    first.endInput()
    await first.tells('handed over')
    const third = await copies.start()
    const { result } = await third.request('tools/list')
    expect(result.tools.length).toBeGreaterThan(1)
    expect(copies.times('ends running')).toBe(0)
    expect(await third.call('arm', { ms: 1, tag: 'third' })).toContain('moved third')
    expect(said(await second.answer('running'))).toContain('moved running')
    expect(copies.times('begins third')).toBe(1)
    expect(copies.owners()).toHaveLength(2)
  })

  it('a call that is finished meanwhile can still be cancelled', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await move(second, 'running', 'running', 60_000)
    first.endInput()
    await first.tells('handed over')
    second.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'running' } })
    expect((await first.exit()).code).toBe(0)
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect(copies.times('ends running')).toBe(0)
  })

  it('a signal hurries it: the call of the other ends with what is true, and the process in time', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await move(second, 'running', 'running', 60_000)
    const since = performance.now()
    first.process.kill('SIGTERM')
    const { code, ms } = await first.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(promisedExitMs)
    const { result } = await second.answer('running')
    expect(result.isError).toBe(true)
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect(copies.owners()).toEqual([first.process.pid, second.process.pid])
  })

  it('the host that is left has a device in its safe state when it ends too', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    first.endInput()
    await first.exit()
    expect(await second.call('who')).toBe(String(second.process.pid))
    second.endInput()
    expect((await second.exit()).code).toBe(0)
    expect(copies.happened.slice(-3).map(({ what }) => what)).toEqual(['safe', 'closes', 'gives back'])
  })

  it('calls one after another, while every owner leaves in turn, are all done, and once', async () => {
    const copies = new Copies()
    const others = [await copies.start(), await copies.start(), await copies.start()]
    const last = await copies.start()
    for (let i = 0; i < 120; i++) {
      if (i % 40 === 20) {
        const owner = await last.call('who')
        others.find(({ process }) => String(process.pid) === owner)?.endInput()
      }
      expect(await last.call('arm', { ms: 1, tag: `t${i}` })).toContain(`moved t${i}`)
    }
    for (let i = 0; i < 120; i++) expect(copies.times(`begins t${i}`)).toBe(1)
    expect(copies.owners().length).toBeGreaterThan(1)
  })
})

describe('many at once', () => {
  it('ten copies started together have one owner, also after it is killed', async () => {
    const copies = new Copies()
    const ten = Array.from({ length: 10 }, () => copies.launch())
    await Promise.all(ten.map(child => child.initialize()))
    const served = await Promise.all(ten.map(child => child.call('who')))
    expect(new Set(served).size).toBe(1)
    expect(copies.owners().map(String)).toEqual([served[0]])
    const [killed, ...left] = [...ten].sort(child => (String(child.process.pid) === served[0] ? -1 : 1))
    await killed!.stop()
    const next = await Promise.all(left.map(child => child.call('who')))
    expect(new Set(next).size).toBe(1)
    expect(next[0]).not.toBe(served[0])
    expect(copies.owners([killed!.process.pid]).map(String)).toEqual([served[0], next[0]])
  })
})
