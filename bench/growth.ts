/**
 * What must not grow: the time for a message with the number of tools, sensors, subscriptions and messages before it, the
 * memory with the number of calls, and the time for a MiB with the length of a line, however it is cut.
 *
 *   node --import tsx bench/growth.ts [--quick]
 */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Framer } from '../runtime/framer.ts'
import { changeLoad, flat, type Load, leastCpu } from './growth-loads.ts'
import { Measured } from './process.ts'
import { quantile, slope, table } from './table.ts'

const quick = process.argv.includes('--quick')
const count = (n: number) => n.toLocaleString('en')

async function flatTable(): Promise<string> {
  const columns = [0, 10, 100, 1000, 10_000]
  const rows = [['CPU in µs', 'for so many', ...columns.map(count), 'last : first']]
  for (const growing of flat) {
    const loads: Load[] = []
    for (const size of growing.sizes) loads.push(await growing.make(size))
    await leastCpu(loads, 1000, quick ? 1 : 3)
    const least = await leastCpu(loads, 1000, quick ? 5 : 15)
    for (const load of loads) await load.close()
    const bySize = new Map(growing.sizes.map((size, i) => [size, least[i]!]))
    const cells = columns.map(size => bySize.get(size)?.toFixed(1) ?? '')
    rows.push([growing.name, growing.of, ...cells, (least.at(-1)! / least[0]!).toFixed(2)])
  }
  return table(rows)
}

async function changes(): Promise<string> {
  const total = 1000
  const sizes = [1, 10, 100, 1000]
  const loads: Load[] = []
  for (const size of sizes) loads.push(await changeLoad(size, total))
  await leastCpu(loads, 100, 2)
  const least = await leastCpu(loads, quick ? 50 : 200, quick ? 3 : 9)
  for (const load of loads) await load.close()
  const rows = sizes.map((size, i) => [count(size), least[i]!.toFixed(1), (least[i]! / size).toFixed(2)])
  return table([['subscribers of the sensor', 'CPU of a change, µs', 'for each of them'], ...rows])
}

async function manyCalls(): Promise<string> {
  const windows = 40
  const each = quick ? 2500 : 25_000
  const server = fileURLToPath(new URL('server.mjs', import.meta.url))
  const probe = fileURLToPath(new URL('heap.mjs', import.meta.url))
  const child = new Measured(server, { flags: ['--expose-gc', '--import', probe] })
  await child.open('legacy')
  const heap: [number, number][] = []
  const resident: [number, number][] = []
  const cpu: number[] = []
  for (let window = 1; window <= windows; window++) {
    const before = child.cpuMs()
    await child.calls(each, 64, window % 2 === 0 ? 'modern' : 'legacy')
    cpu.push(((child.cpuMs() - before) * 1000) / each)
    const { after } = await child.heap()
    heap.push([window * each, after])
    resident.push([window * each, child.memory().resident * 2 ** 20])
  }
  await child.stop()
  // What was compiled on the way is no growth.
  const warm = <T>(list: readonly T[]) => list.slice(windows / 5)
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(2)} MiB`
  const row = (name: string, points: readonly [number, number][]) => {
    const kept = warm(points)
    return [name, mebibytes(kept[0]![1]), mebibytes(kept.at(-1)![1]), `${slope(kept).toFixed(3)} B`]
  }
  const fifths = [1, 2, 3, 4].map(part => quantile(cpu.slice((part * windows) / 5, ((part + 1) * windows) / 5)))
  const total = windows * each
  return [
    table([
      [`${count(total)} calls, both eras in turn`, `after ${count(total / 5)}`, 'at the end', 'for each call'],
      row('heap after a collection', heap),
      row('resident', resident),
    ]),
    '',
    `CPU for a call in the second to the last fifth of them: ${fifths.map(part => part.toFixed(1)).join(', ')} µs.`,
  ].join('\n')
}

/** CPU for each MiB of one line of so many bytes, in milliseconds: the least of some. */
function splitting(length: number, chunkBytes: number): number {
  const chunk = Buffer.alloc(chunkBytes, 'x')
  const newline = Buffer.from('\n')
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < (quick ? 2 : 3); round++) {
    let lines = 0
    const framer = new Framer({ maxLineBytes: length, onLine: () => void lines++, onOverlong: () => {} })
    const before = process.cpuUsage()
    for (let at = 0; at < length; at += chunkBytes) framer.push(chunk)
    framer.push(newline)
    const { user, system } = process.cpuUsage(before)
    if (lines !== 1) throw new Error(`${lines} lines came out, not one`)
    least = Math.min(least, (user + system) / 1000 / (length / 2 ** 20))
  }
  return least
}

function lineTable(): string {
  const lengths = [1, 4, 16, 64]
  const rows = [['chunks of', ...lengths.map(length => `${length} MiB`)]]
  for (const chunkBytes of [1, 16, 64, 4096, 65_536]) {
    // A byte at a time, the longest line would take most of the whole run.
    const most = chunkBytes === 1 ? 4 : chunkBytes === 16 || quick ? 16 : 64
    splitting(2 ** 18, chunkBytes)
    const cells = lengths.map(length => (length > most ? '' : splitting(length * 2 ** 20, chunkBytes).toFixed(2)))
    rows.push([`${count(chunkBytes)} B`, ...cells])
  }
  return table(rows)
}

console.log(`
A message costs the same, whatever there is beside it:

${await flatTable()}

A change of one of 1,000 sensors with 1,000 subscriptions costs what its own subscribers cost:

${await changes()}

Memory and time do not grow with what was served:

${await manyCalls()}

One line, CPU for each MiB in ms, by its length and by how it is cut:

${lineTable()}
`)
