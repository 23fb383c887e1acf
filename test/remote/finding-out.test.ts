import { describe, expect, it } from 'vitest'
import { countingBoard, seeded } from '../link/pair.ts'
import { memoryStore, RemoteRig, speaksMcp } from './remote-rig.ts'

/** What boot loaders print at another speed, with XON, XOFF, 0xFF and 0x7F, and the link's marker, in it. */
const bootNoise = Buffer.from('726c6c8ce210fe000080c01b1311ff7f0d0a', 'hex')
const bootText =
  'ets Jun  8 2016 00:22:57\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\nentry 0x400805f0\r\n'
const appText = 'I (312) main_task: calling app_main()\r\n{"not":"rpc"}\r\n[1,2]\r\n'
const gluedNoise = Buffer.from('f3007e6c64c2', 'hex')
const answer = '{"jsonrpc":"2.0","id":"ferrule-probe-0","result":{}}\n'

const told = [
  'ets Jun  8 2016 00:22:57',
  'rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)',
  'entry 0x400805f0',
  'I (312) main_task: calling app_main()',
  '{"not":"rpc"}',
  '[1,2]',
]

describe('a board that restarts when its port is opened', () => {
  it.each(['link', 'mcp'])('is found as %s after it was deaf, through noise and text', async kind => {
    const rig = new RemoteRig().plug()
    rig.say(bootNoise)
    rig.say(bootText)
    await rig.clock.advance(300)
    rig.say(appText)
    await rig.clock.advance(1200)
    expect(rig.device.kind).toBe('unknown')
    if (kind === 'link') rig.link(countingBoard().board).start()
    else rig.mcp()
    await rig.clock.advance(3000)
    expect(rig.device.kind).toBe(kind)
    expect(rig.texts).toEqual(told)
    expect(rig.told).toHaveLength(1)
    expect(rig.told[0]).toContain('noise')
    expect(rig.mcpLines).toEqual([])
  })

  it('its first answer is found behind noise that has no end of line', async () => {
    const rig = new RemoteRig().plug()
    rig.say(Buffer.concat([gluedNoise, Buffer.from(answer)]))
    await rig.clock.advance(10)
    expect(rig.device.kind).toBe('mcp')
    rig.say(Buffer.concat([gluedNoise, Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"a":"é"}}\n')]))
    rig.say('12:00 ok{"broken {"jsonrpc":"2.0","id":8,"result":{}}\r\n')
    await rig.clock.advance(10)
    expect(rig.mcpLines).toEqual([
      '{"jsonrpc":"2.0","id":7,"result":{"a":"é"}}',
      '{"jsonrpc":"2.0","id":8,"result":{}}',
    ])
  })

  it.each([...Buffer.concat([bootNoise, Buffer.from(appText + answer)]).keys()])(
    'cut after byte %i, it is found all the same',
    async at => {
      const bytes = Buffer.concat([bootNoise, Buffer.from(appText + answer)])
      const rig = new RemoteRig().plug()
      rig.say(bytes.subarray(0, at))
      rig.say(bytes.subarray(at))
      await rig.clock.advance(10)
      expect(rig.device.kind).toBe('mcp')
    },
  )

  it('is asked again when what was heard last time was cut by the cable', async () => {
    const rig = new RemoteRig().plug()
    rig.say('{"jsonrpc":"2.0","id":"ferrule-pro')
    await rig.clock.advance(10)
    rig.unplug()
    rig.plug()
    rig.say(answer)
    await rig.clock.advance(10)
    expect(rig.device.kind).toBe('mcp')
  })
})

describe('asking', () => {
  it('both ways are asked in turn, until one is answered', async () => {
    const rig = new RemoteRig().plug()
    await rig.clock.advance(5000)
    expect(rig.heard[0]).toContain('ping')
    expect(rig.heard.filter(line => line.startsWith('\xfe')).length).toBeGreaterThan(1)
    expect(rig.heard.filter(line => line.includes('ping')).length).toBeGreaterThan(1)
    expect(rig.heard.some(line => line.includes('server/discover'))).toBe(true)
  })

  it('what answered last time is asked first, and a device that answers is not asked in the other way', async () => {
    const store = memoryStore()
    const { board } = countingBoard()
    const first = new RemoteRig({ store, storeKey: 'a' })
    first.link(board)
    first.plug()
    await first.clock.advance(3000)
    const again = new RemoteRig({ store, storeKey: 'a' })
    again.link(board)
    again.plug()
    await again.clock.advance(3000)
    expect(again.heard[0]).toMatch(/^\xfe/)
    expect(again.heard.some(line => line.includes('jsonrpc'))).toBe(false)
    const mcp = new RemoteRig()
    mcp.mcp()
    mcp.plug()
    await mcp.clock.advance(3000)
    expect(mcp.heard.some(line => line.startsWith('\xfe'))).toBe(false)
  })

  it('a device that never answers is not flooded', async () => {
    const rig = new RemoteRig().plug()
    await rig.clock.advance(20_000)
    rig.heard.length = 0
    await rig.clock.advance(60_000)
    expect(rig.heard.filter(line => line.includes('jsonrpc')).length).toBeLessThanOrEqual(12)
  })

  it('nothing is sent while the line is gone', async () => {
    const rig = new RemoteRig().plug()
    await rig.clock.advance(1000)
    rig.unplug()
    rig.heard.length = 0
    await rig.clock.advance(60_000)
    expect(rig.heard).toEqual([])
    expect(rig.clock.pending).toBe(0)
  })

  it.each([
    ['nothing', [], 'sends nothing at all'],
    ['text', ['$GPGGA,123519,4807.038,N\r\n', '$GPGSA,A,3,04\r\n'], 'prints text'],
    ['noise', ['\x00\x80\xfc\x00\xe0\n', '\xfc\x1c\xe0\x80\n', 'x\n'], '115200 baud'],
  ])('when only %s comes, it is told once, with what to check', async (_, said, expected) => {
    const rig = new RemoteRig().plug()
    for (const text of said) rig.say(Buffer.from(text, 'latin1'))
    await rig.clock.advance(60_000)
    const about = rig.told.filter(text => text.includes('has not answered'))
    expect(about).toHaveLength(1)
    expect(about[0]).toContain(expected)
  })

  it('a line that echoes is no answer', async () => {
    const rig = new RemoteRig()
    rig.peer = { receive: chunk => rig.say(Buffer.from(chunk)) }
    rig.plug()
    await rig.clock.advance(5000)
    expect(rig.device.kind).toBe('unknown')
    expect(rig.told.filter(text => text.includes('echoes'))).toHaveLength(1)
    expect(rig.texts).toEqual([])
  })
})

describe('a device that speaks MCP itself', () => {
  async function found(options = {}) {
    const rig = new RemoteRig(options)
    rig.mcp()
    rig.plug()
    await rig.clock.advance(2000)
    expect(rig.device.kind).toBe('mcp')
    return rig
  }

  it('is told once, and hears no more of the link', async () => {
    const rig = await found()
    expect(rig.events).toEqual(['mcp of some era'])
    rig.heard.length = 0
    await rig.clock.advance(30_000)
    expect(rig.heard).toEqual([])
  })

  it('is known to be of the modern era when it answers a discovery', async () => {
    const rig = new RemoteRig()
    rig.mcp(({ id, method }) =>
      method === 'server/discover' ? { jsonrpc: '2.0', id, result: { supportedVersions: ['2026-07-28'] } } : undefined,
    )
    rig.plug()
    await rig.clock.advance(5000)
    expect(rig.events).toEqual(['mcp modern'])
  })

  it('is sent lines and its messages come whole; answers to the probes do not', async () => {
    const rig = await found()
    rig.mcp(({ id }) => (id === undefined ? undefined : { jsonrpc: '2.0', id, result: { text: 'x'.repeat(20_000) } }))
    await rig.device.sendLine('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    rig.say('{"jsonrpc":"2.0","id":"ferrule-probe-1","result":{}}\n')
    await rig.clock.advance(10)
    expect(rig.mcpLines).toHaveLength(1)
    expect(JSON.parse(rig.mcpLines[0]!)).toMatchObject({ id: 1, result: { text: 'x'.repeat(20_000) } })
  })

  it('sends a batch: each message comes by itself', async () => {
    const rig = await found()
    rig.say('[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"notifications/message"}]\n')
    await rig.clock.advance(10)
    expect(rig.mcpLines).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/message"}',
    ])
  })

  it('an echo of what it was sent is not taken for a request of the device', async () => {
    const rig = await found()
    rig.peer = undefined
    const line = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    await rig.device.sendLine(line)
    rig.say(`${line}\n`)
    await rig.clock.advance(10)
    expect(rig.mcpLines).toEqual([])
  })

  it('what it says against the hello of the link is not handed on', async () => {
    const rig = new RemoteRig().plug()
    rig.say('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad line"}}\n')
    rig.say('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad line"}}\n')
    await rig.clock.advance(10)
    expect(rig.device.kind).toBe('mcp')
    expect(rig.mcpLines).toEqual([])
  })

  it('prints between its messages: that is text', async () => {
    const rig = await found()
    rig.say('heap: 20111\n{"jsonrpc":"2.0","id":1,"result":{}}\n{"level":3}\n')
    await rig.clock.advance(10)
    expect(rig.mcpLines).toHaveLength(1)
    expect(rig.texts).toEqual(['heap: 20111', '{"level":3}'])
  })

  it('is lost with the cable, cannot be written to, and is found again at once', async () => {
    const rig = await found()
    rig.unplug()
    expect(rig.events.at(-1)).toBe('mcp lost: /dev/ttyACM0 was unplugged')
    await expect(rig.device.sendLine('{}')).rejects.toThrow('is away (/dev/ttyACM0 was unplugged)')
    rig.plug()
    await rig.clock.advance(50)
    expect(rig.device.kind).toBe('mcp')
    expect(rig.events).toEqual(['mcp of some era', 'mcp lost: /dev/ttyACM0 was unplugged', 'mcp of some era'])
  })

  it('is looked for anew when it stopped making sense', async () => {
    const rig = await found()
    rig.device.lookAgain('it did not answer initialize')
    expect(rig.device.kind).toBe('unknown')
    await rig.clock.advance(1000)
    expect(rig.device.kind).toBe('mcp')
  })

  it('says something without being asked after it has booted, and is asked at once', async () => {
    const rig = new RemoteRig().plug()
    await rig.clock.advance(9000)
    rig.mcp()
    rig.say('{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n')
    await rig.clock.advance(20)
    expect(rig.device.kind).toBe('mcp')
  })

  it('its lists are kept, and it is known by them the next time', async () => {
    const store = memoryStore()
    const rig = await found({ store, storeKey: 'a' })
    rig.device.rememberMcp({ tools: [] })
    const next = new RemoteRig({ store, storeKey: 'a' })
    expect(next.device.stored).toEqual({ kind: 'mcp', lists: { tools: [] } })
    expect(await next.device.known(0)).toBe(true)
  })
})

