import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Outbox } from '../../transports/serial/outbox.ts'
import { PortError } from '../../transports/serial/port-error.ts'
import { OwnedClock, settled } from '../owned-clock.ts'

/** Sends into a list, with the time of each piece. */
function outbox(pacing?: { bytes: number; ms: number }) {
  const clock = new OwnedClock(0)
  const pieces: { at: number; text: string }[] = []
  const put = (bytes: Uint8Array) => {
    pieces.push({ at: clock.now(), text: Buffer.from(bytes).toString() })
    return undefined
  }
  return { clock, pieces, box: new Outbox({ put, pacing, clock }) }
}

describe('What waits to be sent', () => {
  it('leaves within the call when nothing is before it', () => {
    const { box, pieces } = outbox()
    box.write('a')
    expect(pieces).toEqual([{ at: 0, text: 'a' }])
  })

  it('leaves in pieces, and pieces of many writes count together', async () => {
    const { box, pieces, clock } = outbox({ bytes: 4, ms: 10 })
    box.write('abcdef')
    box.write('gh')
    box.write('ij')
    await clock.advance(100)
    expect(pieces).toEqual([
      { at: 0, text: 'abcd' },
      { at: 10, text: 'ef' },
      { at: 10, text: 'gh' },
      { at: 20, text: 'ij' },
    ])
    expect(box.pendingBytes).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('never leaves faster than the pacing, whenever it is written', async () => {
    const writes = fc.array(fc.record({ afterMs: fc.nat(30), bytes: fc.integer({ min: 0, max: 100 }) }), {
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(writes, fc.integer({ min: 1, max: 40 }), async (all, most) => {
        const { box, pieces, clock } = outbox({ bytes: most, ms: 10 })
        for (const { afterMs, bytes } of all) {
          await clock.advance(afterMs)
          box.write('x'.repeat(bytes))
        }
        await clock.advance(100_000)
        const total = all.reduce((sum, { bytes }) => sum + bytes, 0)
        expect(pieces.reduce((sum, { text }) => sum + text.length, 0)).toBe(total)
        for (const { at } of pieces) {
          const burst = pieces.filter(piece => piece.at >= at && piece.at < at + 10)
          expect(burst.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(most)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('waits on when a timer comes early', async () => {
    const { box, pieces, clock } = outbox({ bytes: 1, ms: 10 })
    const early = clock.setTimeout.bind(clock)
    clock.setTimeout = (callback, ms) => early(callback, Math.max(1, ms - 4))
    box.write('ab')
    await clock.advance(100)
    expect(pieces.map(({ at }) => at)).toEqual([0, expect.any(Number)])
    expect(pieces[1]!.at).toBeGreaterThanOrEqual(10)
  })

  it('fails when it is closed, also in the middle of a wait, and leaves no timer', async () => {
    const { box, pieces, clock } = outbox({ bytes: 1, ms: 10 })
    const first = box.write('ab')
    const second = box.write('c')
    await settled()
    const gone = new PortError('lost', 'gone')
    box.close(gone)
    await expect(first).rejects.toBe(gone)
    await expect(second).rejects.toBe(gone)
    await expect(box.write('d')).rejects.toBe(gone)
    await box.idle()
    await clock.advance(100)
    expect(pieces).toEqual([{ at: 0, text: 'a' }])
    expect([clock.pending, box.pendingBytes]).toEqual([0, 0])
  })

  it('goes on after a piece that failed', async () => {
    let failing = true
    const sent: string[] = []
    const box = new Outbox({
      put(bytes) {
        if (failing) throw new Error('no')
        sent.push(Buffer.from(bytes).toString())
        return undefined
      },
    })
    await expect(box.write('a')).rejects.toThrow('no')
    failing = false
    await box.write('b')
    expect(sent).toEqual(['b'])
  })

  it('needs a pacing that lets something through', () => {
    expect(() => outbox({ bytes: 0, ms: 10 })).toThrow(RangeError)
  })
})
