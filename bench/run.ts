/**
 * Whole processes over real pipes. In each round every server is started anew, in turn, and a figure is compared with
 * floor's of the same round; what is printed is the median of those ratios and the spread between their quartiles.
 *
 *   npm run bench -- [--quick] [--servers floor,ferrule] [--write FILE]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { call, type Era, Measured, opening } from './process.ts'

interface Server {
  name: string
  file: string
  eras: Era[]
  /** The package whose version is named in the table. */
  package?: string
  /** A long line in small pieces takes it time in proportion to the square: asked for once only, in a full run. */
  quadratic?: boolean
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const servers: Server[] = [
  { name: 'floor', file: here('servers/floor.mjs'), eras: ['legacy', 'modern'] },
  { name: 'ferrule', file: here('server.mjs'), eras: ['legacy', 'modern'], package: '..' },
  {
    name: 'sdk v2',
    file: here('servers/sdk-v2.mjs'),
    eras: ['legacy', 'modern'],
    package: '../node_modules/@modelcontextprotocol/server',
    quadratic: true,
  },
  {
    name: 'sdk v1',
    file: here('servers/sdk-v1.mjs'),
    eras: ['legacy'],
    package: '../node_modules/@modelcontextprotocol/sdk',
    quadratic: true,
  },
]

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    servers: { type: 'string' },
    write: { type: 'string' },
  },
})
const quick = options.quick

/** One row of the table: what one round gives for each server. */
interface Measure {
  name: string
  unit: string
  /** How many digits after the point are worth reading. */
  digits: number
}

const measures = {
  startWall: { name: 'cold start to the first answer, wall', unit: 'ms', digits: 0 },
  startCpu: { name: 'cold start to the first answer, CPU', unit: 'ms', digits: 0 },
  startModernCpu: { name: 'the same, modern era (server/discover), CPU', unit: 'ms', digits: 0 },
  resident: { name: 'resident at rest', unit: 'MiB', digits: 1 },
  anonymous: { name: 'anonymous memory at rest', unit: 'MiB', digits: 1 },
  legacy64: { name: 'CPU per call, 64 in flight, handshake era', unit: 'µs', digits: 1 },
  modern64: { name: 'CPU per call, 64 in flight, modern era', unit: 'µs', digits: 1 },
  legacy1: { name: 'CPU per call, one in flight, handshake era', unit: 'µs', digits: 1 },
  modern1: { name: 'CPU per call, one in flight, modern era', unit: 'µs', digits: 1 },
  residentAfter: { name: 'resident after 100,000 calls', unit: 'MiB', digits: 1 },
  heapLegacy64: { name: 'heap bytes per call, 64 in flight, handshake era', unit: 'B', digits: 0 },
  heapModern64: { name: 'heap bytes per call, 64 in flight, modern era', unit: 'B', digits: 0 },
  heapLegacy1: { name: 'heap bytes per call, one in flight, handshake era', unit: 'B', digits: 0 },
  heapModern1: { name: 'heap bytes per call, one in flight, modern era', unit: 'B', digits: 0 },
  longLine: { name: 'one line of 10 MB, CPU', unit: 'ms', digits: 0 },
  bytewise64: { name: '64 kB in 1-byte writes, CPU', unit: 'ms', digits: 0 },
  bytewise256: { name: '256 kB in 1-byte writes, CPU', unit: 'ms', digits: 0 },
} satisfies Record<string, Measure>

type MeasureName = keyof typeof measures

/** Figures by measure, server and round; a round that a server skipped is a hole. */
const figures = new Map<MeasureName, Map<string, number[]>>()

function note(measure: MeasureName, server: Server, round: number, figure: number): void {
  const byServer = figures.get(measure) ?? new Map<string, number[]>()
  figures.set(measure, byServer)
  const list = byServer.get(server.name) ?? []
  byServer.set(server.name, list)
  list[round] = figure
}

async function starts(server: Server, round: number): Promise<void> {
  for (const era of server.eras) {
    const child = new Measured(server.file)
    await child.exchange(opening(era), 1)
    const cpu = child.cpuMs()
    if (era === 'legacy') {
      note('startWall', server, round, child.wallMs())
      note('startCpu', server, round, cpu)
    } else {
      note('startModernCpu', server, round, cpu)
    }
    await child.stop()
  }
}

async function calls(server: Server, round: number): Promise<void> {
  for (const era of server.eras) {
    const child = new Measured(server.file)
    await child.open(era)
    if (era === 'legacy') {
      await new Promise(resolve => setTimeout(resolve, 100))
      const { resident, anonymous } = child.memory()
      note('resident', server, round, resident)
      note('anonymous', server, round, anonymous)
    }
    const perCall = async (count: number, inFlight: number) => {
      const before = child.cpuMs()
      await child.calls(count, inFlight, era)
      return ((child.cpuMs() - before) * 1000) / count
    }
    await perCall(quick ? 1500 : 5000, 64)
    note(era === 'legacy' ? 'legacy64' : 'modern64', server, round, await perCall(quick ? 2500 : 15_000, 64))
    note(era === 'legacy' ? 'legacy1' : 'modern1', server, round, await perCall(quick ? 800 : 4000, 1))
    if (era === 'legacy' && round === 0 && !quick) {
      await child.calls(76_000, 64, era)
      note('residentAfter', server, round, child.memory().resident)
    }
    await child.stop()
  }
}

