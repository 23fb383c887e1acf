/**
 * What an entry of the record costs in CPU time of all threads, in comparison with turning it into JSON, the floor.
 * The ways that lost are kept: they hold up the server for as long as the disk takes.
 *
 *   npx tsx bench/record.ts [FOLDER]
 */
import { appendFileSync, closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileRecorder } from '../bin/record/file-recorder.ts'
import { recordLine } from '../bin/record/line.ts'
import type { RecordEntry } from '../runtime/index.ts'

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'ferrule-bench-'))
const entries = 2000
const rounds = 15

const entry = (request: number): RecordEntry => ({
  time: new Date(Date.UTC(2026, 0, 31) + request).toISOString(),
  event: 'call',
  board: 'greenhouse',
  tool: 'pump',
  moves: true,
  arguments: { seconds: 5 },
  client: 'claude-desktop 1.2',
  request,
  outcome: 'ran',
  ms: 12,
})

const made = Array.from({ length: entries }, (_, index) => entry(index))
let sink = 0

/** Microseconds of CPU of the whole process, with the threads that write, for each entry. */
async function cost(run: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / entries
}

async function recorded(use: (recorder: FileRecorder) => void): Promise<void> {
  const recorder = new FileRecorder({ path: join(folder, 'record.jsonl') })
  use(recorder)
  await recorder.close()
}

const ways: Record<string, () => void | Promise<void>> = {
  'JSON.stringify': () => {
    for (const each of made) sink += JSON.stringify(each).length
  },
  'a line of the record': () => {
    for (const each of made) sink += recordLine(each).length
  },
  'recorder.record': () =>
    recorded(recorder => {
      for (const each of made) recorder.record(each)
    }),
  'recorder.begin and end': () =>
    recorded(recorder => {
      for (const each of made) recorder.begin(each).end({ outcome: 'ran', ms: 12 })
    }),
  appendFileSync: () => {
    for (const each of made) appendFileSync(join(folder, 'sync.jsonl'), recordLine(each))
  },
  writeSync: () => {
    const fd = openSync(join(folder, 'fd.jsonl'), 'a')
    for (const each of made) writeSync(fd, recordLine(each))
    closeSync(fd)
  },
  'writeSync and fdatasyncSync': () => {
    const fd = openSync(join(folder, 'durable.jsonl'), 'a')
    for (const each of made) {
      writeSync(fd, recordLine(each))
      fdatasyncSync(fd)
    }
    closeSync(fd)
  },
}

const figures: Record<string, number[]> = {}
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(ways)) {
    figures[name] ??= []
    figures[name].push(await cost(run))
  }
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const floor = median(figures['JSON.stringify']!)
for (const [name, values] of Object.entries(figures)) {
  const middle = median(values)
  console.log(
    `${name.padEnd(30)} ${middle.toFixed(2).padStart(8)} µs an entry  ${(middle / floor).toFixed(1).padStart(6)} ×`,
  )
}
rmSync(folder, { recursive: true })
if (sink === 0) process.exitCode = 1
