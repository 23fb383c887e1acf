import { describe, expect, it } from 'vitest'
import { tool } from '../../runtime/index.ts'
import { noPtys } from '../serial/pty.ts'
import { CabledBoard, type Firmware, mcpFirmware, ownFolders, startFerrule } from './cabled-board.ts'

const tools = {
  echo: tool({
    description: 'Answers with the text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    call: ({ text }) => text,
  }),
  count: tool({
    inputSchema: { type: 'object', properties: { to: { type: 'number' } } },
    call: ({ to = 0 }, call) => {
      for (let step = 1; step <= to; step++) call.progress(step, to)
      return `counted to ${to}`
    },
  }),
}

const talker = mcpFirmware({ name: 'talker', version: '3.0.0', description: 'Says things.' }, { tools })

describe.skipIf(noPtys !== undefined)('a board that speaks MCP itself', () => {
  it('is found out to do so, and hears nothing that it does not know', async () => {
    const board = new CabledBoard(talker)
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    const { result } = await bridge.request('tools/list')
    expect(result.tools.map((each: any) => each.name).sort()).toEqual(['count', 'echo'])
    expect(await bridge.call('echo', { text: 'dash — 🙂' })).toBe('dash — 🙂')
    const lines = board.heard.split('\n').filter(line => line !== '')
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  })

  it('keeps every character whole, however the bytes are cut on either side', async () => {
    const byteByByte: Firmware = (send, boot) =>
      talker(data => {
        for (const byte of Buffer.from(data)) send(Uint8Array.of(byte))
      }, boot)
    const board = new CabledBoard(byteByByte)
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    for (const [index, text] of ['dash — é 日本 🙂 𝄞 end', '🙂'.repeat(40)].entries()) {
      const params = { name: 'echo', arguments: { text } }
      const line = `${JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params })}\n`
      for (const byte of Buffer.from(line)) await bridge.written(Uint8Array.of(byte))
      expect((await bridge.answer(index)).result.content[0].text).toBe(text)
    }
  })

  it('tells how far it is, under the token of the host', async () => {
    const board = new CabledBoard(talker)
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    const params = { name: 'count', arguments: { to: '3' }, _meta: { progressToken: 'mine' } }
    bridge.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect((await bridge.answer(1)).result.content[0].text).toBe('counted to 3')
    const told = bridge.messages.filter(({ method }) => method === 'notifications/progress')
    expect(told.map(({ params }) => [params.progressToken, params.progress])).toEqual([
      ['mine', 1],
      ['mine', 2],
      ['mine', 3],
    ])
  })

  it('is known by its own name, and listed at once the next time, while it is away', async () => {
    const folders = ownFolders()
    const board = new CabledBoard(talker)
    const first = startFerrule(['bridge', '--port', board.path], folders)
    await first.initialize()
    expect(await first.call('echo', { text: 'hello' })).toBe('hello')
    first.endInput()
    await first.exit()
    board.unplug()
    const second = startFerrule(['bridge', '--port', board.path], folders)
    const { result } = await second.initialize()
    expect(result).toMatchObject({ serverInfo: { name: 'talker', version: '3.0.0' } })
    // What the device says is there to be read, and nothing that the host hands to its model as instructions.
    expect(result.instructions).not.toContain('Says things.')
    const about = await second.request('resources/read', { uri: 'device://talker' })
    expect(about.result.contents[0].text).toBe('Says things.')
    expect((await second.request('tools/list')).result.tools).toHaveLength(2)
    expect(await second.call('echo', { text: 'hello' })).toMatch(/away|not there|gone/)
    board.plug()
    await second.tells('is open')
    expect(await second.call('echo', { text: 'back' })).toBe('back')
  })

  it('is waited for while it boots, by a call that comes at once', async () => {
    const folders = ownFolders()
    const board = new CabledBoard(talker)
    const first = startFerrule(['bridge', '--port', board.path], folders)
    await first.initialize()
    await first.call('echo', { text: 'hello' })
    first.endInput()
    await first.exit()
    board.hang()
    board.heard = ''
    const second = startFerrule(['bridge', '--port', board.path], folders)
    await second.initialize()
    const answer = second.call('echo', { text: 'after boot' })
    // By then more time has passed than anybody waits for a board that is away.
    await board.hears('ferrule-probe-4')
    board.reset()
    expect(await answer).toBe('after boot')
  })

  it('that gets firmware of the compact link, or the other way round, has the tools of what it runs', async () => {
    const { greenhouse, linkFirmware } = await import('./cabled-board.ts')
    const board = new CabledBoard(talker)
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    const names = async () =>
      (await bridge.request('tools/list')).result.tools
        .map((each: any) => each.name)
        .sort()
        .join(' ')
    expect(await names()).toBe('count echo')
    board.unplug()
    await bridge.tells('is gone')
    board.flash(linkFirmware(greenhouse()))
    board.plug()
    while ((await names()) !== 'arm_outputs fan stop_all') await bridge.until(nextLine(bridge), 'other tools')
    board.unplug()
    board.flash(talker)
    board.plug()
    while ((await names()) !== 'count echo') await bridge.until(nextLine(bridge), 'other tools')
  })
})

function nextLine(bridge: { lines: string[] }): () => boolean {
  const seen = bridge.lines.length
  return () => bridge.lines.length > seen
}
