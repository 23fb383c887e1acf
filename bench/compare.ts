import { fileURLToPath } from 'node:url'
import { ByName } from './by-name.ts'
import { type ChartColumn, chart } from './chart.ts'
import { Figures } from './figures.ts'
import { install, modulesRead } from './installed.ts'
import { type MeasureName, measures } from './measures.ts'
import { call, type Era, Measured } from './process.ts'
import { type Server, versionOf } from './servers.ts'
import { quantile, table } from './table.ts'

/** What is compared, in the order in which it is measured. */
export const comparisons = ['starts', 'calls', 'heap', 'lines', 'pieces', 'installed'] as const
export type Comparison = (typeof comparisons)[number]

const heapProbe = fileURLToPath(new URL('heap.mjs', import.meta.url))

/**
 * Whole processes over real pipes. In each round every server is started anew, in turn, and a figure is compared with
 * floor's of the same round; what is told is the median of those ratios and the spread between their quartiles.
 */
export class Compare {
  readonly #servers: readonly Server[]
  readonly #quick: boolean
  readonly #figures = new Figures<MeasureName>(measures)
  readonly #byName: ByName | undefined

  constructor(servers: readonly Server[], quick: boolean) {
    this.#servers = servers
    this.#quick = quick
    const own = servers.find(({ installs }) => installs === 'packed')
    if (own !== undefined) this.#byName = new ByName(own)
  }

  /** Takes back what was written for it. */
  end(): void {
    this.#byName?.remove()
  }

  /** Measures what was asked for. On a busy machine there are fewer rounds. */
  async run(wanted: readonly Comparison[]): Promise<void> {
    const parts: Record<Comparison, [most: number, seconds: number]> = {
      starts: [31, 160],
      calls: [9, 160],
      heap: [3, 45],
      lines: [5, 30],
      pieces: [15, 90],
      installed: [1, 1],
    }
    for (const name of comparisons) {
      if (!wanted.includes(name)) continue
      const [most, seconds] = parts[name]
      const quickly = name === 'starts' ? 3 : 1
      await this.#rounds(this.#quick ? quickly : most, this.#quick ? 10 : seconds, name)
    }
  }

