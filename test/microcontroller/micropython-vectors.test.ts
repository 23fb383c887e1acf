/** The test vectors of the link, played to the device side in Python under both interpreters. */
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { FrameWriter, readCbor } from '../../boards/remote/link/index.ts'
import { frameOf, messagesIn, taken } from './micropython/frames.ts'
import { cPython, microPython } from './micropython/interpreters.ts'
import { type Stepped, steppedInCPython, steppedInMicroPython } from './micropython/stepped.ts'

const vectors = JSON.parse(readFileSync(new URL('../../docs/link-vectors.json', import.meta.url), 'utf8'))
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const session = 0x4a21
/** Kinds of what a device sends. */
const [error, hello, log] = [13, 14, 17]
const greeting = frameOf([0, session, 1, new Map([[1, 1024]])])
const micro = microPython()
const full = cPython()

const interpreters: [string, (context: TestContext, module: string) => Promise<Stepped>][] = [
  ['MicroPython', async (context, module) => steppedInMicroPython(await micro.or(context), module, 17)],
  ['CPython', async (context, module) => steppedInCPython(await full.or(context), module, 17)],
]

describe.each(interpreters)('the vectors in %s', (_, start) => {
  async function pot(context: TestContext): Promise<Stepped> {
    const device = await start(context, 'pot')
    onTestFinished(() => device.close())
    return device
  }

  it('the exchange of rules goes answer by answer', async context => {
    const device = await start(context, 'shed')
    onTestFinished(() => device.close())
    await device.step(0, new Uint8Array())
    let now = 0
    let written: any[] = []
    const take = async (bytes: Uint8Array) => void written.push(...messagesIn(await device.step(now, bytes)))
    for (const step of vectors.rules.steps) {
      if (step.wait !== undefined) {
        now += step.wait
        await take(new Uint8Array())
        continue
      }
      const { to, cbor, diagnostic } = step
      const wanted = readCbor(bytes(cbor)) as any[]
      // It logs more than it has to.
      if (wanted[0] !== log) written = written.filter(([kind]) => kind !== log)
      if (to === 'device') {
        expect(written, `before ${diagnostic}`).toEqual([])
        await take(frameOf(bytes(cbor)))
        continue
      }
      const given = written.shift()
      // Devices differ in the members of the hello, and in texts.
      const told = wanted[0] === log ? 3 : wanted[0] === error ? 4 : wanted.length
      if (wanted[0] === hello) {
        expect([...given.slice(0, 3), given[3].get(4), given[3].get(15)], diagnostic).toEqual([
          ...wanted.slice(0, 3),
          wanted[3].get(4),
          wanted[3].get(15),
        ])
      } else expect(given.slice(0, told), diagnostic).toEqual(wanted.slice(0, told))
    }
    expect(written).toEqual([])
  })

  it('the exchange goes answer by answer, to the byte', async context => {
    const device = await pot(context)
    await device.step(0, new Uint8Array())
    let written: string[] = []
    for (const { to, cbor, diagnostic } of vectors.exchange.steps) {
      if (to === 'device') {
        expect(written, `before ${diagnostic}`).toEqual([])
        written = taken(await device.step(1, frameOf(bytes(cbor)))).frames
      } else expect(written.shift(), diagnostic).toBe(cbor)
    }
    expect(written).toEqual([])
  })

  it('the description is the one of the vectors, and has its hash', async context => {
    const device = await pot(context)
    const records: string[] = vectors.hash[1].records
    const [boot] = messagesIn(await device.step(0, new Uint8Array()))
    expect(boot[3].get(4)).toBe(vectors.hash[1].hash)
    await device.step(1, greeting)
    for (const [number, record] of records.entries()) {
      const [answer] = taken(await device.step(2, frameOf([2, session, -1, number]))).frames
      expect(answer!.slice(-record.length)).toBe(record)
    }
    expect(messagesIn(await device.step(3, frameOf([2, session, -1, records.length])))).toEqual([[13, session, -1, 2]])
  })

  it('every line gives the frames that it holds, whole and byte by byte', async context => {
    const device = await pot(context)
    await device.step(0, greeting)
    for (const { name, line, gives } of vectors.lines) {
      const wanted = (gives as { frame?: string }[]).flatMap(({ frame }) => frame ?? [])
      for (const pieces of [[bytes(line)], [...bytes(line)].map(byte => Uint8Array.of(byte))]) {
        const answers: any[] = []
        for (const piece of pieces) answers.push(...messagesIn(await device.step(1, piece)))
        await device.step(1, Uint8Array.of(0x0a))
        // A ping and a reading are all that stands in them; each is answered.
        expect(answers, name).toEqual(
          wanted.map(frame =>
            frame.startsWith('8301') ? [12, session, -1, 0] : [12, session, bytes(frame)[5] === 0x22 ? -3 : 0, false],
          ),
        )
      }
    }
  })

  it('what is refused is not acted on, and what is unknown is skipped', async context => {
    const device = await pot(context)
    await device.step(0, greeting)
    for (const { name, cbor } of vectors.refused) {
      const call = Uint8Array.from([0x85, 0x04, 0x19, 0x4a, 0x21, 0x07, 0x01, 0x81, ...bytes(cbor)])
      expect(messagesIn(await device.step(1, frameOf(call))), name).toEqual([])
    }
    for (const { name, to, cbor, what } of vectors.skipped) {
      if (to !== 'device') continue
      const answers = messagesIn(await device.step(2, frameOf(bytes(cbor))))
      if (what.startsWith('answered')) expect(answers, name).toEqual([[13, session, -6, 1]])
      else if (what.startsWith('taken')) expect(answers, name).toEqual([[12, session, -3, false]])
      else if (what.includes('key')) expect(answers[0].slice(0, 3), name).toEqual([14, session, 1])
      else expect(answers, name).toEqual([])
    }
  })

  it('every message for a device is read: it is answered, or for another session', async context => {
    const device = await pot(context)
    await device.step(0, greeting)
    for (const { name, to, line, diagnostic } of vectors.messages) {
      if (to !== 'device') continue
      const answers = messagesIn(await device.step(1, bytes(line)))
      expect(answers.length, `${name}: ${diagnostic}`).toBe(1)
    }
  })

  it('a frame of the longest length is taken, and one byte more is not', async context => {
    const device = await pot(context)
    await device.step(0, greeting)
    for (const [length, answered] of [
      [1022, 1],
      [1023, 0],
    ] as const) {
      const writer = new FrameWriter()
      writer.begin()
      // A ping, and behind it an element that is skipped.
      const head = [0x84, 0x01, 0x19, 0x4a, 0x21, 0x20, 0x59]
      const rest = length - head.length - 2
      for (const byte of [...head, rest >> 8, rest & 0xff]) writer.byte(byte)
      for (let i = 0; i < rest; i++) writer.byte(i & 0xff)
      const answers: any[] = []
      for (const piece of [writer.end(), new Uint8Array()]) answers.push(...messagesIn(await device.step(1, piece)))
      expect(answers.length).toBe(answered)
    }
  })
})
