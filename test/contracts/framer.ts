import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** What a framer is to the rest of the product. */
export interface FramerUnderTest {
  push(chunk: Uint8Array, from?: number): number
  end(): void
}

export interface FramerUnderTestOptions {
  maxLineBytes?: number
  onLine: (bytes: Uint8Array, start: number, end: number) => boolean | void
  onOverlong: () => void
}

export type MakeFramer = (options: FramerUnderTestOptions) => FramerUnderTest

/** What comes out in place of a line over the limit. */
const overlong = Symbol('overlong')

interface Fixture {
  rule: string
  maxLineBytes?: number
  bytes: string | Uint8Array
  lines: (string | Uint8Array | typeof overlong)[]
}

const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)

// Small limits: a fixture is cut at every position, and a longer one shows nothing more.
const fixtures: Fixture[] = [
  { rule: 'no bytes are no line', bytes: '', lines: [] },
  { rule: 'a line ends at its newline', bytes: '{"id":1}\n', lines: ['{"id":1}'] },
  { rule: 'lines come in order', bytes: 'one\ntwo\nthree\n', lines: ['one', 'two', 'three'] },
  { rule: 'an empty line is a line', bytes: '\n', lines: [''] },
  { rule: 'empty lines in a row are lines', bytes: '\n\na\n\n\nb\n', lines: ['', '', 'a', '', '', 'b'] },
  { rule: 'the end gives out the tail', bytes: 'one\ntail', lines: ['one', 'tail'] },
  { rule: 'the end after a newline gives out nothing', bytes: 'one\n', lines: ['one'] },
  { rule: 'a carriage return stays in the line', bytes: 'one\r\ntwo\r\n', lines: ['one\r', 'two\r'] },
  { rule: 'a carriage return alone ends nothing', bytes: 'one\rtwo\n\r\n', lines: ['one\rtwo', '\r'] },
  {
    rule: 'the line and paragraph separators of Unicode end nothing',
    bytes: '"\u2028 \u2029 \u0085 \v \f"\nnext\n',
    lines: ['"\u2028 \u2029 \u0085 \v \f"', 'next'],
  },
  {
    rule: 'a character of two, three or four bytes may be cut anywhere',
    bytes: '"é"\n"€"\n"😀é€"\n😀',
    lines: ['"é"', '"€"', '"😀é€"', '😀'],
  },
  // In UTF-8 no part of a longer character is 0x0A, but U+0A0A and U+010A look like it in other encodings.
  { rule: 'characters with 0A in their number end nothing', bytes: 'Ċ\u0a0a\u{10a0a}\n', lines: ['Ċ\u0a0a\u{10a0a}'] },
  {
    rule: 'bytes that are no text are given out as they are',
    bytes: Uint8Array.from([...every, 0x0a, ...every]),
    lines: [every.subarray(0, 10), every.subarray(11), every.subarray(0, 10), every.subarray(11)],
  },
  { rule: 'a byte order mark is left in its line', bytes: '\ufeff{}\n', lines: ['\ufeff{}'] },
  { rule: 'a line one below the limit is given out', maxLineBytes: 8, bytes: '1234567\n', lines: ['1234567'] },
  { rule: 'a line at the limit is given out', maxLineBytes: 8, bytes: '12345678\n', lines: ['12345678'] },
  { rule: 'a line one above the limit is skipped', maxLineBytes: 8, bytes: '123456789\n', lines: [overlong] },
  {
    rule: 'a carriage return counts',
    maxLineBytes: 8,
    bytes: '12345678\r\n1234567\r\n',
    lines: [overlong, '1234567\r'],
  },
  { rule: 'the limit is one of bytes', maxLineBytes: 8, bytes: '€€12\n€€€\n', lines: ['€€12', overlong] },
  { rule: 'a tail at the limit is given out', maxLineBytes: 8, bytes: '12345678', lines: ['12345678'] },
  { rule: 'a tail above the limit is told once', maxLineBytes: 8, bytes: '123456789', lines: [overlong] },
  {
    rule: 'a line over the limit is skipped and the next one is given out',
    maxLineBytes: 8,
    bytes: `first\n${'x'.repeat(40)}\nsecond\n`,
    lines: ['first', overlong, 'second'],
  },
  {
    rule: 'several lines over the limit in a row are told one by one',
    maxLineBytes: 8,
    bytes: `${'x'.repeat(9)}\n${'y'.repeat(30)}\n${'z'.repeat(17)}\n\ngood\n`,
    lines: [overlong, overlong, overlong, '', 'good'],
  },
  {
    rule: 'a line many times over the limit is told once',
    maxLineBytes: 3,
    bytes: `${'x'.repeat(100)}\nyes\n`,
    lines: [overlong, 'yes'],
  },
  { rule: 'the smallest limit holds', maxLineBytes: 1, bytes: 'a\nbb\n\nc\n', lines: ['a', overlong, '', 'c'] },
  // Around the sizes at which an implementation may change its way: a short piece, a first buffer, a grown one.
  ...[47, 48, 49, 127, 128, 1023, 1024, 1025, 2049].map(length => ({
    rule: `a line of ${length} bytes is given out`,
    bytes: `${'ab'.repeat(length).slice(0, length)}\n!\n`,
    lines: ['ab'.repeat(length).slice(0, length), '!'],
  })),
]