  /** The rows that were measured, as Markdown, and the versions that they are of. */
  report(): string {
    const versions = this.#servers.map(server => [server.name, versionOf(server)].filter(Boolean).join(' '))
    const names = this.#servers.map(({ name }) => name)
    return [
      `${versions.join(', ')}.`,
      'Floor in its own units; the others as **the median of the ratios to floor** within a round (quartiles), then their own median.',
      '',
      table(this.#figures.rows(names)),
    ].join('\n')
  }

  /** The three figures that matter most, as a picture; an SVG. */
  chart(): string {
    const names = this.#servers.map(({ name }) => name)
    const column = (title: string, measure: MeasureName): ChartColumn => ({
      ...measures[measure],
      title,
      figures: names.map(name => this.#figures.median(measure, name)),
    })
    const columns = [
      column('CPU of a start', 'startCpu'),
      column('CPU of a call', 'legacy64'),
      column('memory at rest', 'anonymous'),
    ]
    return chart('What a start, a call and a server at rest take', names, columns, 'ferrule')
  }

  /** Each server in turn, beginning with another one in each round. */
  async #rounds(most: number, mostSeconds: number, name: Comparison): Promise<void> {
    const startedAt = Date.now()
    let round = 0
    for (; round < most && (round === 0 || Date.now() - startedAt < mostSeconds * 1000); round++) {
      for (let i = 0; i < this.#servers.length; i++) {
        await this[name](this.#servers[(i + round) % this.#servers.length]!, round)
      }
    }
    process.stderr.write(`${name}: ${round} rounds, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
  }

  async starts(server: Server, round: number): Promise<void> {
    // A single short start says more of the machine than of the server.
    const times = server.slow ? 1 : 3
    const noted = new Map<MeasureName, number[]>()
    const note = (measure: MeasureName, figure: number) => noted.set(measure, [...(noted.get(measure) ?? []), figure])
    for (let time = 0; time < times; time++) await this.#start(server, note)
    for (const [measure, figures] of noted) this.#note(measure, server, round, quantile(figures))
  }

  async #start(server: Server, note: (measure: MeasureName, figure: number) => void): Promise<void> {
    const greeted = async (started: Server, era: Era, env: Record<string, string> = {}) => {
      const child = start(started, [], env)
      await child.greet(era)
      const figures = { cpu: child.cpuMs(), wall: child.wallMs() }
      await child.stop()
      return figures
    }
    for (const era of server.eras) {
      const { cpu, wall } = await greeted(server, era)
      if (era === 'legacy') note('startWall', wall)
      note(era === 'legacy' ? 'startCpu' : 'startModernCpu', cpu)
    }
    const named = this.#named(server)
    // The others are found by their names in any case, and keep nothing.
    if (named === undefined) return
    note('startNamedCpu', (await greeted(named, 'legacy')).cpu)
    note('startFirstCpu', (await greeted(server, 'legacy', { NODE_DISABLE_COMPILE_CACHE: '1' })).cpu)
  }

  async calls(server: Server, round: number): Promise<void> {
    const fewer = (this.#quick ? 2 : 1) * (server.slow ? 4 : 1)
    // Where a call takes microseconds, fewer of them would say more of the machine than of the server.
    const [many, one] = server.slow ? [15_000, 4000] : [60_000, 12_000]
    const counts = { warm: Math.round(5000 / fewer), many: Math.round(many / fewer), one: Math.round(one / fewer) }
    for (const era of server.eras) {
      const child = start(server)
      await child.open(era)
      if (era === 'legacy') {
        const { resident, anonymous } = await memoryAtRest(child)
        this.#note('resident', server, round, resident)
        this.#note('anonymous', server, round, anonymous)
      }
      const perCall = async (count: number, inFlight: number) => {
        const before = child.cpuMs()
        await child.calls(count, inFlight, era)
        return ((child.cpuMs() - before) * 1000) / count
      }
      await perCall(counts.warm, 64)
      this.#note(era === 'legacy' ? 'legacy64' : 'modern64', server, round, await perCall(counts.many, 64))
      this.#note(era === 'legacy' ? 'legacy1' : 'modern1', server, round, await perCall(counts.one, 1))
      if (era === 'legacy' && !this.#quick && round < (server.slow ? 1 : 3)) {
        await child.calls(100_000 - counts.warm - counts.many - counts.one - 1, 64, era)
        this.#note('residentAfter', server, round, child.memory().resident)
      }
      await child.stop()
    }
    const named = this.#named(server)
    if (named !== undefined) {
      const child = start(named)
      await child.open('legacy')
      this.#note('anonymousNamed', server, round, (await memoryAtRest(child)).anonymous)
      await child.stop()
    }
  }

  async heap(server: Server, round: number): Promise<void> {
    const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256', '--import', heapProbe]
    for (const era of server.eras) {
      const child = start(server, flags)
      await child.open(era)
      const perCall = async (count: number, inFlight: number) => {
        // The first pass makes the code warm: code that was compiled on the way is no cost of a call.
        await child.calls(this.#quick || server.slow ? 1000 : 4000, inFlight, era)
        const { after } = await child.heap()
        await child.calls(count, inFlight, era)
        const { before, collections } = await child.heap()
        if (collections > 0) throw new Error(`${server.name}: ${collections} collections while counting`)
        return (before - after) / count
      }
      const count = this.#quick || server.slow ? 1000 : 2500
      this.#note(era === 'legacy' ? 'heapLegacy64' : 'heapModern64', server, round, await perCall(count, 64))
      this.#note(era === 'legacy' ? 'heapLegacy1' : 'heapModern1', server, round, await perCall(count, 1))
      await child.stop()
    }
  }

  async lines(server: Server, round: number): Promise<void> {
    const child = start(server)
    await child.open('legacy')
    const before = child.cpuMs()
    await child.callOnce(call(2, 'legacy', 'x'.repeat(10_000_000)))
    this.#note('longLine', server, round, child.cpuMs() - before)
    await child.stop()
  }

  async pieces(server: Server, round: number): Promise<void> {
    const sizes: [MeasureName, number][] = [
      ['bytewise64', 64_000],
      ['bytewise256', 256_000],
    ]
    for (const [measure, size] of sizes) {
      if ((server.quadratic && (this.#quick || round > 0)) || (this.#quick && measure === 'bytewise256')) continue
      const child = start(server)
      await child.open('legacy')
      const before = child.cpuMs()
      await child.bytewise(call(2, 'legacy', 'x'.repeat(size)))
      this.#note(measure, server, round, child.cpuMs() - before)
      await child.stop()
    }
  }

  async installed(server: Server): Promise<void> {
    this.#note('modules', server, 0, await modulesRead(server))
    if (this.#quick) return
    try {
      const { packages, bytes, coreBytes } = install(server)
      this.#note('packages', server, 0, packages)
      this.#note('installed', server, 0, bytes / 2 ** 20)
      this.#note('core', server, 0, coreBytes / 2 ** 20)
    } catch (thrown) {
      process.stderr.write(
        `${server.name} could not be installed: ${thrown instanceof Error ? thrown.message : thrown}\n`,
      )
    }
  }

  /** Ferrule's server as it is found by its name; floor, which has no name, to compare it with; nothing for the others. */
  #named(server: Server): Server | undefined {
    if (server.installs === 'packed') return this.#byName?.server
    return server.name === 'floor' ? server : undefined
  }

  #note(measure: MeasureName, server: Server, round: number, figure: number): void {
    this.#figures.note(measure, server.name, round, figure)
  }
}

async function memoryAtRest(child: Measured): Promise<{ resident: number; anonymous: number }> {
  await new Promise(resolve => setTimeout(resolve, 100))
  return child.memory()
}

function start({ file, revision }: Server, flags: string[] = [], env: Record<string, string> = {}): Measured {
  return new Measured(file, { flags, env, ...(revision === undefined ? {} : { revision }) })
}
