import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Framer } from '../runtime/framer.ts'
import { describeFramer } from './contracts/framer.ts'

describeFramer('Framer', options => new Framer(options))

describe('Framer: memory', () => {
  it('a line that lies whole in its chunk is given out in place', () => {
    const chunk = Buffer.from('one\ntwo\n')
    const places: [boolean, number, number][] = []
    const framer = new Framer({
      onLine: (bytes, start, end) => void places.push([bytes === chunk, start, end]),
      onOverlong: () => {},
    })
    framer.push(chunk)
    expect(places).toEqual([
      [true, 0, 3],
      [true, 4, 7],
    ])
  })

  it('short lines that are cut share one spill buffer', () => {
    const buffers = new Set<ArrayBufferLike>()
    const framer = new Framer({ onLine: bytes => void buffers.add(bytes.buffer), onOverlong: () => {} })
    for (let i = 0; i < 100; i++) {
      framer.push(Buffer.from('he'))
      framer.push(Buffer.from('ad\n'))
    }
    expect(buffers.size).toBe(1)
  })

  it('the spill buffer never grows beyond the limit', () => {
    let most = 0
    const framer = new Framer({
      maxLineBytes: 5000,
      onLine: bytes => {
        most = Math.max(most, bytes.length)
      },
      onOverlong: () => {},
    })
    for (let i = 0; i < 500; i++) framer.push(Buffer.alloc(10, 'x'))
    framer.end()
    expect(most).toBe(5000)
  })

  it('a line that lies whole in its chunk allocates nothing, and a huge one is not kept', () => {
    const { perLine, perCutLine, kept } = measure()
    expect(perLine).toBeLessThan(0.5)
    expect(perCutLine).toBeLessThan(4)
    for (const [after, bytes] of Object.entries(kept)) expect(bytes, after).toBeLessThan(256 * 1024)
  }, 60_000)
})

interface Memory {
  /** Bytes allocated for each line of a chunk of whole lines. */
  perLine: number
  /** Bytes allocated for each short line that is cut in two. */
  perCutLine: number
  /** Bytes outside the heap still held after a huge line, by how it ended. */
  kept: Record<string, number>
}

/** In a process of its own, whose young generation is so large that nothing is collected while it counts. */
function measure(): Memory {
  const program = `
    import { Framer } from ${JSON.stringify(new URL('../runtime/framer.ts', import.meta.url).href)}
    let lines = 0
    const make = () => new Framer({ maxLineBytes: 8 << 20, onLine() { lines++ }, onOverlong() {} })

    const allocated = chunks => {
      const framer = make()
      const round = times => { for (let i = 0; i < times; i++) for (let c = 0; c < chunks.length; c++) framer.push(chunks[c]) }
      // The least of several windows: the engine's own work on code that gets warm is not the framer's.
      let least = Infinity
      for (let window = 0; window < 6; window++) {
        gc()
        const first = lines
        const before = process.memoryUsage()
        round(10_000)
        const after = process.memoryUsage()
        const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
        least = Math.min(least, bytes / (lines - first))
      }
      return least
    }

    const held = () => { gc(); gc(); return process.memoryUsage().arrayBuffers }
    const piece = Buffer.alloc(64 << 10, 'x')
    const keptAfter = (size, finish) => {
      const framer = make()
      const before = held()
      for (let sent = 0; sent < size; sent += piece.length) framer.push(piece)
      finish(framer)
      const after = held()
      framer.push(piece.subarray(0, 1))
      return after - before
    }

    console.log(JSON.stringify({
      perLine: allocated([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'.repeat(100))]),
      perCutLine: allocated([Buffer.from('{"jsonrpc":"2.0",'), Buffer.from('"id":1,"method":"ping"}\\n')]),
      kept: {
        'its newline': keptAfter(4 << 20, framer => framer.push(Buffer.from('\\n'))),
        'the end': keptAfter(4 << 20, framer => framer.end()),
        'more than the limit': keptAfter(9 << 20, () => {}),
        'more than the limit, in its last chunk': keptAfter(8 << 20, framer => framer.push(Buffer.from('x\\n'))),
      },
    }))`
  const flags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64', '--import', 'tsx']
  return JSON.parse(
    execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
    }),
  )
}
