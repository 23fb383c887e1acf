/**
 * The framer alone, beside others that do the same work: `tsx bench/framer.ts [--quick]`. All in one process, in
 * turn; the figure is the median over the rounds. The ways that lost stay here with their figures.
 *
 * A `<` says that the time was up before the input was, and that the rest would only have been slower.
 */
import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PassThrough, type Transform } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ReadlineParser } from '@serialport/parser-readline'
import split2 from 'split2'
import { Framer } from '../runtime/framer.ts'
import { quantile, table } from './table.ts'

/** Takes chunks and counts lines. `done` when what was pushed has come out. */
interface Splitter {
  push(chunk: Buffer): void
  done(): Promise<void> | void
  lines(): number
}

const splitters: Record<string, () => Splitter> = {
  framer: () => {
    let lines = 0
    const framer = new Framer({ onLine: () => void lines++, onOverlong: () => {} })
    return { push: chunk => void framer.push(chunk), done: () => {}, lines: () => lines }
  },
  'framer, line as string': () => {
    let lines = 0
    const framer = new Framer({
      onLine: (bytes, start, end) => {
        const line = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
        if (line.length === end - start) lines++
      },
      onOverlong: () => {},
    })
    return { push: chunk => void framer.push(chunk), done: () => {}, lines: () => lines }
  },
  'indexOf and concat': () => {
    // As in the official servers' read buffer.
    let lines = 0
    let held: Buffer | undefined
    const push = (chunk: Buffer) => {
      held = held === undefined ? chunk : Buffer.concat([held, chunk])
      for (let end = held.indexOf('\n'); end !== -1; end = held.indexOf('\n')) {
        if (held.toString('utf8', 0, end) !== '') lines++
        held = held.subarray(end + 1)
      }
    }
    return { push, done: () => {}, lines: () => lines }
  },
  'node:readline': () => {
    let lines = 0
    const input = new PassThrough()
    createInterface({ input }).on('line', () => void lines++)
    return { push: chunk => void input.write(chunk), done: () => drained(input), lines: () => lines }
  },
  split2: () => transform(split2()),
  '@serialport/parser-readline': () => transform(new ReadlineParser({ delimiter: '\n' })),
}

function transform(stream: Transform): Splitter {
  let lines = 0
  stream.on('data', () => void lines++)
  return { push: chunk => void stream.write(chunk), done: () => drained(stream), lines: () => lines }
}

async function drained(stream: Transform): Promise<void> {
  while (stream.writableLength > 0 || stream.readableLength > 0) await new Promise(setImmediate)
}

interface Input {
  name: string
  chunks: Buffer[]
  lines: number
  /** Whether what is allocated is counted too. */
  count?: boolean
  /** What the framer has to reach: MB/s at least, bytes for each line at most. */
  target?: { speed?: number; bytes?: number }
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(Buffer.from(bytes.subarray(at, at + size)))
  return chunks
}

function shortLines(): Input {
  const line =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_led","arguments":{"pin":17,"on":true}}}\n'
  const bytes = Buffer.from(line.repeat(Math.ceil((64 * 1024 * 64) / line.length)))
  return {
    name: 'short lines in 64 KiB chunks',
    chunks: cut(bytes, 64 * 1024),
    lines: bytes.length / line.length,
    count: true,
    target: { bytes: 0 },
  }
}

function oneLine(name: string, length: number, size: number): Input {
  const bytes = Buffer.alloc(length, 'x')
  bytes[length - 1] = 0x0a
  return { name, chunks: cut(bytes, size), lines: 1 }
}

const inputs: Input[] = [
  shortLines(),
  { ...oneLine('one 64 kB line in 16-byte chunks', 64_000, 16), count: true, target: { speed: 100 } },
  oneLine('one 1 MiB line in 64-byte pieces', 1024 * 1024, 64),
  oneLine('one 256 kB line in 1-byte pieces', 256_000, 1),
]

