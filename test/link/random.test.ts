import { Decoder, Encoder } from 'cbor-x'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CborError,
  type CborItem,
  FramePort,
  FrameWriter,
  LinkDevice,
  LinkHost,
  type LinkValue,
  maxFrameBytes,
  readCbor,
  readDeviceMessage,
  readFrame,
  readHostMessage,
  writeCbor,
} from '../../boards/remote/link/index.ts'
import { fromItem, toValue } from '../../boards/remote/link/value.ts'
import { OwnedClock } from '../owned-clock.ts'
import { countingBoard } from './pair.ts'

const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 0x7fffffff))
const often = { seed, numRuns: 500 }

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -300, max: 70_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value)),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value)),
)
const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  number,
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.uint8Array({ maxLength: 60 }),
)
const { value } = fc.letrec<{ value: LinkValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    leaf,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.string({ maxLength: 30 }), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
}))

function cbor(item: Parameters<typeof writeCbor>[1], floats?: 0 | 2 | 4 | 8): Uint8Array {
  const bytes: number[] = []
  writeCbor({ byte: byte => void bytes.push(byte) }, item, floats)
  return Uint8Array.from(bytes)
}

/** With byte strings as plain arrays, so that a Buffer and a Uint8Array are the same. */
function plain(item: unknown): unknown {
  if (item instanceof Uint8Array) return { bytes: [...item] }
  if (Array.isArray(item)) return item.map(plain)
  if (typeof item === 'object' && item !== null) {
    return Object.entries(item)
      .map(([key, member]) => [key, plain(member)])
      .sort()
  }
  return item
}

const judge = new Decoder({ useRecords: false, mapsAsObjects: true, int64AsNumber: true } as object)
const careless = new Encoder({
  useRecords: false,
  variableMapSize: true,
  tagUint8Array: false,
} as object)

describe(`any value (SEED=${seed})`, () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(value, given => {
        const bytes = cbor(given)
        expect(plain(fromItem(readCbor(bytes)))).toEqual(plain(given))
        // Deterministic: what was read is written as the same bytes.
        expect(cbor(readCbor(bytes))).toEqual(bytes)
      }),
      often,
    )
  })

  it('is read by cbor-x as what it is', () => {
    const noProto = value.filter(given => !JSON.stringify(plain(given)).includes('__proto__'))
    fc.assert(
      fc.property(noProto, given => {
        expect(plain(judge.decode(cbor(given)))).toEqual(plain(given))
      }),
      often,
    )
  })

  it('a number written by cbor-x is read as what it is, or refused for its form', () => {
    fc.assert(
      fc.property(number, given => {
        const bytes = careless.encode(given)
        try {
          expect(readCbor(bytes)).toBe(given)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(CborError)
        }
      }),
      often,
    )
  })

  it('a number for a device with narrow floats is rounded to them, or refused', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -60_000, max: 60_000 }), given => {
        expect(readCbor(cbor(given, 4))).toBe(Math.fround(given) + 0)
        const half = readCbor(cbor(given, 2)) as number
        expect(Math.abs(half - given)).toBeLessThanOrEqual(Math.max(2 ** -25, Math.abs(given) / 2048))
        if (Number.isInteger(given)) expect(readCbor(cbor(given, 0))).toBe(given + 0)
        else expect(() => cbor(given, 0)).toThrow(RangeError)
      }),
      often,
    )
  })

  it('what a program returns is sent as JSON would show it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), given => {
        expect(JSON.stringify(fromItem(readCbor(cbor(toValue(given)))) as unknown)?.length).toBe(
          JSON.stringify(given).length,
        )
      }),
      often,
    )
  })
})