describe('another program on the device', () => {
  it('it spoke the link and speaks MCP now: its board has nothing any more', async () => {
    const store = memoryStore()
    const rig = new RemoteRig({ store, storeKey: 'a' })
    rig.link(countingBoard().board)
    rig.plug()
    await rig.clock.advance(2000)
    rig.unplug()
    rig.mcp(speaksMcp)
    rig.plug()
    await rig.clock.advance(3000)
    expect(rig.device.kind).toBe('mcp')
    expect(rig.boards.map(({ name }) => name)).toEqual(['bench', 'ttyACM0'])
    expect(rig.device.board.actuators).toEqual({})
    expect(rig.device.stored).toBeUndefined()
  })

  it('it was flashed without pulling the cable: the link is found where MCP was', async () => {
    const rig = new RemoteRig()
    rig.mcp()
    rig.plug()
    await rig.clock.advance(2000)
    rig.link(countingBoard().board).start()
    await rig.clock.advance(2000)
    expect(rig.device.kind).toBe('link')
    expect(rig.events.at(-1)).toBe('mcp lost: it speaks the compact link now')
    expect(rig.boards.map(({ name }) => name)).toEqual(['bench'])
  })

  it('it was flashed without pulling the cable: MCP is found where the link was', async () => {
    const rig = new RemoteRig()
    rig.link(countingBoard().board)
    rig.plug()
    await rig.clock.advance(2000)
    rig.mcp()
    await rig.clock.advance(15_000)
    expect(rig.device.kind).toBe('mcp')
    expect(rig.told.some(text => text.includes('does not answer'))).toBe(true)
  })
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])('whatever comes in, a good answer after it is found (seed %i)', async seed => {
  const random = seeded(seed)
  const rig = new RemoteRig().plug()
  const pieces = [
    bootNoise,
    Buffer.from(appText),
    Buffer.from('{"jsonrpc":"2.0",'),
    Buffer.from('[{'),
    Buffer.from('\xfe'),
  ]
  for (let at = 0; at < 200; at++) {
    const piece = pieces[Math.floor(random() * pieces.length)]!
    const noise = Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256)
    rig.device.receive(random() < 0.5 ? piece : noise)
  }
  rig.device.receive(Buffer.from(`\n${answer}`))
  expect(rig.device.kind).toBe('mcp')
  rig.device.receive(Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}\n'))
  expect(rig.mcpLines).toHaveLength(1)
  for (const text of rig.texts) expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
})
