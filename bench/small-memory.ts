/**
 * What flags of Node save and cost, for a board with little memory: whole processes, all profiles in turn.
 *
 *   node --import tsx bench/small-memory.ts [--quick]
 */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Measured } from './process.ts'
import { type Profile, profiles } from './profiles.ts'
import { quantile, table } from './table.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 3
const server = fileURLToPath(new URL('server.mjs', import.meta.url))

const columns = {
  start: { name: 'start, CPU ms', digits: 0 },
  rest: { name: 'resident at rest, MiB', digits: 1 },
  anonymous: { name: 'of it anonymous', digits: 1 },
  after: { name: 'resident after 100,000 calls', digits: 1 },
  peak: { name: 'peak with large answers', digits: 1 },
  call: { name: 'CPU of a call, µs', digits: 1 },
} as const
type Column = keyof typeof columns

/** 64 at once that ask for 100 kB each. */
const largeAnswers = Array.from(
  { length: 64 },
  (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"big","arguments":{"size":100000}}}\n`,
).join('')

const figures = new Map<string, Record<Column, number[]>>()

async function measure({ name, flags = [], env = {}, slow }: Profile, round: number): Promise<void> {
  const noted = figures.get(name) ?? { start: [], rest: [], anonymous: [], after: [], peak: [], call: [] }
  figures.set(name, noted)
  const child = new Measured(server, { flags: [...flags], env: { ...env } })
  await child.greet('legacy')
  noted.start.push(child.cpuMs())
  await child.open('legacy')
  await new Promise(resolve => setTimeout(resolve, 100))
  const { resident, anonymous } = child.memory()
  noted.rest.push(resident)
  noted.anonymous.push(anonymous)
  const calls = quick || slow ? 4000 : 15_000
  await child.calls(calls, 64, 'legacy')
  const before = child.cpuMs()
  await child.calls(calls, 64, 'legacy')
  noted.call.push(((child.cpuMs() - before) * 1000) / calls)
  if (round < (quick || slow ? 1 : 2)) {
    await child.calls(100_000 - 2 * calls, 64, 'legacy')
    noted.after.push(child.memory().resident)
    for (let i = 0; i < 8; i++) await child.exchange(largeAnswers, 64)
    noted.peak.push(child.memory().peak)
  }
  await child.stop()
}

for (let round = 0; round < rounds; round++) {
  for (let i = 0; i < profiles.length; i++) await measure(profiles[(i + round) % profiles.length]!, round)
}
const shown = Object.keys(columns) as Column[]
const usual = figures.get(profiles[0]!.name)!
const rows = profiles.map(({ name }) => {
  const noted = figures.get(name)!
  return [
    name,
    ...shown.map(column => {
      const list = noted[column]
      if (list.length === 0) return '-'
      const median = quantile(list)
      const { digits } = columns[column]
      const difference = median - quantile(usual[column])
      const sign = difference < 0 ? '−' : '+'
      const beside = name === profiles[0]!.name ? '' : ` (${sign}${Math.abs(difference).toFixed(digits)})`
      return `${median.toFixed(digits)}${beside}`
    }),
  ]
})
console.log(table([['started with', ...shown.map(column => columns[column].name)], ...rows]))
