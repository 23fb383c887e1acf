/**
 * A device on a real pty, in a process of its own, and who calls it: the compact link beside MCP in lines of JSON, and
 * what the bridge adds. One call is in flight at a time. All callers have their turn in each round, so whatever else the
 * machine does is done to all of them; what is added is the difference to the device alone within a round.
 *
 *   npx tsx bench/link.ts [--quick] [--profile FOLDER]
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Between, bridge, type Caller, copier, ended, overJson, overLink, through } from './link-callers.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Where the bridges leave their CPU profiles. */
    profile: { type: 'string' },
  },
})
const baud = 115_200
const callsInRound = 50
/** So long all callers together are made warm, and measured, in milliseconds. */
const [warmMs, measuredMs] = options.quick ? [4000, 5000] : [12_000, 25_000]

/** What was measured of a caller: milliseconds of each call, by round, and its bytes. */
class Figures {
  readonly rounds: number[][] = []
  readonly out: number[] = []
  readonly back: number[] = []

  get all(): number[] {
    return this.rounds.flat()
  }

  /** The bytes of a call in the middle. Ids grow, and some need an escape. */
  get bytes(): number {
    return quantile(
      this.out.map((out, i) => out + this.back[i]!),
      0.5,
    )
  }
}

function quantile(list: readonly number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * q)]!
}

const spread = (list: readonly number[], digits = 3) =>
  `**${quantile(list, 0.5).toFixed(digits)}** (${quantile(list, 0.25).toFixed(digits)}-${quantile(list, 0.75).toFixed(digits)})`

async function measure(callers: readonly Caller[]): Promise<Map<Caller, Figures>> {
  const figures = new Map(callers.map(caller => [caller, new Figures()]))
  let calls = 0
  const some = async (caller: Caller, count: number, into?: Figures) => {
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const before = performance.now()
      const bytes = await caller.call(++calls)
      times.push(performance.now() - before)
      if (bytes === undefined || into === undefined) continue
      into.out.push(bytes[0])
      into.back.push(bytes[1])
    }
    into?.rounds.push(times)
  }
  const roundsFor = async (ms: number, into?: Map<Caller, Figures>) => {
    const until = performance.now() + ms
    for (let round = 0; performance.now() < until; round++) {
      for (let i = 0; i < callers.length; i++) {
        const caller = callers[(i + round) % callers.length]!
        await some(caller, callsInRound, into?.get(caller))
      }
    }
  }
  await roundsFor(warmMs)
  await roundsFor(measuredMs, figures)
  return figures
}

function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const line = (row: string[]) => `| ${row.map((text, i) => text.padEnd(widths[i]!)).join(' | ')} |`
  return [line(rows[0]!), line(widths.map(width => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n')
}

function report(figures: Map<Caller, Figures>): string {
  const alone = [['device alone', 'calls a second', 'ms a call', 'bytes there', 'back', `ms at ${baud} baud`]]
  const between = [['through the bridge', 'ms a call', 'added, ms', `ms at ${baud} baud`]]
  for (const [caller, own] of figures) {
    const wireMs = ({ bytes }: Figures) => (bytes * 10_000) / baud
    if (caller.alone === undefined) {
      const perSecond = 1000 / (own.all.reduce((sum, ms) => sum + ms, 0) / own.all.length)
      const bytes = [own.out, own.back].map(list => String(quantile(list, 0.5)))
      alone.push([caller.name, perSecond.toFixed(0), spread(own.all), ...bytes, wireMs(own).toFixed(2)])
    } else {
      const base = figures.get(caller.alone)!
      const added = own.rounds.map((times, round) => quantile(times, 0.5) - quantile(base.rounds[round]!, 0.5))
      const atBaud = wireMs(base) + quantile(own.all, 0.5)
      between.push([caller.name, spread(own.all), spread(added), atBaud.toFixed(2)])
    }
  }
  const { length, 0: cpu } = cpus()
  const rounds = [...figures.values()][0]!.rounds.length
  return [
    `Node ${process.version}, ${process.platform} ${process.arch}, ${length} x ${cpu?.model.trim()}, load ${loadavg()[0]!.toFixed(1)}`,
    `One call in flight, ${rounds} rounds of ${callsInRound} calls. **Median** (quartiles). At ${baud} baud: bytes x 10 / baud on top.`,
    '',
    table(alone),
    '',
    table(between),
    '',
  ].join('\n')
}

const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
const profile = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile]
/** A port with this firmware for each: no two may have the same. */
const firmware = ['link', 'json', 'json', 'link', 'link', 'json', 'json']
const device = fork(fileURLToPath(new URL('link-device.ts', import.meta.url)), firmware)
const paths = await new Promise<string[]>(resolve => device.once('message', found => resolve(found as string[])))
const port = (number: number) => paths[number]!
const bridged = (number: number) => [...profile, ...bridge(port(number))]

const link = await overLink(port(0))
const legacy = await overJson(port(1), 'legacy')
const modern = await overJson(port(2), 'modern')
const between: Omit<Between, 'folder'>[] = [
  { name: 'the compact link', command: bridged(3), era: 'legacy', alone: link },
  { name: 'the compact link', command: bridged(4), era: 'modern', alone: link },
  { name: 'the same, by a second copy', command: bridged(4), era: 'modern', alone: link },
  { name: 'a device that speaks MCP', command: bridged(5), era: 'modern', alone: modern },
  { name: 'bytes that are only copied', command: copier(port(6)), era: 'modern', alone: modern },
]
const callers = [link, legacy, modern]
for (const each of between) callers.push(await through({ ...each, folder }))

process.stdout.write(report(await measure(callers)))
for (const caller of callers.reverse()) await caller.close()
await ended(device, () => device.disconnect())
rmSync(folder, { recursive: true, force: true })