/** The ways a chunk can look: Node's own, a bare array, and a window on a larger one. */
const kinds: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  Buffer: bytes => Buffer.from(bytes),
  Uint8Array: bytes => Uint8Array.from(bytes),
  'part of a larger buffer full of newlines': bytes => {
    const larger = new Uint8Array(bytes.length + 14).fill(0x0a)
    larger.set(bytes, 7)
    return larger.subarray(7, 7 + bytes.length)
  },
}

/** The contract of the seam between bytes and messages. */
export function describeFramer(name: string, make: MakeFramer): void {
  describe(`${name}: the table`, () => {
    for (const { rule, maxLineBytes, bytes, lines } of fixtures) {
      const limit = maxLineBytes === undefined ? {} : { maxLineBytes }
      const input = typeof bytes === 'string' ? encode(bytes) : bytes
      const expected = lines.map(line => (line === overlong ? overlong : text(line)))
      const run = (chunks: Uint8Array[]) => collect(make, limit, chunks)

      for (const [kind, as] of Object.entries(kinds)) {
        it(`${rule} (one chunk, ${kind})`, () => expect(run([as(input)])).toEqual(expected))
        it(`${rule} (byte by byte, ${kind})`, () => {
          expect(run(Array.from(input, (_, at) => as(input.subarray(at, at + 1))))).toEqual(expected)
        })
      }
      it(`${rule} (cut in two at every position)`, () => {
        for (let at = 0; at <= input.length; at++) {
          expect(run([input.slice(0, at), input.slice(at)]), `cut at ${at}`).toEqual(expected)
        }
      })
      it(`${rule} (with empty chunks between)`, () => {
        const chunks = Array.from(input, (_, at) => [new Uint8Array(0), input.slice(at, at + 1)]).flat()
        expect(run([...chunks, new Uint8Array(0)])).toEqual(expected)
      })
    }

    it('without a limit of its own it takes 4 MiB and no byte more', () => {
      const most = new Uint8Array(4 * 1024 * 1024 + 1).fill(0x61)
      most[most.length - 1] = 0x0a
      const lengths: number[] = []
      let dropped = 0
      const framer = make({
        onLine: (_, start, end) => void lengths.push(end - start),
        onOverlong: () => void dropped++,
      })
      framer.push(most)
      framer.push(encode('b'))
      framer.push(most)
      framer.push(most)
      expect({ lengths, dropped }).toEqual({ lengths: [4 * 1024 * 1024, 4 * 1024 * 1024], dropped: 1 })
    })

    it('a line over the limit is told as soon as it is over, not at its newline', () => {
      const told: string[] = []
      const framer = make({ maxLineBytes: 8, onLine: () => {}, onOverlong: () => void told.push('overlong') })
      framer.push(encode('12345678'))
      expect(told).toEqual([])
      framer.push(encode('9'))
      expect(told).toEqual(['overlong'])
      framer.push(encode('0123456789'))
      framer.push(encode('\n'))
      expect(told).toEqual(['overlong'])
    })

    it('after the end it takes a new input from its first byte', () => {
      const lines: string[] = []
      const framer = make({
        maxLineBytes: 8,
        onLine: (bytes, start, end) => void lines.push(text(bytes.subarray(start, end))),
        onOverlong: () => void lines.push('overlong'),
      })
      framer.push(encode('tail'))
      framer.end()
      framer.push(encode('x'.repeat(9)))
      framer.end()
      framer.end()
      framer.push(encode('a\n'))
      expect(lines).toEqual(['tail', 'overlong', 'a'])
    })
  })

  describe(`${name}: stopping`, () => {
    it('stops after the line for which onLine returned false, and goes on where it says', () => {
      const lines: string[] = []
      const framer = make({
        onLine: (bytes, start, end) => {
          lines.push(text(bytes.subarray(start, end)))
          return false
        },
        onOverlong: () => {},
      })
      const chunk = encode('one\ntwo\nthree\nta')
      expect(framer.push(chunk)).toBe(4)
      expect(lines).toEqual(['one'])
      expect(framer.push(chunk, 4)).toBe(8)
      expect(framer.push(chunk, 8)).toBe(14)
      expect(framer.push(chunk, 14)).toBe(chunk.length)
      expect(lines).toEqual(['one', 'two', 'three'])
      expect(framer.push(encode('il\n'))).toBe(3)
      expect(lines).toEqual(['one', 'two', 'three', 'tail'])
    })

    it('stops also after a line that began in an earlier chunk', () => {
      const lines: string[] = []
      const framer = make({
        onLine: (bytes, start, end) => {
          lines.push(text(bytes.subarray(start, end)))
          return lines.length !== 1
        },
        onOverlong: () => {},
      })
      expect(framer.push(encode('on'))).toBe(2)
      const chunk = encode('e\ntwo\nthree\n')
      expect(framer.push(chunk)).toBe(2)
      expect(lines).toEqual(['one'])
      expect(framer.push(chunk, 2)).toBe(chunk.length)
      expect(lines).toEqual(['one', 'two', 'three'])
    })

    it('only false stops it', () => {
      for (const answer of [undefined, true, 0, '', null]) {
        const framer = make({ onLine: () => answer as boolean, onOverlong: () => {} })
        expect(framer.push(encode('a\nb\n'))).toBe(4)
      }
    })

    it('goes on with the next chunk when onLine threw', () => {
      const lines: string[] = []
      const framer = make({
        onLine: (bytes, start, end) => {
          const line = text(bytes.subarray(start, end))
          if (line.startsWith('bad')) throw new Error(line)
          lines.push(line)
        },
        onOverlong: () => {},
      })
      expect(() => framer.push(encode('bad 1\n'))).toThrow('bad 1')
      framer.push(encode('ba'))
      expect(() => framer.push(encode('d 2\n'))).toThrow('bad 2')
      framer.push(encode('go'))
      framer.push(encode('od\n'))
      expect(lines).toEqual(['good'])
    })
  })

  describe(`${name}: whose bytes`, () => {
    it('a push from within onLine puts its bytes before the rest of the chunk', () => {
      const run = (chunks: string[]) => {
        const lines: string[] = []
        const framer = make({
          onLine: (bytes, start, end) => {
            const line = text(bytes.subarray(start, end))
            if (line === 'go') framer.push(encode('inner\nhead of '))
            // The line that is being given out is still whole after the push.
            lines.push(line, text(bytes.subarray(start, end)))
          },
          onOverlong: () => {},
        })
        for (const chunk of chunks) framer.push(encode(chunk))
        framer.end()
        return lines
      }
      const expected = ['inner', 'inner', 'go', 'go', 'head of rest', 'head of rest', 'tail', 'tail']
      expect(run(['go\nrest\ntail'])).toEqual(expected)
      expect(run(['g', 'o\nrest\ntail'])).toEqual(expected)
      expect(run(['g', 'o\n', 'rest\n', 'ta', 'il'])).toEqual(expected)
    })

    it('a push from within onLine at the end leaves the tail whole', () => {
      const lines: string[] = []
      const framer = make({
        onLine: (bytes, start, end) => {
          const line = text(bytes.subarray(start, end))
          if (line === 'tail') framer.push(encode('more'))
          lines.push(text(bytes.subarray(start, end)))
        },
        onOverlong: () => {},
      })
      framer.push(encode('tail'))
      framer.end()
      framer.end()
      expect(lines).toEqual(['tail', 'more'])
    })

    it('a chunk may be overwritten by its owner after push', () => {
      const input = encode('one\ntwo is longer than a short piece, so that it is copied in another way\nthree\ntail')
      for (const size of [1, 2, 3, 7, 16, 60, 80]) {
        const lines: string[] = []
        const framer = make({
          onLine: (bytes, start, end) => void lines.push(text(bytes.subarray(start, end))),
          onOverlong: () => {},
        })
        const owned = Buffer.alloc(size)
        for (let at = 0; at < input.length; at += size) {
          const part = input.subarray(at, at + size)
          owned.set(part)
          framer.push(part.length === size ? owned : owned.subarray(0, part.length))
          owned.fill(0x0a)
        }
        framer.end()
        expect(lines, `chunks of ${size}`).toEqual(text(input).split('\n'))
      }
    })

    it('a chunk is never written to', () => {
      const input = encode(`a\n${'b'.repeat(200)}\nc\n${'d'.repeat(3000)}\n\ne`)
      for (const size of [1, 5, 64, 1000, input.length]) {
        const framer = make({ maxLineBytes: 1500, onLine: () => {}, onOverlong: () => {} })
        const chunks: Uint8Array[] = []
        for (let at = 0; at < input.length; at += size) chunks.push(input.slice(at, at + size))
        for (const chunk of chunks) framer.push(chunk)
        framer.end()
        expect(text(Buffer.concat(chunks)), `chunks of ${size}`).toBe(text(input))
      }
    })
  })

  describe(`${name}: any chunking`, () => {
    const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 0x7fffffff))
    const sometimes = { seed, numRuns: 400 }

    it(`of any mix of lines gives the same lines (SEED=${seed})`, () => {
      fc.assert(
        fc.property(mix, ({ input, limit, sizes }) => {
          expect(collect(make, { maxLineBytes: limit }, cut(input, sizes))).toEqual(split(input, limit))
        }),
        sometimes,
      )
    })

    it(`of long lines gives the same lines (SEED=${seed})`, () => {
      fc.assert(
        fc.property(longMix, ({ input, limit, sizes }) => {
          expect(collect(make, { maxLineBytes: limit }, cut(input, sizes))).toEqual(split(input, limit))
        }),
        { seed, numRuns: 100 },
      )
    })

    it(`with any stops, in one reused buffer, gives the same lines (SEED=${seed})`, () => {
      fc.assert(
        fc.property(mix, fc.array(fc.boolean(), { minLength: 1 }), ({ input, limit, sizes }, goOn) => {
          const lines: (string | typeof overlong)[] = []
          const framer = make({
            maxLineBytes: limit,
            onLine: (bytes, start, end) => goOn[lines.push(text(bytes.subarray(start, end))) % goOn.length]!,
            onOverlong: () => void lines.push(overlong),
          })
          const owned = Buffer.alloc(Math.max(1, input.length))
          for (const part of cut(input, sizes)) {
            owned.set(part)
            const chunk = owned.subarray(0, part.length)
            for (let at = 0; at < chunk.length; ) {
              const stopped = framer.push(chunk, at)
              if (stopped <= at) throw new Error(`push stopped at ${stopped}, where it began`)
              at = stopped
            }
            owned.fill(0x0a)
          }
          framer.end()
          expect(lines).toEqual(split(input, limit))
        }),
        sometimes,
      )
    })
  })

  describe(`${name}: cost`, () => {
    it('the work is in proportion to the bytes: eight times the line takes less than 16 times as long', () => {
      const framer = make({ onLine: () => {}, onOverlong: () => {} })
      const piece = Buffer.alloc(64, 'x')
      const time = (bytes: number) => {
        const before = process.cpuUsage()
        for (let sent = 0; sent < bytes; sent += piece.length) framer.push(piece)
        framer.end()
        const { user, system } = process.cpuUsage(before)
        return user + system
      }
      const few = 512 * 1024
      for (let i = 0; i < 5; i++) time(few)
      // Searching again what was searched before would be 64 times.
      const ratios = Array.from({ length: 9 }, () => time(8 * few) / time(few)).sort((a, b) => a - b)
      expect(ratios[4]).toBeLessThan(16)
    })

    it('a byte is searched once, however the bytes are cut', () => {
      let searched = 0
      class Counting extends Uint8Array {
        override indexOf(byte: number, from = 0): number {
          const at = super.indexOf(byte, from)
          searched += (at === -1 ? this.length : at + 1) - from
          return at
        }
      }
      const line = encode(`${'x'.repeat(5000)}\n\nshort\n`)
      for (const size of [1, 16, 64, 4096, line.length]) {
        searched = 0
        const framer = make({ maxLineBytes: 6000, onLine: () => {}, onOverlong: () => {} })
        for (let at = 0; at < line.length; at += size) framer.push(Counting.from(line.subarray(at, at + size)))
        expect(searched, `chunks of ${size}`).toBeLessThanOrEqual(line.length)
      }
    })
  })
}

