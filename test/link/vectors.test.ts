import { readFileSync } from 'node:fs'
import { Decoder } from 'cbor-x'
import { describe, expect, it } from 'vitest'
import { describeBoard } from '../../boards/remote/link/board-records.ts'
import { DescriptionHash } from '../../boards/remote/link/description.ts'
import { fcs16, fcsGood, fcsStart, fcsStep } from '../../boards/remote/link/fcs16.ts'
import {
  CborError,
  type CborItem,
  deviceArray,
  FramePort,
  FrameWriter,
  hostArray,
  LinkDevice,
  readCbor,
  readDeviceMessage,
  readFrame,
  readHostMessage,
  writeCbor,
} from '../../boards/remote/link/index.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { ruleBoard } from './rule-board.ts'
import { vectorBoard } from './vector-board.ts'

/** A message, or milliseconds that go by. */
type Step = { to: 'device' | 'host'; diagnostic: string; cbor: string } | { wait: number }

interface Vectors {
  fcs: { text: string; fcs: string; sent: string }[]
  hash: { records: string[]; hash: number }[]
  messages: { name: string; to: 'device' | 'host'; diagnostic: string; cbor: string; line: string }[]
  lines: { name: string; line: string; gives: { frame?: string; text?: string; json?: string; damaged?: true }[] }[]
  refused: { name: string; cbor: string }[]
  skipped: { name: string; to: 'device' | 'host'; cbor: string; what: string }[]
  exchange: { steps: Step[] }
  rules: { steps: Step[] }
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../docs/link-vectors.json', import.meta.url), 'utf8'))
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hex = (view: Uint8Array) => Buffer.from(view).toString('hex')

/** The check, bit by bit as RFC 1662 defines it: another way than the table of the product. */
function slowFcs(message: Uint8Array): number {
  let fcs = 0xffff
  for (const byte of message) {
    for (let bit = 0; bit < 8; bit++) {
      const out = ((byte >> bit) ^ fcs) & 1
      fcs = (fcs >> 1) ^ (out ? 0x8408 : 0)
    }
  }
  return fcs ^ 0xffff
}

/** The line of a message, built the plain way from the text of the norm. */
function slowLine(message: Uint8Array): number[] {
  const fcs = slowFcs(message)
  const line = [0xfe]
  for (const byte of [...message, fcs & 0xff, fcs >> 8]) {
    const masked = byte ^ 0xc0
    const reserved = masked <= 0x1f || [0x7d, 0x7f, 0xfe, 0xff].includes(masked)
    line.push(...(reserved ? [0x7d, masked ^ 0x20] : [masked]))
  }
  return [...line, 0x0a]
}

function frameOf(message: Uint8Array): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  for (const byte of message) writer.byte(byte)
  return writer.end()
}

const judge = new Decoder({ useRecords: false, mapsAsObjects: false, int64AsNumber: true } as object)

/** An item as the judge reads it. */
function judged(item: CborItem): unknown {
  if (item instanceof Uint8Array) return hex(item)
  if (Array.isArray(item)) return item.map(judged)
  if (item instanceof Map) return new Map([...item].map(([key, value]) => [key, judged(value)]))
  return item
}

describe('the check', () => {
  it.each(vectors.fcs)('of "$text" is $fcs', ({ text, fcs, sent }) => {
    const message = new TextEncoder().encode(text)
    expect(fcs16(message)).toBe(Number.parseInt(fcs, 16))
    expect(slowFcs(message)).toBe(Number.parseInt(fcs, 16))
    let rest = fcsStart
    for (const byte of [...message, ...bytes(sent)]) rest = fcsStep(rest, byte)
    expect(rest).toBe(fcsGood)
  })
})

describe('messages', () => {
  it.each(vectors.messages)('$name: $diagnostic', ({ to, cbor, line }) => {
    const message = bytes(cbor)
    expect(hex(frameOf(message))).toBe(line)
    expect(hex(Uint8Array.from(slowLine(message)))).toBe(line)
    const into = new Uint8Array(1024)
    const length = readFrame(bytes(line), 1, line.length / 2 - 1, into)
    expect(hex(into.subarray(0, length))).toBe(cbor)
    expect(judged(judge.decode(message) as CborItem)).toEqual(judged(readCbor(message)))
    const read = to === 'device' ? readHostMessage(message, 0, length) : readDeviceMessage(message, 0, length)
    if (read.kind === 'broken' || read.kind === 'unknown') throw new Error(read.kind)
    const again: number[] = []
    const sink = { byte: (byte: number) => void again.push(byte) }
    writeCbor(sink, to === 'device' ? hostArray(read as never) : deviceArray(read as never))
    expect(hex(Uint8Array.from(again))).toBe(cbor)
  })

  it('no line holds a reserved byte', () => {
    for (const { line, name } of vectors.messages) {
      const inner = bytes(line).subarray(1, -1)
      expect(
        inner.every(byte => byte >= 0x20 && byte !== 0x7f && byte < 0xfe),
        name,
      ).toBe(true)
    }
  })

  it('a call of one integer and one boolean takes at most 32 bytes, there and back', () => {
    const size = (name: string) => vectors.messages.find(message => message.name === name)!.line.length / 2
    expect(size('call of one integer and one boolean') + size('result without a value')).toBeLessThanOrEqual(32)
  })
})

