import type { ActuatorRunner } from './actuator-runner.ts'
import { type Readback, readbackOf } from './actuator-tool.ts'
import type { Actuator, Board, Sensor } from './board.ts'
import type { Call } from './call.ts'
import type { Confirmations } from './confirmations.ts'
import type { ToolResult } from './content.ts'
import { type Tool, tool } from './definitions.ts'
import { isObject } from './json.ts'
import type { SensorReader } from './sensor-reader.ts'

/** What became of one output at a stop. */
export interface StoppedOutput {
  actuator: string
  /**
   * `confirmed`: a sensor shows that it is safe. `set`: it was put into its safe state, and no sensor can tell. `unconfirmed`:
   * it was put there, and the sensor that can tell shows something else, or nothing. `failed`: it could not be put there.
   * `none`: it has no safe state, on purpose.
   */
  state: 'confirmed' | 'set' | 'unconfirmed' | 'failed' | 'none'
  readback?: Readback
}

/** What a stop did. */
export interface StopReport {
  outputs: StoppedOutput[]
  /** What went wrong, for people. */
  failures: string[]
}

/** What the tools that stop and arm need of the server. */
export interface StopToolsOptions {
  readonly board: Board
  readonly stop: (by: string) => Promise<StopReport>
  readonly arm: (by: string) => Promise<void>
  readonly confirmations: Confirmations
}

/** The names that these tools have in every server. */
export const stopToolNames = ['stop_all', 'arm_outputs'] as const

/** `stop_all` and, where something stays off after a stop, `arm_outputs`. */
export function stopTools(options: StopToolsOptions): Record<string, Tool<any>> {
  const actuators = Object.values(options.board.actuators ?? {})
  if (actuators.length === 0) return {}
  const stays = actuators.some(({ arming }) => arming !== false)
  return { stop_all: stopAll(options, stays), ...(stays ? { arm_outputs: armOutputs(options) } : {}) }
}

function stopAll({ board, stop }: StopToolsOptions, stays: boolean): Tool<any> {
  return tool({
    title: `Stop everything on ${board.title ?? board.name}`,
    description:
      'Puts every output into its safe state at once, ahead of everything that runs or waits. Always allowed, and never ' +
      `asks. Says which outputs a sensor shows as safe.${stays ? ' Afterwards they stay off until a person arms them.' : ''}`,
    inputSchema: { type: 'object', additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        outputs: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              actuator: { type: 'string' },
              state: { type: 'string', enum: ['confirmed', 'set', 'unconfirmed', 'failed', 'none'] },
              readback: { type: 'object' },
            },
            required: ['actuator', 'state'],
          },
        },
        failures: { type: 'array', items: { type: 'string' } },
      },
      required: ['outputs', 'failures'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'read',
    async call(_args, call): Promise<ToolResult> {
      const report = await stop(callerOf(call))
      return {
        content: [{ type: 'text', text: words(report) }],
        structuredContent: { ...report },
        ...(report.failures.length > 0 ? { isError: true } : {}),
      }
    },
  })
}

function armOutputs({ board, arm, confirmations }: StopToolsOptions): Tool<any> {
  return tool({
    title: `Arm the outputs of ${board.title ?? board.name}`,
    description:
      'Asks the person in front of the host whether the outputs may move again after a stop, and arms them then.',
    inputSchema: { type: 'object', additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    access: 'act',
    async call(_args, call) {
      const name = board.title ?? board.name
      const message = `May the outputs of ${name} move again? See that nobody is in the way.`
      const work = () => arm(callerOf(call))
      const question = { name: 'arm_outputs', args: '', message, instead: 'They can run: ferrule arm' }
      await (call.access === 'person' ? work() : confirmations.agreed(question, call, work))
      return `The outputs of ${name} are armed: they may move again.`
    },
  })
}

function callerOf(call: Call): string {
  return call.clientInfo?.name ?? 'a client'
}

/** What became of each output, as far as a sensor tells. */
export async function stoppedOutputs(
  runners: readonly ActuatorRunner[],
  failed: ReadonlySet<string>,
  sensors: readonly SensorReader[],
): Promise<StoppedOutput[]> {
  for (const sensor of sensors) sensor.forget()
  return Promise.all(
    runners.map(async ({ name, actuator }): Promise<StoppedOutput> => {
      const readback = await readbackOf(actuator.readback, sensors)
      const shown = readback === undefined ? {} : { readback }
      if (failed.has(name)) return { actuator: name, state: 'failed', ...shown }
      if (actuator.safe === null) return { actuator: name, state: 'none', ...shown }
      const sensor = sensors.find(each => each.name === readback?.sensor)?.sensor
      const expected = sensor === undefined ? undefined : safeReadingOf(actuator, sensor)
      if (expected === undefined) return { actuator: name, state: 'set', ...shown }
      const confirmed = isReading(expected, readback?.value, sensor?.deadBand ?? 0)
      return { actuator: name, state: confirmed ? 'confirmed' : 'unconfirmed', ...shown }
    }),
  )
}

/** What the sensor shows while the actuator is safe; nothing when it cannot tell. */
function safeReadingOf({ safeReading, safe }: Actuator<any>, { type }: Sensor): Actuator['safeReading'] {
  if (safeReading !== undefined || type !== 'boolean' || !isObject(safe)) return safeReading
  const [expected, ...more] = Object.values(safe)
  const isOnOff = typeof expected === 'boolean' || typeof expected === 'number'
  return more.length === 0 && isOnOff ? Boolean(expected) : undefined
}

function isReading(expected: NonNullable<Actuator['safeReading']>, value: unknown, deadBand: number): boolean {
  if (typeof value !== 'number') return value === expected
  if (typeof expected === 'object') return value >= expected[0] && value <= expected[1]
  return Math.abs(value - Number(expected)) <= deadBand
}

function valueText({ value, unit }: Readback): string {
  return unit === undefined ? `${value}` : `${value} ${unit}`
}

const stateWords: Record<StoppedOutput['state'], string> = {
  confirmed: 'safe, as its sensor shows',
  set: 'put into its safe state; no sensor can tell',
  unconfirmed: 'put into its safe state, but its sensor does not show it: look at it',
  failed: 'NOT SAFE: it could not be put into its safe state. Switch it off by hand',
  none: 'has no safe state',
}

function words({ outputs, failures }: StopReport): string {
  const lines = outputs.map(({ actuator, state, readback }) => {
    const seen = readback?.value === undefined ? '' : ` (${readback.sensor}: ${valueText(readback)})`
    return `${actuator}: ${stateWords[state]}${seen}`
  })
  return ['Stopped.', ...lines, ...failures].join('\n')
}
