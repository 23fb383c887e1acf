import type { Clock } from './clock.ts'

/**
 * A promise's outcome, if it comes in time.
 *
 * @param late makes the error when it does not
 */
export function within<T>(
  promise: T | Promise<T>,
  ms: number,
  clock: Clock,
  late: () => Error = () => new Error(`not done after ${ms / 1000} s`),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => reject(late()), ms)
    Promise.resolve(promise).then(
      value => {
        clock.clearTimeout(timer)
        resolve(value)
      },
      thrown => {
        clock.clearTimeout(timer)
        reject(thrown)
      },
    )
  })
}
