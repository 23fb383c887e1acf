/**
 * Milliseconds by a clock that nobody sets. `performance.now()` is the same, and the first look at it loads all that
 * Node measures with.
 */
export function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
