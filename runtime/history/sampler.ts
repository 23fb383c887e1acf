import type { Clock } from '../clock.ts'
import type { SensorReader } from '../sensor-reader.ts'

const shortestMs = 10

/**
 * Reads sensors in the background, each at its `history.everyMs`, until the function that it returns is called. The
 * period begins when the reading before is over: a slow sensor is read less often, and never twice at once.
 */
export function sample(readers: readonly SensorReader[], clock: Clock): () => void {
  const stops = readers.flatMap(reader => {
    const { history, ttlMs = 0 } = reader.sensor
    const everyMs = history === false ? undefined : history?.everyMs
    return everyMs === undefined ? [] : [sampleOne(reader, Math.max(everyMs, ttlMs, shortestMs), clock)]
  })
  return () => {
    for (const stop of stops) stop()
  }
}

function sampleOne(reader: SensorReader, periodMs: number, clock: Clock): () => void {
  let stopped = false
  let timer: unknown
  const again = () => {
    if (!stopped) timer = clock.setTimeout(take, periodMs)
  }
  const take = () => {
    // What fails is in the history already.
    reading(reader).then(again, again)
  }
  take()
  return () => {
    stopped = true
    clock.clearTimeout(timer)
  }
}

async function reading(reader: SensorReader): Promise<void> {
  await reader.read()
}