const quick = process.argv.includes('--quick')
/** CPU time, so that a busy machine gets through as much as a quiet one. */
const leastMs = quick ? 60 : 100
const mostMs = quick ? 150 : 400

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** MB/s; negative when the time was up first. */
async function speed(make: () => Splitter, { chunks, lines }: Input): Promise<number> {
  const splitter = make()
  const before = cpuMs()
  let bytes = 0
  let times = 0
  let late = false
  while (!late && (times === 0 || cpuMs() - before < leastMs)) {
    for (let i = 0; i < chunks.length && !late; i++) {
      splitter.push(chunks[i]!)
      bytes += chunks[i]!.length
      // Streams do their work in a turn of their own.
      if (i % 256 === 255) {
        await splitter.done()
        late = times === 0 && cpuMs() - before > mostMs
      }
    }
    await splitter.done()
    times++
  }
  const ms = cpuMs() - before
  if (!late && splitter.lines() !== lines * times) throw new Error(`${splitter.lines()} lines, not ${lines * times}`)
  return (bytes / 1000 / ms) * (late ? -1 : 1)
}

/** Bytes allocated for each line, in and outside the heap; NaN when something was collected on the way. */
async function allocated(make: () => Splitter, { chunks, lines }: Input): Promise<number> {
  const splitter = make()
  const once = async () => {
    for (let i = 0; i < chunks.length; i++) {
      splitter.push(chunks[i]!)
      // To wait for nothing would allocate too.
      const done = i % 256 === 255 ? splitter.done() : undefined
      if (done !== undefined) await done
    }
    await splitter.done()
  }
  for (let i = 0; i < (quick ? 5 : 12); i++) await once()
  const figures: number[] = []
  for (let i = 0; i < (quick ? 3 : 5); i++) {
    await once()
    // Twice: what lies outside the heap is let go a little later.
    globalThis.gc?.()
    await new Promise(resolve => setTimeout(resolve, 5))
    globalThis.gc?.()
    const witness = new WeakRef({})
    await new Promise(setImmediate)
    const before = process.memoryUsage()
    await once()
    const after = process.memoryUsage()
    await new Promise(setImmediate)
    const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    if (witness.deref() !== undefined) figures.push(bytes / lines)
  }
  return quantile(figures)
}

async function main(): Promise<void> {
  for (const input of inputs) {
    const found = new Map<string, number[]>()
    for (let round = 0; round < (quick ? 3 : 5); round++) {
      for (const [name, make] of Object.entries(splitters)) {
        const list = found.get(name) ?? []
        found.set(name, list)
        // What was too slow once is not asked again. The first pass makes the code warm.
        if (list.length === 0) {
          const first = await speed(make, input)
          if (first < 0) list.push(first)
        }
        if (list.every(figure => figure > 0)) list.push(await speed(make, input))
      }
    }
    const rows = [['', 'MB/s', 'of framer', 'bytes allocated for each line']]
    const own = Math.abs(quantile(found.get('framer')!))
    for (const [name, make] of Object.entries(splitters)) {
      const list = found.get(name)!
      const late = list.some(figure => figure < 0)
      const figure = late ? -Math.min(...list) : quantile(list)
      const bytes = late || !input.count ? Number.NaN : await allocated(make, input)
      const mark = late ? '< ' : ''
      rows.push([
        name,
        `${mark}${figure.toFixed(figure < 10 ? 2 : 0)}`,
        `${mark}${(figure / own).toFixed(figure / own < 0.1 ? 4 : 2)}`,
        Number.isFinite(bytes) ? bytes.toFixed(0) : '-',
      ])
      if (name === 'framer' && input.target !== undefined) rows[1]![0] += ` (${verdict(input.target, figure, bytes)})`
    }
    console.log(`\n${input.name}:\n\n${table(rows)}`)
  }
}

function verdict({ speed, bytes }: NonNullable<Input['target']>, ownSpeed: number, ownBytes: number): string {
  const parts = []
  if (speed !== undefined) parts.push(`target ≥ ${speed} MB/s: ${ownSpeed >= speed ? 'met' : '**not met**'}`)
  if (bytes !== undefined) parts.push(`target ${bytes} B: ${Math.round(ownBytes) <= bytes ? 'met' : '**not met**'}`)
  return parts.join('; ')
}

// Counting what is allocated needs a young generation in which nothing is collected.
const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']
if (globalThis.gc === undefined) {
  const self = fileURLToPath(import.meta.url)
  spawnSync(process.execPath, [...flags, '--import', 'tsx', self, ...process.argv.slice(2)], { stdio: 'inherit' })
} else {
  await main()
}
