/**
 * What it costs that a sensor remembers: memory a sensor, and time a reading against one that remembers nothing.
 *
 *   node --expose-gc --import tsx bench/history.ts
 *
 * On Node 20 and x86-64: 2.3 kB a sensor with the usual 16 changes, of which 1.6 kB are its numbers, and nothing before
 * the first value. A reading takes 0.1 to 0.2 µs more: 1.3 to 1.9 times a reading that is nothing but a random number,
 * and about one hundredth of answering a client that asks for it.
 */
import type { Sensor } from '../runtime/board.ts'
import { systemClock } from '../runtime/clock.ts'
import { SensorReader } from '../runtime/sensor-reader.ts'

const sensors = 10_000
const readings = 1_000_000
const rounds = 7

const kinds: Record<string, Partial<Sensor>> = {
  'remembers nothing': { history: false },
  'as usual': {},
  'with a threshold': { thresholds: [{ above: 9, hysteresis: 1 }] },
}

const { gc } = globalThis as { gc?: () => void }
if (gc === undefined) throw new Error('start it with node --expose-gc')

/** Twice: what holds memory beside the heap lets go of it only after it was collected itself. */
function collect(): void {
  gc!()
  gc!()
}

/** Bytes that a sensor takes after it was read for half an hour. */
function bytesEach(members: Partial<Sensor>): number {
  collect()
  const before = process.memoryUsage()
  let now = Date.now()
  const clock = { ...systemClock, now: () => now }
  const read = () => Math.random()
  const readers = Array.from({ length: sensors }, (_, at) => new SensorReader(`s${at}`, { read, ...members }, clock))
  for (let minute = 0; minute < 30; minute++) {
    now += 60_000
    for (const reader of readers) void reader.read()
  }
  collect()
  const after = process.memoryUsage()
  const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  // Named once more, so that they live until here.
  return Math.round(used / readers.length)
}

function nanosecondsEach(members: Partial<Sensor>): number {
  const reader = new SensorReader('s', { read: () => Math.random() * 10, ...members }, systemClock)
  const start = process.cpuUsage()
  for (let reading = 0; reading < readings; reading++) void reader.read()
  const { user, system } = process.cpuUsage(start)
  return ((user + system) * 1000) / readings
}

const bare = { history: false } as const
bytesEach(bare)
const bareBytes = bytesEach(bare)
for (const [kind, members] of Object.entries(kinds)) {
  const ratios = Array.from({ length: rounds }, () => {
    const base = nanosecondsEach(bare)
    return nanosecondsEach(members) / base
  }).sort((a, b) => a - b)
  const ratio = ratios[Math.floor(rounds / 2)]!.toFixed(2)
  console.log(`${kind}: ${bytesEach(members) - bareBytes} bytes a sensor, ${ratio} times the time of a reading`)
}
