import { type ActuatorRules, isSafe } from './actuator-rules.ts'
import type { ActuatorRunner } from './actuator-runner.ts'
import type { Actuator, Board } from './board.ts'
import { BusyLoop, loopAdvice } from './busy-loop.ts'
import type { Call } from './call.ts'
import type { Clock } from './clock.ts'
import type { Confirmations } from './confirmations.ts'
import type { ToolResult } from './content.ts'
import { type Tool, type ToolAnnotations, tool } from './definitions.ts'
import { publicMessage } from './errors.ts'
import type { TimedValue } from './history/timed-value.ts'
import { toJson } from './json.ts'
import type { OperatorLimits } from './operator-limits.ts'
import * as deferredLimits from './operator-limits.ts'
import type { InputSchema, JsonSchema } from './schema/types.ts'
import { noArguments } from './schema.ts'
import type { Moves, SensorReader } from './sensor-reader.ts'
import { isThenable } from './thenable.ts'
import { isToolResult, StructuredAnswer } from './tool-answer.ts'

/** What the tool of an actuator is made with. */
export interface ActuatorToolOptions {
  readonly board: Board
  readonly runner: ActuatorRunner
  readonly rules: ActuatorRules
  readonly sensors: readonly SensorReader[]
  readonly moves: Moves
  readonly limits: OperatorLimits
  readonly confirmations: Confirmations
  readonly clock: Clock
  /** Resolves when the hardware is open; nothing when it is. */
  readonly ready: () => Promise<void> | undefined
}

/** A move that may take longer than this is offered as a task: hosts give up on a request about then. */
const longestInlineMs = 60_000

/** An actuator as a tool: the operator's limits, the person's word, the move, and what the sensors say of it. */
export function actuatorTool(options: ActuatorToolOptions): Tool<any> {
  const { runner, limits, clock } = options
  const { actuator, name } = runner
  const { title, audience } = actuator
  const description = descriptionOf(actuator)
  const limited = limits.allow?.[name] !== undefined
  const loop = new BusyLoop(clock)
  const advice = loopAdvice(
    name,
    'A model is too slow to regulate. Give the board a set point that it keeps by itself, or look at the sensors at longer intervals.',
  )
  const call = limits.dryRun === true ? dryRun(options) : move(options)
  return tool({
    ...(title === undefined ? {} : { title }),
    ...(description === '' ? {} : { description }),
    inputSchema: ((limited ? deferredLimits.narrowedSchema(name, actuator, limits) : actuator.inputSchema) ??
      noArguments) as InputSchema,
    outputSchema: limits.dryRun === true ? dryRunSchema(name) : (actuator.outputSchema ?? moveSchema(name, actuator)),
    annotations: annotationsOf(actuator),
    task: actuator.task ?? ((actuator.timeoutMs ?? 0) > longestInlineMs ? 'optional' : 'never'),
    access: audience === 'person' ? 'person' : 'act',
    call(args: unknown, from: Call) {
      const isLoop = loop.comes()
      if (limited) deferredLimits.checkUse(name, actuator, args, limits)
      const outcome = call(args, from)
      if (!isLoop) return outcome
      return isThenable(outcome) ? outcome.then(told => advised(told, advice)) : advised(outcome, advice)
    },
  })
}

