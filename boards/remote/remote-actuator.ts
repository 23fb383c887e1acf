import type { Actuator, ActuatorAnnotations, Call, JsonSchema } from '../../runtime/index.ts'
import type { DeviceAccess } from './device-access.ts'
import { cleanText, ownWords } from './device-text.ts'
import { DescriptionHash } from './link/description.ts'
import { Hint, inputSchemaOf, type LinkActuator, type LinkValue } from './link/index.ts'
import { jsonOf, linkArguments } from './link-values.ts'
import { moveFailure, wasMadeSafe } from './outcomes.ts'
import { positive, textOf } from './remote-sensor.ts'

const defaultTimeMs = 60_000
/** How long a person may take to agree, in milliseconds. */
const questionMs = 10 * 60_000

/** `confirm` of a description: who is asked before a move. */
const Confirm = Object.freeze({ never: 0, first: 1, each: 2 })

/**
 * An actuator of a device, by its number there. The device keeps its own limits; what is said here is for whoever calls.
 *
 * @param readback the name of the sensor that shows its effect
 */
export function remoteActuator(
  name: string,
  number: number,
  described: LinkActuator,
  device: DeviceAccess,
  readback: string | undefined,
): Actuator<JsonSchema> {
  const { arguments: args, confirm = Confirm.never } = described
  const safe = safeOf(described)
  const timeMs = device.answerMs ?? positive(described.timeoutMs) ?? defaultTimeMs
  const asks = confirm !== Confirm.never
  let confirmed = false
  let isSafe = false
  return {
    ...textOf('title', described.title),
    ...textOf('description', descriptionOf(described, readback), 1400),
    inputSchema: inputSchemaOf(args.map(cleanArgument)),
    ...outputOf(described.output),
    annotations: annotationsOf(described.hints),
    safe,
    // The device is first to say that it took too long: it has made the move safe by then.
    timeoutMs: timeMs + device.patienceMs + 5000 + (asks ? questionMs : 0),
    async set(values, call) {
      const isToSafe = values === safe
      // What the device broke off is safe already, by its own word.
      if (isToSafe && isSafe) return undefined
      isSafe = false
      if (!isToSafe && (confirm === Confirm.each || (asks && !confirmed))) {
        await askPerson(described.title ?? name, values, device.name, call)
        confirmed = true
      }
      try {
        const outcome = await device.call(number, linkArguments(args, values), {
          signal: call.signal,
          timeMs,
          onProgress: (progress, total, text) =>
            call.progress(progress, total, text === undefined ? undefined : cleanText(text)),
        })
        return outcome === null ? undefined : jsonOf(outcome)
      } catch (thrown) {
        isSafe = wasMadeSafe(thrown)
        throw moveFailure(thrown, device.name, readback)
      }
    },
  }
}

/** Arguments of the safe state by name; `null` when there are none. */
function safeOf({ arguments: args, safe }: LinkActuator): Record<string, unknown> | null {
  if (safe === undefined || safe === null) return null
  if (args[0]?.name === '') {
    const [all] = safe
    return typeof all === 'object' && all !== null && !Array.isArray(all)
      ? (jsonOf(all) as Record<string, unknown>)
      : null
  }
  const given = args.flatMap(({ name }, at): [string, unknown][] => {
    const value: LinkValue = safe[at] ?? null
    return value === null ? [] : [[name, jsonOf(value)]]
  })
  return Object.fromEntries(given)
}

function annotationsOf(hints: number): ActuatorAnnotations {
  return {
    destructiveHint: (hints & Hint.notDestructive) === 0,
    idempotentHint: (hints & Hint.idempotent) !== 0,
    openWorldHint: (hints & Hint.closedWorld) === 0,
  }
}

function cleanArgument<A extends { title?: string; description?: string }>({ title, description, ...argument }: A) {
  return { ...argument, ...textOf('title', title), ...textOf('description', description, 600) } as unknown as A
}

function outputOf(text: string | undefined): { outputSchema?: JsonSchema } {
  if (text === undefined) return {}
  try {
    const schema: unknown = JSON.parse(text)
    return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
      ? { outputSchema: schema as JsonSchema }
      : {}
  } catch {
    return {}
  }
}

/** What the device keeps to, in words: the model reads them nowhere else. */
function descriptionOf({ description, ...described }: LinkActuator, readback: string | undefined): string {
  const { holdForMs, minIntervalMs, maxRate, confirm = Confirm.never, arming } = described
  const text = ownWords(description, 1000)
  const limits = [
    positive(holdForMs) && `It goes back to its safe state by itself after ${seconds(holdForMs!)}.`,
    positive(minIntervalMs) && `It moves at most once in ${seconds(minIntervalMs!)}.`,
    positive(maxRate) && `It changes by at most ${maxRate} a second.`,
    confirm === Confirm.each && 'A person is asked before each move.',
    confirm === Confirm.first && 'A person is asked before its first move.',
    arming === true && 'After a stop or a restart it stays off until a person arms it.',
    readback !== undefined && `The sensor ${readback} shows its effect.`,
  ]
  return [text, ...limits].filter(part => typeof part === 'string' && part !== '').join(' ')
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`
}

async function askPerson(what: string, values: unknown, device: string, call: Call): Promise<void> {
  if (call.clientCapabilities.elicitation === undefined) {
    throw new Error(
      `${device} wants a person to agree to it, and this host cannot ask one: nothing was moved. Use a host that can (MCP elicitation)`,
    )
  }
  const json = JSON.stringify(values)
  const { action } = await call.elicit({
    message: `Move "${cleanText(what, 80).replaceAll('"', "'")}" of ${device}? ${cleanText(json, 500)}`,
    requestedSchema: { type: 'object', properties: {} },
    // Whoever agreed to one move has not agreed to another.
    key: `confirm_${hashed(json)}`,
  })
  if (action !== 'accept') throw new Error('the person did not agree, and nothing was moved')
}

function hashed(text: string): string {
  const hash = new DescriptionHash()
  for (const byte of new TextEncoder().encode(text)) hash.byte(byte)
  return hash.value.toString(16)
}