describe(`any frame (SEED=${seed})`, () => {
  it('comes back, and holds no reserved byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: maxFrameBytes - 2 }), message => {
        const writer = new FrameWriter()
        writer.begin()
        for (const byte of message) writer.byte(byte)
        const line = writer.end()
        expect(line.subarray(1, -1).every(byte => byte >= 0x20 && byte !== 0x7f && byte < 0xfe)).toBe(true)
        const into = new Uint8Array(maxFrameBytes)
        expect(readFrame(line, 1, line.length - 1, into)).toBe(message.length)
        expect(into.subarray(0, message.length)).toEqual(message)
      }),
      often,
    )
  })

  it('one byte below, at and above the limit', () => {
    const into = new Uint8Array(64)
    const lengthOf = (message: number) => {
      const writer = new FrameWriter()
      writer.begin()
      for (let i = 0; i < message; i++) writer.byte(i)
      const line = writer.end()
      return readFrame(line, 1, line.length - 1, into)
    }
    expect([lengthOf(61), lengthOf(62), lengthOf(63)]).toEqual([61, 62, -1])
  })

  it('that was given out is never written to again', () => {
    const writer = new FrameWriter()
    const frames: Uint8Array[] = []
    for (let i = 0; i < 3000; i++) {
      writer.begin()
      for (let at = 0; at < i % 300; at++) writer.byte(at)
      frames.push(writer.end())
    }
    const into = new Uint8Array(maxFrameBytes)
    for (const [i, line] of frames.entries()) {
      expect(readFrame(line, 1, line.length - 1, into)).toBe(i % 300 === 0 ? -1 : i % 300)
    }
  })

  it('with one bit of it flipped is never taken for the same length of another message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(7), (message, where, bit) => {
        const writer = new FrameWriter()
        writer.begin()
        for (const byte of message) writer.byte(byte)
        const line = writer.end().slice()
        const at = 1 + (where % (line.length - 2))
        line[at]! ^= 1 << bit
        const into = new Uint8Array(maxFrameBytes)
        const length = readFrame(line, 1, line.length - 1, into)
        // A carriage return in the place of a byte loses it.
        if (length !== -1) expect(length).not.toBe(message.length)
      }),
      often,
    )
  })
})

describe(`any bytes (SEED=${seed})`, () => {
  const nearlyCbor = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.tuple(value, fc.nat(), fc.nat(255)).map(([given, where, byte]) => {
      const bytes = cbor(given)
      bytes[where % bytes.length] = byte
      return bytes
    }),
  )

  it('are an item or a CborError, never anything else; what was read is written as the same', () => {
    fc.assert(
      fc.property(nearlyCbor, bytes => {
        let item: CborItem
        try {
          item = readCbor(bytes)
        } catch (thrown) {
          if (thrown instanceof CborError) return
          throw thrown
        }
        expect(readCbor(cbor(item))).toEqual(item)
      }),
      { seed, numRuns: 2000 },
    )
  })

  it('are a message, a broken or an unknown one', () => {
    const message = fc
      .tuple(fc.integer({ min: -2, max: 20 }), fc.array(value, { maxLength: 6 }))
      .map(([kind, rest]) => cbor([kind, ...rest]))
    fc.assert(
      fc.property(fc.oneof(nearlyCbor, message), bytes => {
        expect(readHostMessage(bytes, 0, bytes.length).kind).toBeTypeOf('string')
        expect(readDeviceMessage(bytes, 0, bytes.length).kind).toBeTypeOf('string')
      }),
      { seed, numRuns: 2000 },
    )
  })

  it('200 000 arrays in each other, or claimed sizes, take no memory and no stack', () => {
    expect(() => readCbor(new Uint8Array(200_000).fill(0x81))).toThrow(CborError)
    expect(() => readCbor(Uint8Array.of(0x9a, 0xff, 0xff, 0xff, 0xff))).toThrow(CborError)
    expect(() => readCbor(Uint8Array.of(0x5b, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))).toThrow(CborError)
  })

  it('throw nothing on either side, and the next good frame is taken', () => {
    const { board } = countingBoard()
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.uint8Array({ maxLength: 80 }), nearlyCbor), { maxLength: 8 }), chunks => {
        const clock = new OwnedClock()
        let answered = 0
        const device = new LinkDevice({ board, clock, id: 'x', boot: 1, outlet: { write: () => void answered++ } })
        const host = new LinkHost({ clock, outlet: { write: () => {} } })
        host.start()
        const writer = new FrameWriter()
        for (const chunk of chunks) {
          device.receive(chunk)
          host.receive(chunk)
          // The same as the message of a frame with a good check.
          writer.begin()
          for (const byte of chunk) writer.byte(byte)
          const line = writer.end()
          device.receive(line)
          host.receive(line)
        }
        const before = answered
        writer.begin()
        writeCbor(writer, [0, 77, 1, new Map()])
        device.receive(Uint8Array.of(0x0a))
        device.receive(writer.end())
        expect(answered).toBe(before + 1)
        host.close()
        void device.close()
      }),
      { seed, numRuns: 200 },
    )
  })

  it('a line without an end is dropped at its bound', () => {
    let damaged = 0
    const port = new FramePort({
      outlet: { write: () => {} },
      onFrame: () => {},
      onDamaged: () => void damaged++,
    })
    for (let i = 0; i < 1000; i++) port.receive(new Uint8Array(1000).fill(0xfe))
    expect(damaged).toBe(1)
  })
})
