import type { OperatorLimits } from '../../runtime/index.ts'
import { isObject } from '../../runtime/json.ts'

/** Limits as a text that is the same for the same limits, in whatever order they were given; empty for none. */
export function limitsKey(limits: OperatorLimits | undefined): string {
  return limits === undefined ? '' : JSON.stringify(sorted(limits))
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([name, each]) => [name, sorted(each)])
}