async function heap(server: Server, round: number): Promise<void> {
  const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256', '--import', here('heap.mjs')]
  for (const era of server.eras) {
    const child = new Measured(server.file, { flags })
    await child.open(era)
    const perCall = async (count: number, inFlight: number) => {
      // The first pass makes the code warm: code that was compiled on the way is no cost of a call.
      await child.calls(quick ? 1000 : 4000, inFlight, era)
      const { after } = await child.heap()
      await child.calls(count, inFlight, era)
      const { before, collections } = await child.heap()
      if (collections > 0) throw new Error(`${server.name}: ${collections} collections while counting`)
      return (before - after) / count
    }
    const count = quick ? 1000 : 2500
    note(era === 'legacy' ? 'heapLegacy64' : 'heapModern64', server, round, await perCall(count, 64))
    note(era === 'legacy' ? 'heapLegacy1' : 'heapModern1', server, round, await perCall(count, 1))
    await child.stop()
  }
}

async function lines(server: Server, round: number): Promise<void> {
  const child = new Measured(server.file)
  await child.open('legacy')
  const cpuOf = async (work: () => Promise<void>) => {
    const before = child.cpuMs()
    await work()
    return child.cpuMs() - before
  }
  const long = call(2, 'legacy', 'x'.repeat(10_000_000))
  note('longLine', server, round, await cpuOf(() => child.callOnce(long)))
  await child.stop()
}

async function pieces(server: Server, round: number): Promise<void> {
  const sizes: [MeasureName, number][] = [
    ['bytewise64', 64_000],
    ['bytewise256', 256_000],
  ]
  for (const [measure, size] of sizes) {
    if ((server.quadratic && (quick || round > 0)) || (quick && measure === 'bytewise256')) continue
    const child = new Measured(server.file)
    await child.open('legacy')
    const before = child.cpuMs()
    await child.bytewise(call(2, 'legacy', 'x'.repeat(size)))
    note(measure, server, round, child.cpuMs() - before)
    await child.stop()
  }
}

/** Each server in turn, beginning with another one in each round. On a busy machine there are fewer rounds. */
async function rounds(
  most: number,
  mostSeconds: number,
  name: string,
  run: (server: Server, round: number) => Promise<void>,
) {
  const startedAt = Date.now()
  let round = 0
  for (; round < most && Date.now() - startedAt < mostSeconds * 1000; round++) {
    for (let i = 0; i < chosen.length; i++) await run(chosen[(i + round) % chosen.length]!, round)
  }
  process.stderr.write(`${name}: ${round} rounds, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.round((sorted.length - 1) * q)]!
}

const sorted = (list: number[]) => list.filter(figure => figure !== undefined).sort((a, b) => a - b)

function cell({ digits, unit }: Measure, server: Server, byServer: Map<string, number[]>): string {
  const own = byServer.get(server.name)
  if (own === undefined) return '-'
  const median = quantile(sorted(own), 0.5).toFixed(digits)
  const floor = byServer.get('floor')
  if (floor === undefined || server.name === 'floor') return `${median} ${unit}`
  const ratios = sorted(own.flatMap((figure, round) => (floor[round] === undefined ? [] : [figure / floor[round]])))
  const [low, ratio, high] = [0.25, 0.5, 0.75].map(q => quantile(ratios, q).toFixed(2))
  return `**${ratio}** ${ratios.length > 1 ? `(${low}-${high}) ` : ''}${median} ${unit}`
}

function table(): string {
  const rows = [['measure', ...chosen.map(server => server.name)], Array<string>(chosen.length + 1).fill('---')]
  for (const [name, measure] of Object.entries(measures) as [MeasureName, Measure][]) {
    const byServer = figures.get(name)
    if (byServer !== undefined) rows.push([measure.name, ...chosen.map(server => cell(measure, server, byServer))])
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows
    .map(
      row =>
        `| ${row.map((text, i) => (text === '---' ? '-'.repeat(widths[i]!) : text.padEnd(widths[i]!))).join(' | ')} |`,
    )
    .join('\n')
}

function heading(): string {
  const version = (server: Server) => {
    if (server.package === undefined) return server.name
    const { version } = JSON.parse(readFileSync(here(`${server.package}/package.json`), 'utf8'))
    return `${server.name} ${version}`
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  return [
    `Node ${process.version}, ${process.platform} ${process.arch}, ${machine}`,
    chosen.map(version).join(', '),
    'Floor in its own units; the others as the median of the ratios to floor within a round (quartiles), and their own median.',
  ].join('\n')
}

const names = options.servers?.split(',')
const chosen = servers.filter(({ name, file, package: root }) => {
  if (names !== undefined && !names.includes(name)) return false
  if (root !== '..' || existsSync(here('../dist/runtime/index.js'))) return existsSync(file)
  process.stderr.write('ferrule is left out: run `npm run build` first\n')
  return false
})

await rounds(quick ? 3 : 15, quick ? 5 : 25, 'starts', starts)
await rounds(quick ? 1 : 7, quick ? 5 : 60, 'calls', calls)
await rounds(quick ? 1 : 3, quick ? 5 : 20, 'heap', heap)
await rounds(quick ? 1 : 5, quick ? 5 : 10, 'a long line', lines)
await rounds(quick ? 1 : 3, quick ? 5 : 20, 'small pieces', pieces)

// The framer alone needs a process of its own, with flags of its own.
const framer = spawnSync(process.execPath, ['--import', 'tsx', here('framer.ts'), ...(quick ? ['--quick'] : [])], {
  encoding: 'utf8',
})
if (framer.status !== 0) throw new Error(framer.stderr)

const report = `${heading()}\n\n${table()}\n${framer.stdout}`
process.stdout.write(`\n${report}`)
if (options.write !== undefined) writeFileSync(options.write, report)
