/**
 * Everything that is measured of the runtime, in one run: `npm run bench`. See README.md in this folder.
 *
 *   npm run bench -- [--quick] [--write] [--only starts,calls,heap,lines,pieces,installed,framer,growth,memory]
 *                    [--servers floor,ferrule]
 */
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Compare, comparisons } from './compare.ts'
import { measuredOn } from './machine.ts'
import { installPeers } from './peers.ts'
import { writeChart, writeSection } from './report.ts'
import { isInstalled, servers } from './servers.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    servers: { type: 'string' },
  },
})
const { quick } = options

/** What runs as a program of its own, with flags of its own, and prints its section: name, and the file. */
const programs = { framer: 'framer.ts', growth: 'growth.ts', memory: 'small-memory.ts' }
const parts = [...comparisons, ...Object.keys(programs)]
const wanted = options.only?.split(',') ?? parts
for (const name of wanted) {
  if (!parts.includes(name)) throw new Error(`there is no part "${name}": the parts are ${parts.join(', ')}`)
}
const names = options.servers?.split(',') ?? servers.map(({ name }) => name)
if (
  options.write &&
  (options.servers !== undefined || comparisons.some(name => wanted.includes(name) !== wanted.includes('starts')))
) {
  throw new Error('--write takes the comparison as a whole: leave --servers out, and name all of its parts or none')
}

function tell(section: string, text: string): void {
  const whole = `${measuredOn(quick)}.\n\n${text.trim()}`
  process.stdout.write(`\n${whole}\n`)
  if (options.write) writeSection(section, whole)
}

const compared = comparisons.filter(name => wanted.includes(name))
if (compared.length > 0) {
  if (names.some(name => name === 'fastmcp' || name === 'mcp-lite')) await installPeers()
  const chosen = servers.filter(server => names.includes(server.name) && isInstalled(server))
  if (names.includes('ferrule') && !chosen.some(({ name }) => name === 'ferrule')) {
    throw new Error('ferrule is not built: run `npm run build` first')
  }
  const compare = new Compare(chosen, quick)
  try {
    await compare.run(compared)
  } finally {
    compare.end()
  }
  tell('compared', compare.report())
  if (options.write) writeChart(compare.chart())
}
for (const [name, file] of Object.entries(programs)) {
  if (!wanted.includes(name)) continue
  const startedAt = Date.now()
  const args = ['--import', 'tsx', fileURLToPath(new URL(file, import.meta.url)), ...(quick ? ['--quick'] : [])]
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${file} ended with ${status}`)
  process.stderr.write(`${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
  tell(name, stdout)
}
