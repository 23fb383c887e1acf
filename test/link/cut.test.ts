import { describe, expect, it } from 'vitest'
import { LinkDownError, LinkError, UnknownOutcomeError } from '../../boards/remote/link/index.ts'
import { countingBoard, type Line, Pair } from './pair.ts'

const fan = 0

/** Lets a number of bytes through in all, both ways together, then calls `cut` and lets nothing through. */
function cutter(limit: number, cut: () => void): Line {
  let left = limit
  return bytes => {
    if (left >= bytes.length) {
      left -= bytes.length
      return bytes
    }
    const head = bytes.slice(0, left)
    if (left >= 0) cut()
    left = -1
    return head
  }
}

async function outcomeOf(pair: Pair): Promise<'ran' | 'unknown' | 'not run'> {
  try {
    await pair.during(pair.host.call(fan, [7, true]))
    return 'ran'
  } catch (thrown) {
    if (thrown instanceof UnknownOutcomeError) return 'unknown'
    if (thrown instanceof LinkDownError || thrown instanceof LinkError) return 'not run'
    throw thrown
  }
}

/** The bytes of one call and its answer. */
const exchangeBytes = 30

describe('the cable, cut at every byte of a call', () => {
  it('the call ends, what is said of it is true, and the outputs are safe within the fail-safe period', async () => {
    const seen = new Set<string>()
    for (let at = 0; at <= exchangeBytes; at++) {
      const { board, moves, state } = countingBoard()
      const pair = await new Pair({ board, device: { failSafeMs: 1000 } }).ready()
      const line = cutter(at, () => {})
      pair.toDevice = line
      pair.toHost = line
      const outcome = await outcomeOf(pair)
      const runs = moves.filter(({ on }) => on).length
      seen.add(`${outcome} ${runs}`)
      expect(runs, `cut at ${at}`).toBeLessThanOrEqual(1)
      if (outcome === 'ran') expect(runs, `cut at ${at}`).toBe(1)
      if (outcome === 'not run') expect(runs, `cut at ${at}`).toBe(0)
      await pair.clock.advance(2500)
      expect(state.on, `cut at ${at}`).toBe(false)
      pair.host.close()
    }
    expect([...seen].sort()).toEqual(['ran 1', 'unknown 0', 'unknown 1'])
  })

  it('and joined again after a second: the call is answered, or called unknown; the next one works', async () => {
    for (let at = 0; at <= exchangeBytes; at++) {
      const { board, moves } = countingBoard()
      const pair = await new Pair({ board }).ready()
      const line = cutter(at, () => {
        pair.clock.setTimeout(() => {
          pair.toDevice = pair.toHost = bytes => bytes
        }, 1000)
      })
      pair.toDevice = pair.toHost = line
      const outcome = await outcomeOf(pair)
      const runs = () => moves.filter(({ level }) => level === 7).length
      expect(outcome === 'ran' ? runs() : 1, `cut at ${at}`).toBe(1)
      expect(await pair.during(pair.host.call(fan, [8, true]))).toBe(null)
      expect(runs(), `cut at ${at}`).toBeLessThanOrEqual(1)
      pair.host.close()
    }
  })

  it('or the device restarts there: nothing runs twice, and the next call works', async () => {
    for (let at = 0; at <= exchangeBytes; at++) {
      const { board, moves } = countingBoard()
      const pair = await new Pair({ board }).ready()
      const line = cutter(at, () => {
        pair.toDevice = pair.toHost = bytes => bytes
        pair.reset(at % 3 === 0 ? 0 : 400)
      })
      pair.toDevice = pair.toHost = line
      const outcome = await outcomeOf(pair)
      const runs = moves.filter(({ level }) => level === 7).length
      expect(runs, `restart at ${at}`).toBeLessThanOrEqual(1)
      if (outcome !== 'unknown') expect(runs, `restart at ${at}: ${outcome}`).toBe(outcome === 'ran' ? 1 : 0)
      await pair.clock.advance(3000)
      expect(await pair.during(pair.host.call(fan, [8, true]))).toBe(null)
      pair.host.close()
    }
  })
})