describe('lines', () => {
  /** What a port gives for bytes that come in these pieces. */
  function given(pieces: Uint8Array[]): Vectors['lines'][number]['gives'] {
    const gives: Vectors['lines'][number]['gives'] = []
    const text = (line: Uint8Array, start: number, end: number) => {
      const view = line.subarray(start, end)
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(view)
      } catch {
        return Buffer.from(view).toString('latin1')
      }
    }
    const port = new FramePort({
      outlet: { write: () => {} },
      onFrame: (message, length) => void gives.push({ frame: hex(message.subarray(0, length)) }),
      onText: (line, start, end) => void gives.push({ text: text(line, start, end) }),
      onJson: (line, start, end) => void gives.push({ json: text(line, start, end) }),
      onDamaged: () => void gives.push({ damaged: true }),
    })
    for (const piece of pieces) port.receive(piece)
    return gives
  }

  it.each(vectors.lines)('$name', ({ line, gives }) => {
    const whole = bytes(line)
    expect(given([whole]), 'in one chunk').toEqual(gives)
    expect(given([...whole].map(byte => Uint8Array.of(byte))), 'byte by byte').toEqual(gives)
    for (let at = 0; at <= whole.length; at++) {
      expect(given([whole.slice(0, at), whole.slice(at)]), `cut at ${at}`).toEqual(gives)
    }
  })

  it.each(vectors.messages)('$name comes through, however it is cut', ({ line, cbor }) => {
    const whole = bytes(line)
    for (let at = 0; at <= whole.length; at++) {
      expect(given([whole.slice(0, at), whole.slice(at)])).toEqual([{ frame: cbor }])
    }
    expect(given([...whole].map(byte => Uint8Array.of(byte)))).toEqual([{ frame: cbor }])
  })
})

describe('what is refused and what is skipped', () => {
  it.each(vectors.refused)('$name ($cbor) is refused', ({ cbor }) => {
    expect(() => readCbor(bytes(cbor))).toThrow(CborError)
    // The same as an argument of a call, and as the value of an update.
    const inner = [...bytes(cbor)]
    const call = Uint8Array.from([0x85, 0x04, 0x19, 0x4a, 0x21, 0x07, 0x00, 0x81, ...inner])
    const update = Uint8Array.from([0x84, 0x0f, 0x19, 0x4a, 0x21, 0x00, ...inner])
    expect(readHostMessage(call, 0, call.length).kind).toBe('broken')
    expect(readDeviceMessage(update, 0, update.length).kind).toBe('broken')
  })

  it.each(vectors.skipped)('$name: $what', ({ to, cbor, what }) => {
    const message = bytes(cbor)
    const read = to === 'device' ? readHostMessage : readDeviceMessage
    const kind = read(message, 0, message.length).kind
    if (what.startsWith('taken')) expect(kind).toBe('read')
    else if (what.includes('key')) expect(kind).toBe('hello')
    else expect(['unknown', 'broken']).toContain(kind)
    if (what.startsWith('answered')) expect(kind).toBe('unknown')
  })
})

describe('the description', () => {
  it.each(vectors.hash)('has the hash $hash', ({ records, hash }) => {
    const sum = new DescriptionHash()
    for (const record of records) for (const byte of bytes(record)) sum.byte(byte)
    expect(sum.value).toBe(hash)
  })

  it('the hash is FNV-1a: its published test values come out', () => {
    const of = (text: string) => {
      const sum = new DescriptionHash()
      for (const byte of new TextEncoder().encode(text)) sum.byte(byte)
      return sum.value
    }
    expect([of(''), of('a'), of('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  })

  it('of the boards of the vectors is what the vectors say', () => {
    expect(describeBoard(vectorBoard()).hash).toBe(vectors.hash[1]!.hash)
    expect(describeBoard(ruleBoard().board).hash).toBe(vectors.hash[2]!.hash)
  })
})

describe('an exchange', () => {
  it.each([
    ['calls, readings and their errors', vectors.exchange, vectorBoard()],
    ['rules', vectors.rules, ruleBoard().board],
  ])('of %s goes as the vectors say, answer by answer', async (_, { steps }, board) => {
    const written: string[] = []
    const clock = new OwnedClock()
    const device = new LinkDevice({
      board,
      clock,
      id: 'V1',
      boot: 17,
      calls: 1,
      outlet: {
        write: line => {
          const into = new Uint8Array(1024)
          written.push(hex(into.subarray(0, readFrame(line, 1, line.length - 1, into))))
        },
      },
    })
    device.start()
    written.length = 0
    for (const step of steps) {
      if ('wait' in step) {
        await clock.advance(step.wait)
        continue
      }
      const { to, cbor, diagnostic } = step
      if (to === 'device') {
        expect(written, `before ${diagnostic}`).toEqual([])
        device.receive(frameOf(bytes(cbor)))
        await settled()
      } else {
        expect(written.shift(), diagnostic).toBe(cbor)
      }
    }
    expect(written).toEqual([])
    await device.close()
  })
})
