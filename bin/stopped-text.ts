import type { StoppedOutput, StopReport } from '../runtime/index.ts'

const words: Record<StoppedOutput['state'], string> = {
  confirmed: 'safe, as its sensor shows',
  set: 'set to its safe state; no sensor shows it',
  none: 'has no safe state',
  unconfirmed: 'set to its safe state, but its sensor does not show it: look at it',
  failed: 'NOT SAFE: it could not be set. Switch it off by hand',
}

const safeStates: readonly StoppedOutput['state'][] = ['confirmed', 'set', 'none']

/** Whether all outputs of a board are safe, as far as can be told. */
export function isSafe({ outputs, failures }: StopReport): boolean {
  return failures.length === 0 && outputs.every(({ state }) => safeStates.includes(state))
}

/** What became of the outputs of a board, a line each. */
export function stoppedLines({ outputs, failures }: StopReport): string[] {
  const width = Math.max(0, ...outputs.map(({ actuator }) => actuator.length))
  return [
    ...outputs.map(({ actuator, state, readback }) => {
      const { sensor, value, unit = '' } = readback ?? {}
      const seen = value === undefined ? '' : ` (${sensor}: ${`${value} ${unit}`.trim()})`
      return `  ${actuator.padEnd(width)}  ${words[state]}${seen}`
    }),
    ...failures.map(failure => `  ${failure}`),
  ]
}