/** What it is, and what it keeps to: the model reads the rules nowhere else. */
function descriptionOf({ description, ...actuator }: Actuator<any>): string {
  const { holdForMs, minIntervalMs, maxRate, group, confirm, arming, readback } = actuator
  const sentences = [
    description,
    holdForMs !== undefined && `It goes back to its safe state by itself after ${seconds(holdForMs)}.`,
    minIntervalMs !== undefined && `It moves at most once in ${seconds(minIntervalMs)}.`,
    maxRate !== undefined && `It changes by at most ${maxRate} a second.`,
    group !== undefined && `Of the group "${group}" only one may be on.`,
    confirm === 'each' && 'A person is asked before each move.',
    confirm === 'first' && 'A person is asked before its first move.',
    arming === true && 'After a start or a stop it stays off until a person arms the outputs.',
    readback !== undefined && `The sensor ${readback} shows its effect.`,
  ]
  return sentences.filter(sentence => typeof sentence === 'string' && sentence !== '').join(' ')
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`
}

/** Silence means dangerous: whoever wrote the actuator knows what it moves, nobody else does. */
function annotationsOf({ reversible, absolute, reachesBeyond, confirm }: Actuator<any>): ToolAnnotations {
  return {
    readOnlyHint: false,
    destructiveHint: reversible !== true || confirm === 'each',
    idempotentHint: absolute === true,
    openWorldHint: reachesBeyond === true,
  }
}

/** Moves it. Nothing is waited for that is there already: a promise for each step takes longer than the rest of a call. */
type Mover = (args: unknown, call: Call) => unknown

function move(options: ActuatorToolOptions): Mover {
  const { runner, sensors, moves, ready } = options
  const { actuator, name } = runner
  const { confirm = 'never' } = actuator
  /** How often moves had been broken off when a person last agreed. */
  let agreedAt = -1

  return (args, call) => {
    const opening = ready()
    return opening === undefined ? moved(args, call) : onceOpen(opening, args, call)
  }

  async function onceOpen(opening: Promise<void>, args: unknown, call: Call): Promise<unknown> {
    await opening
    // Cancelled while the hardware was opened: it never moves.
    call.signal.throwIfAborted()
    return moved(args, call)
  }

  function moved(args: unknown, call: Call): unknown {
    const { breaks } = runner
    const asks = confirm === 'each' || (confirm === 'first' && agreedAt !== breaks)
    // A person who works it has decided already, and the way to safety is always open.
    const outcome =
      asks && !isByPerson(call) && !isSafe(actuator, args) ? agreed(args, call, breaks) : runner.run(args, call, breaks)
    return isThenable(outcome) ? outcome.then(came => readBack(args, came)) : readBack(args, outcome)
  }

  function agreed(args: unknown, call: Call, breaks: number): Promise<unknown> {
    return options.confirmations.agreed(questionOf(options, args), call, async () => {
      const outcome = await runner.run(args, call, breaks)
      agreedAt = breaks
      return outcome
    })
  }

  function readBack(args: unknown, outcome: unknown): unknown {
    moves.count++
    const readback = readbackOf(actuator.readback, sensors)
    return isThenable(readback) ? readback.then(read => tell(args, outcome, read)) : tell(args, outcome, readback)
  }

  function tell(args: unknown, outcome: unknown, readback: Readback | undefined): unknown {
    if (actuator.outputSchema !== undefined) return readback === undefined ? outcome : besides(outcome, readback)
    return new StructuredAnswer({
      actuator: name,
      set: args,
      ...(outcome === undefined ? {} : { outcome }),
      ...(readback === undefined ? {} : { readback }),
    })
  }
}

/** Says what would happen, and moves nothing. */
function dryRun({ runner: { name }, rules }: ActuatorToolOptions): Mover {
  return args => {
    const refusal = rules.refusal(name, args)
    const text =
      refusal === undefined
        ? `Dry run: ${name} would be moved with ${toJson(args)}. Nothing was moved.`
        : `Dry run: this would be refused. ${refusal.message}`
    return {
      content: [{ type: 'text', text }],
      structuredContent: { dryRun: true, actuator: name, set: args, wouldMove: refusal === undefined },
    } satisfies ToolResult
  }
}

function isByPerson(call: Call): boolean {
  return call.access === 'person'
}

function questionOf({ board, runner: { name, actuator } }: ActuatorToolOptions, args: unknown) {
  const json = toJson(args)
  const what = actuator.title === undefined ? name : `${actuator.title} (${name})`
  return {
    name,
    args: json,
    message: `May the model move ${what} of ${board.title ?? board.name}? ${json.slice(0, 500)}`,
  }
}

/** What a sensor said after a move. */
export interface Readback {
  sensor: string
  value?: number | boolean | string
  unit?: string
  /** Why there is no value. */
  error?: string
}

/** Reads the sensor that shows the effect of an actuator; nothing when there is none. */
export function readbackOf(
  name: string | undefined,
  sensors: readonly SensorReader[],
): Readback | undefined | Promise<Readback> {
  const reader = name === undefined ? undefined : sensors.find(each => each.name === name)
  if (reader === undefined) return undefined
  try {
    const taken = reader.read()
    if (!isThenable(taken)) return shownBy(reader, taken)
    return taken.then(
      came => shownBy(reader, came),
      thrown => notRead(reader, thrown),
    )
  } catch (thrown) {
    return notRead(reader, thrown)
  }
}

function shownBy({ name, sensor: { unit } }: SensorReader, { value }: TimedValue): Readback {
  const shown = value instanceof Uint8Array ? `${value.length} bytes` : value
  return unit === undefined ? { sensor: name, value: shown } : { sensor: name, value: shown, unit }
}

function notRead({ name }: SensorReader, thrown: unknown): Readback {
  return { sensor: name, error: publicMessage(thrown) }
}

/** Beside an outcome whose form is the actuator's own. */
function besides(outcome: unknown, readback: Readback): StructuredAnswer {
  return new StructuredAnswer(outcome, [readbackText(readback)])
}

function readbackText({ sensor, value, unit = '', error }: Readback): string {
  return error === undefined ? `Read back: ${sensor} is ${value} ${unit}`.trim() : `Not read back: ${error}`
}

function advised(outcome: unknown, advice: string): StructuredAnswer | ToolResult {
  if (isToolResult(outcome)) return { ...outcome, content: [...outcome.content, { type: 'text', text: advice }] }
  if (!(outcome instanceof StructuredAnswer)) return new StructuredAnswer(outcome, [advice])
  return new StructuredAnswer(outcome.structuredContent, [...outcome.remarks, advice])
}

const readbackSchema = {
  type: 'object',
  properties: { sensor: { type: 'string' }, value: {}, unit: { type: 'string' }, error: { type: 'string' } },
  required: ['sensor'],
} as const

function moveSchema(name: string, { readback }: Actuator<any>): JsonSchema {
  return {
    type: 'object',
    properties: {
      actuator: { const: name },
      set: { type: 'object' },
      outcome: {},
      ...(readback === undefined ? {} : { readback: readbackSchema }),
    },
    required: ['actuator', 'set'],
  }
}

function dryRunSchema(name: string): JsonSchema {
  return {
    type: 'object',
    properties: {
      dryRun: { const: true },
      actuator: { const: name },
      set: { type: 'object' },
      wouldMove: { type: 'boolean' },
    },
    required: ['dryRun', 'actuator', 'set', 'wouldMove'],
  }
}
