import { describe, expect, it } from 'vitest'
import { ChipHands, nothing, through } from './chip-hands.ts'
import { failSafeMs, roundMs } from './chip-pins.ts'

/*
 * A call from an MCP client to a chip, and a mishap at each byte of it: at those of the host's frame, and behind them at
 * those of the chip's answer. Whatever happens, nothing runs twice, what the model is told is true, and the outputs end
 * safe, by the clock of the chip. Then all is mended, and the next call works.
 */

interface Mishap {
  /** Happens when it is the turn of this byte. Gives what becomes of it. */
  happens(hands: ChipHands, wire: 'toChip' | 'toHost', byte: number): readonly number[]
  mend(hands: ChipHands): void
  /** What is on is off after so long, in milliseconds of the chip. */
  safeAfterMs: number
  /** What it may come to: how the call ended for the model, and how often it ran. */
  comesTo: readonly string[]
  restarts?: true
}

/** The chip does not hear the host any more. The frame may have been under way for 3 ms. */
const deafMs = failSafeMs + roundMs + 3
const mended = (hands: ChipHands) => {
  hands.toChip = through
  hands.toHost = through
}

const mishaps: Record<string, Mishap> = {
  'both wires break, and nobody notices': {
    happens: hands => {
      hands.toChip = nothing
      hands.toHost = nothing
      return []
    },
    mend: mended,
    safeAfterMs: deafMs,
    comesTo: ['unknown 0', 'unknown 1'],
  },
  'the wire to the chip breaks': {
    happens: (hands, wire, byte) => {
      hands.toChip = nothing
      return wire === 'toHost' ? [byte] : []
    },
    mend: mended,
    safeAfterMs: deafMs,
    comesTo: ['ran 1', 'unknown 0'],
  },
  'the wire to the host breaks': {
    happens: (hands, wire, byte) => {
      hands.toHost = nothing
      return wire === 'toChip' ? [byte] : []
    },
    mend: mended,
    // The host asks for an answer again and again, until it notices and greets anew. From then on the chip counts.
    safeAfterMs: 5000 + deafMs,
    comesTo: ['unknown 1'],
  },
  'the cable is pulled, and the computer notices': {
    happens: hands => {
      hands.toChip = nothing
      hands.toHost = nothing
      hands.clock.setTimeout(() => hands.unplug(), 1)
      return []
    },
    mend: hands => hands.plug(),
    safeAfterMs: deafMs,
    comesTo: ['unknown 0', 'unknown 1'],
  },
  'the chip is reset': {
    happens: (hands, _, byte) => {
      hands.soon(() => hands.chip.reset())
      return [byte]
    },
    mend: () => {},
    safeAfterMs: 2,
    comesTo: ['ran 1', 'unknown 0', 'unknown 1'],
    restarts: true,
  },
}

/** Has a mishap happen at one byte of what is said from now on. Tells whether it did. */
function arrange(hands: ChipHands, at: number, { happens, restarts }: Mishap): () => boolean {
  let seen = 0
  const turn = () => {
    if (seen++ !== at) return false
    mended(hands)
    hands.chip.wire.onArrived = undefined
    return true
  }
  hands.toHost = byte => (turn() ? happens(hands, 'toHost', byte) : [byte])
  // A host hands its frame over in one go. What happens to the chip happens when the byte gets there.
  if (restarts) hands.chip.wire.onArrived = byte => void (turn() && happens(hands, 'toChip', byte))
  else hands.toChip = byte => (turn() ? happens(hands, 'toChip', byte) : [byte])
  return () => seen > at
}

