/** A value at a time, in milliseconds. */
export interface Sample {
  time: number
  value: number
}

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** A range of values. */
export interface Range {
  min: number
  max: number
}

/** What moves less than this part of its own size is noise, and is drawn as the nearly flat line that it is. */
const leastSpread = 0.01

/**
 * A line chart one row high: the values of the last `spanMs` milliseconds up to `now`, in `width` characters. A value
 * holds until the next one, since a sensor is silent while nothing changes. Before the first value it is blank.
 *
 * @param scale what the foot and the top of the chart stand for; what the values need when left out
 */
export function sparkline(
  samples: readonly Sample[],
  now: number,
  spanMs: number,
  width: number,
  scale?: Range,
): string {
  const columns: (number | undefined)[] = []
  // Moving on by whole columns only, the chart stands still in between instead of shimmering.
  const step = spanMs / width
  const start = Math.ceil(now / step) * step - spanMs
  let next = 0
  let held: number | undefined
  for (let column = 0; column < width; column++) {
    const end = start + (column + 1) * step
    while (next < samples.length && samples[next]!.time <= end) held = samples[next++]!.value
    columns.push(held)
  }
  const { min, max } = scale ?? scaleOf(columns.filter(value => value !== undefined))
  return columns.map(value => (value === undefined ? ' ' : block((value - min) / (max - min)))).join('')
}

function scaleOf(values: readonly number[]): Range {
  const min = Math.min(...values)
  const max = Math.max(...values)
  const least = leastSpread * Math.max(Math.abs(min), Math.abs(max))
  if (max - min >= least && max > min) return { min, max }
  const middle = (min + max) / 2
  const half = Math.max(least, Number.EPSILON) / 2
  // A little above the foot, where a line that does not move is seen as one.
  return { min: middle - half / 2, max: middle + half * 1.5 }
}

function block(part: number): string {
  return blocks[Math.max(0, Math.min(blocks.length - 1, Math.floor(part * blocks.length)))]!
}

/** The least and the greatest value that held within the last `spanMs` milliseconds. */
export function range(samples: readonly Sample[], now: number, spanMs: number): Range | undefined {
  const start = now - spanMs
  const heldBefore = samples.findLast(({ time }) => time <= start)
  const values = samples.filter(({ time }) => time > start).map(({ value }) => value)
  if (heldBefore) values.push(heldBefore.value)
  return values.length > 0 ? { min: Math.min(...values), max: Math.max(...values) } : undefined
}

/** Drops the samples that no chart of `spanMs` can show any more, but for the one that still holds at its left edge. */
export function forget(samples: Sample[], now: number, spanMs: number): void {
  const firstShown = samples.findIndex(({ time }) => time > now - spanMs)
  const drop = (firstShown === -1 ? samples.length : firstShown) - 1
  if (drop > 0) samples.splice(0, drop)
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar that is filled from the left to `part` of 1. */
export function bar(part: number, width: number): string {
  const filled = Math.max(0, Math.min(1, part)) * width
  const whole = Math.floor(filled)
  const text = '█'.repeat(whole) + (whole < width ? eighths[Math.floor((filled - whole) * 8)] : '')
  return text.padEnd(width, '·')
}