/** The lines as text of one character per byte, so that a difference can be read. */
function collect(make: MakeFramer, limit: { maxLineBytes?: number }, chunks: Uint8Array[]): (string | symbol)[] {
  const lines: (string | symbol)[] = []
  const framer = make({
    ...limit,
    onLine: (bytes, start, end) => void lines.push(text(bytes.subarray(start, end))),
    onOverlong: () => void lines.push(overlong),
  })
  for (const chunk of chunks) if (framer.push(chunk) !== chunk.length) throw new Error('push stopped by itself')
  framer.end()
  return lines
}

/** The same by the simplest way there is. */
function split(input: Uint8Array, limit: number): (string | symbol)[] {
  const lines = text(input).split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map(line => (line.length > limit ? overlong : line))
}

function cut(input: Uint8Array, sizes: number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, i = 0; at < input.length; i++) {
    const size = sizes[i % sizes.length]!
    chunks.push(input.slice(at, at + size))
    at += size
  }
  return chunks
}

const encode = (string: string): Uint8Array => new TextEncoder().encode(string)

const text = (bytes: string | Uint8Array): string =>
  Buffer.from(typeof bytes === 'string' ? encode(bytes) : bytes).toString('latin1')

const goodLine = fc.json({ maxDepth: 1 }).map(encode)
const badLine = fc.string({ unit: 'binary', maxLength: 30 }).map(encode)
const binaryLine = fc.uint8Array({ maxLength: 40 })
const hugeLine = fc.integer({ min: 0, max: 300 }).map(length => new Uint8Array(length).fill(0x78))
const longLine = fc
  .integer({ min: 0, max: 200_000 })
  .map(length => Uint8Array.from({ length }, (_, i) => 0x20 + (i % 89)))

const ended = (line: fc.Arbitrary<Uint8Array>, maxLength: number) =>
  fc
    .tuple(fc.array(line, { maxLength }), fc.boolean())
    .map(([lines, whole]) =>
      Buffer.concat(lines.flatMap((line, i) => (i < lines.length - 1 || whole ? [line, encode('\n')] : [line]))),
    )

const mix = fc.record({
  input: ended(fc.oneof(goodLine, badLine, binaryLine, hugeLine), 12),
  limit: fc.integer({ min: 1, max: 120 }),
  sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }),
})

const longMix = fc.record({
  input: ended(fc.oneof(goodLine, longLine), 5),
  limit: fc.integer({ min: 1000, max: 180_000 }),
  sizes: fc.array(fc.integer({ min: 20, max: 70_000 }), { minLength: 1, maxLength: 20 }),
})
