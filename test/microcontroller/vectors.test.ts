import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CborItem, FrameWriter, readCbor, readFrame } from '../../boards/remote/link/index.ts'
import { buildFolder, buildNative, isMissing } from './compile.ts'
import { NativeDevice } from './native-device.ts'

/** A message, or milliseconds that go by. */
type Step = { to: 'device' | 'host'; diagnostic: string; cbor: string } | { wait: number }

interface Vectors {
  hash: { records: string[]; hash: number }[]
  messages: { name: string; to: 'device' | 'host'; diagnostic: string; cbor: string; line: string }[]
  lines: { name: string; line: string; gives: { frame?: string; damaged?: true }[] }[]
  refused: { name: string; cbor: string }[]
  skipped: { name: string; to: 'device' | 'host'; cbor: string; what: string }[]
  exchange: { steps: Step[] }
  rules: { steps: Step[] }
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../docs/link-vectors.json', import.meta.url), 'utf8'))
const session = 0x4a21
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

function frameOf(message: Uint8Array): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  for (const byte of message) writer.byte(byte)
  return writer.end()
}

/** The messages in what a device wrote. */
function messagesIn(written: Uint8Array): CborItem[] {
  const messages: CborItem[] = []
  for (let start = 0, end = 0; (end = written.indexOf(0x0a, start)) !== -1; start = end + 1) {
    if (end === start) continue
    expect(written[start]).toBe(0xfe)
    const into = new Uint8Array(1024)
    const length = readFrame(written, start + 1, end, into)
    expect(length).toBeGreaterThan(0)
    messages.push(readCbor(into.slice(0, length)))
  }
  return messages
}

/** What a hello says of the description, and whether the outputs are armed. */
function described(hello: CborItem[]): (CborItem | undefined)[] {
  const members = hello[3] as Map<number, CborItem>
  return [4, 5, 15].map(key => members.get(key))
}

describe.skipIf(isMissing('gcc'))('the C device', () => {
  let program: string
  let device: NativeDevice
  let written: CborItem[] = []

  beforeAll(() => {
    program = buildNative('vector-board', buildFolder())
  })

  afterAll(() => device.stop())

  /** A device that is up, in the session of the vectors. */
  async function greeted(): Promise<void> {
    device?.stop()
    device = new NativeDevice(program)
    device.onBytes = chunk => written.push(...messagesIn(chunk))
    await say('a hello', frameOf(bytes(vectors.messages[0]!.cbor)))
  }

  /** What it answers. */
  async function say(_what: string, line: Uint8Array): Promise<CborItem[]> {
    written = []
    await device.receive(line)
    return written
  }

  it('says hello at its boot, in session 0, behind a newline', async () => {
    device?.stop()
    device = new NativeDevice(program)
    let raw = new Uint8Array()
    device.onBytes = chunk => {
      raw = Uint8Array.from(chunk)
    }
    await device.advance(1)
    expect(raw[0]).toBe(0x0a)
    const [hello] = messagesIn(raw) as CborItem[][]
    expect(hello!.slice(0, 3)).toEqual([14, 0, 1])
    expect(Object.fromEntries(hello![3] as Map<number, CborItem>)).toEqual({
      1: 'pot',
      2: 'V1',
      3: '1.0',
      4: vectors.hash[1]!.hash,
      5: 8,
      6: 17,
      7: 1024,
      8: 1,
      9: 5000,
    })
  })

  it('describes itself as the vectors do, and has their hash', async () => {
    await greeted()
    const records: CborItem[] = []
    for (const [number] of vectors.hash[1]!.records.entries()) {
      const message = frameOf(Uint8Array.of(0x84, 0x02, 0x19, 0x4a, 0x21, 0x20, number))
      records.push((await say('describe', message))[0] as CborItem)
    }
    const wanted = vectors.hash[1]!.records.map(record => [12, session, -1, readCbor(bytes(record))])
    expect(records).toEqual(wanted)
    expect(await say('describe', frameOf(Uint8Array.of(0x84, 2, 0x19, 0x4a, 0x21, 0x20, 8)))).toEqual([
      [13, session, -1, 2],
    ])
  })

  it.each([
    ['calls, readings and their errors', 'vector-board', vectors.exchange],
    ['rules', 'rule-board', vectors.rules],
  ])('goes through the exchange of %s, answer by answer', async (_, board, { steps }) => {
    device?.stop()
    device = new NativeDevice(board === 'vector-board' ? program : buildNative(board, buildFolder()))
    const answers: CborItem[] = []
    device.onBytes = chunk => answers.push(...messagesIn(chunk))
    await device.advance(1)
    answers.length = 0
    for (const step of steps) {
      if ('wait' in step) {
        await device.advance(step.wait)
        continue
      }
      const { to, cbor, diagnostic } = step
      if (to === 'device') {
        expect(answers, `before ${diagnostic}`).toEqual([])
        await device.receive(frameOf(bytes(cbor)))
        continue
      }
      const wanted = readCbor(bytes(cbor)) as CborItem[]
      const given = answers.shift() as CborItem[]
      // Devices differ in the members of the hello, and in texts.
      const told = wanted[0] === 14 || wanted[0] === 17 ? 3 : 4
      if ([13, 14, 17].includes(wanted[0] as number)) {
        expect(given.slice(0, told), diagnostic).toEqual(wanted.slice(0, told))
        if (wanted[0] === 14) expect(described(given), diagnostic).toEqual(described(wanted))
      } else expect(given, diagnostic).toEqual(wanted)
    }
    expect(answers).toEqual([])
  })

  it.each(vectors.lines)('$name', async ({ line, gives }) => {
    await greeted()
    const wanted = gives
      .filter(given => given.frame !== undefined)
      .map(({ frame }) => (frame!.startsWith('8301') ? [12, session, -1, 0] : [12, session, -3, false]))
    const whole = bytes(line)
    expect(await say('in one chunk', whole)).toEqual(wanted)
    const byByte: CborItem[] = []
    for (const byte of whole) byByte.push(...(await say('byte by byte', Uint8Array.of(byte))))
    expect(byByte).toEqual(wanted)
  })

  it.each(vectors.refused)('$name ($cbor) moves nothing and is no done call', async ({ cbor }) => {
    await greeted()
    const inner = [...bytes(cbor)]
    const before = device.moves.length
    const call = frameOf(Uint8Array.from([0x85, 0x04, 0x19, 0x4a, 0x21, 0x07, 0x01, 0x81, ...inner]))
    // Too wide an integer is well formed: it may also be out of range.
    for (const answer of await say('call', call)) expect([3, 4]).toContain((answer as CborItem[])[3])
    expect(device.moves.length).toBe(before)
    expect(await say('ping', bytes(vectors.messages.find(({ name }) => name === 'ping')!.line))).toEqual([
      [12, session, -1, 0],
    ])
  })

  it.each(vectors.skipped.filter(({ to }) => to === 'device'))('$name: $what', async ({ cbor, what }) => {
    await greeted()
    const [answer] = (await say('it', frameOf(bytes(cbor)))) as CborItem[][]
    if (what.startsWith('answered')) expect(answer).toEqual([13, session, -6, 1])
    else if (what.startsWith('taken')) expect(answer).toEqual([12, session, -3, false])
    else if (what.includes('key')) expect(answer!.slice(0, 2)).toEqual([14, session])
    else expect(answer).toBeUndefined()
  })

  it('every message to the device is answered, none is damaged', async () => {
    for (const { to, line, name } of vectors.messages) {
      if (to !== 'device') continue
      await greeted()
      const answers = await say(name, bytes(line))
      expect(answers, name).toHaveLength(1)
    }
  })
})
