import { describe, expect, it } from 'vitest'
import { readIntelHex } from '../../boards/microcontroller/emulator/index.ts'

const end = ':00000001FF'

describe('an Intel HEX file', () => {
  it('fills the memory where it says, and leaves the rest erased', () => {
    const memory = readIntelHex(`:0300020001020AEE\n${end}\n`, 8)
    expect([...memory]).toEqual([0xff, 0xff, 1, 2, 10, 0xff, 0xff, 0xff])
  })

  it('may have lines that end as on Windows, and small letters', () => {
    expect([...readIntelHex(`:01000000aa55\r\n${end}\r\n`, 1)]).toEqual([0xaa])
  })

  it.each([
    ['segments', ':020000020001FB', 0x10],
    ['a linear base', ':020000040000FA', 0],
  ])('may count its addresses by %s', (_, base, from) => {
    const memory = readIntelHex(`${base}\n:01000000AA55\n${end}`, 32)
    expect(memory.indexOf(0xaa)).toBe(from)
  })

  it('may say where to start, which a chip of this kind does not ask', () => {
    expect(readIntelHex(`:0400000300007000 89\n`.replace(' ', '') + end, 2)).toEqual(Uint8Array.of(0xff, 0xff))
  })

  it.each([
    ['damaged', `:0300020001020AEF\n${end}`, /line 1 is damaged/],
    ['cut off within a line', `:03000200010\n${end}`, /line 1 is no record/],
    ['short of bytes', `:0300020001\n${end}`, /line 1 is no record|line 1 is cut off/],
    ['cut off between lines', ':0300010001020AEF\n', /no end record/],
    ['something else', '\x7fELF\n', /line 1 is no record/],
    ['empty', '', /no end record/],
    ['too big for the chip', `:0300020001020AEE\n${end}`, /line 1 is for address 2, but the chip has 4 bytes/],
  ])('that is %s is refused, and the reason names the line', (_, text, expected) => {
    expect(() => readIntelHex(text, 4)).toThrow(expected)
  })
})