describe.each(Object.entries(mishaps))('%s, at each byte of a call', (_, mishap) => {
  it('nothing runs twice, what is told is true, and the outputs end safe', async () => {
    const hands = await ChipHands.start()
    const seen = new Set<string>()
    for (let at = 0; ; at++) {
      const where = `at byte ${at}`
      const before = { rises: hands.pins.rises('up'), boot: hands.boot! }
      const runs = () => hands.pins.rises('up') - before.rises
      const happened = arrange(hands, at, mishap)
      const called = hands.call('up', true)
      for (let ms = 0; ms < 10 && !happened(); ms++) await hands.pass(1)
      if (!happened()) {
        // There is no such byte in the exchange any more.
        expect(at).toBeGreaterThan(23)
        mended(hands)
        expect(await hands.settle(called)).toMatchObject({ outcome: 'ran' })
        break
      }
      await hands.pass(mishap.safeAfterMs)
      expect([where, hands.pins.on]).toEqual([where, []])

      const { outcome, text } = await hands.settle(called)
      const ran = runs()
      expect(mishap.comesTo, where).toContain(`${outcome} ${ran}`)
      seen.add(`${outcome} ${ran}`)
      if (outcome === 'unknown') expect(text).toContain('whether it ran is unknown')

      mishap.mend(hands)
      await hands.reunited()
      await hands.pass(100)
      // Nothing that was said before is carried out now, and the session is a new one.
      expect([where, runs(), hands.pins.on]).toEqual([where, ran, []])
      expect(hands.boot! - before.boot, where).toBe(mishap.restarts ? 1 : 0)
      expect(await hands.calls('up', true), where).toMatchObject({ outcome: 'ran' })
      expect(runs(), where).toBe(ran + 1)
      await hands.calls('up', false)
    }
    expect([...seen].sort()).toEqual(mishap.comesTo)
    expect(hands.pins.breaches).toEqual([])
  })
})

const flips = [1, 2, 4, 8, 16, 32, 64, 128]
const blemishes: Record<string, (byte: number) => readonly number[]> = {
  ...Object.fromEntries(flips.map(bit => [`bit ${bit} is flipped`, byte => [byte ^ bit]])),
  'a byte is lost': () => [],
  'a byte comes twice': byte => [byte, byte],
  'a newline comes in between': byte => [byte, 0x0a],
  'a marker comes in between': byte => [byte, 0xfe],
  'noise comes in between': byte => [byte, 0x00, 0xff, 0x7d, 0xfe, 0x45],
}

describe('the line disturbed at each byte of a call', () => {
  it.each(Object.entries(blemishes))('%s: the call runs once, and is answered', async (_, becomes) => {
    const hands = await ChipHands.start()
    for (let at = 0, value = true; ; at++, value = !value) {
      const where = `at byte ${at}`
      const edges = () => hands.pins.rises('up') + hands.chip.pin('D4').falls
      const before = edges()
      const happened = arrange(hands, at, {
        ...mishaps['both wires break, and nobody notices']!,
        happens: (_, __, byte) => becomes(byte),
      })
      expect(await hands.calls('up', value), where).toMatchObject({ outcome: 'ran' })
      mended(hands)
      expect([where, edges() - before, hands.pins.isOn('up')]).toEqual([where, 1, value])
      if (!happened()) {
        expect(at).toBeGreaterThan(23)
        break
      }
    }
    expect(hands.device.counters.sessions).toBe(1)
  })

  it.each([2, 3, 5])('each frame comes %i times, in both directions: nothing runs twice', async times => {
    const hands = await ChipHands.start()
    for (const wire of ['toChip', 'toHost'] as const) {
      let frame: number[] = []
      hands[wire] = byte => {
        frame.push(byte)
        if (byte !== 0x0a) return []
        const whole = frame
        frame = []
        return Array.from({ length: times }, () => whole).flat()
      }
    }
    for (let turn = 1; turn <= 10; turn++) {
      expect(await hands.calls('up', true)).toMatchObject({ outcome: 'ran' })
      expect(await hands.calls('up', false)).toMatchObject({ outcome: 'ran' })
      await hands.pass(50)
      expect(hands.pins.rises('up')).toBe(turn)
    }
  })

  it('all that was ever said comes once more, in this session and in the next ones: nothing runs', async () => {
    const hands = await ChipHands.start()
    const said: number[] = []
    hands.toChip = byte => {
      said.push(byte)
      return [byte]
    }
    for (let turn = 0; turn < 5; turn++) {
      await hands.calls('up', true)
      await hands.calls('up', false)
    }
    await hands.settle(hands.server.arm('the test'))
    await hands.calls('saw', true)
    await hands.calls('saw', false)
    const rises = () => [hands.pins.rises('up'), hands.pins.rises('saw')]
    expect(rises()).toEqual([5, 1])
    for (const again of [() => {}, () => hands.unplug(), () => hands.chip.reset('power')]) {
      again()
      hands.chip.send(said)
      await hands.pass(200)
      hands.plug()
      await hands.reunited()
      hands.chip.send(said)
      await hands.pass(200)
      expect(rises()).toEqual([5, 1])
    }
  })
})
