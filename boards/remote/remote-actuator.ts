import type { Actuator, JsonSchema } from '../../runtime/index.ts'
import type { DeviceAccess } from './device-access.ts'
import { cleanText, ownWords } from './device-text.ts'
import { Hint, inputSchemaOf, type LinkActuator, type LinkValue } from './link/index.ts'
import { jsonOf, linkArguments } from './link-values.ts'
import { moveFailure, wasMadeSafe } from './outcomes.ts'
import { positive, textOf } from './remote-sensor.ts'

const defaultTimeMs = 60_000
/**
 * An actuator of a device, by its number there. The device keeps its own limits; what is said here is for whoever calls.
 *
 * @param readback the name of the sensor that shows its effect
 */
export function remoteActuator(
  number: number,
  described: LinkActuator,
  device: DeviceAccess,
  readback: string | undefined,
): Actuator<JsonSchema> {
  const { arguments: args } = described
  const safe = safeOf(described)
  const timeMs = device.answerMs ?? positive(described.timeoutMs) ?? defaultTimeMs
  let isSafe = false
  return {
    ...textOf('title', described.title),
    ...textOf('description', ownWords(described.description, 1000), 1100),
    inputSchema: inputSchemaOf(args.map(cleanArgument)),
    ...outputOf(described.output),
    ...rulesOf(described),
    ...(readback !== undefined && { readback }),
    safe,
    // The device is first to say that it took too long: it has made the move safe by then.
    timeoutMs: timeMs + device.patienceMs + 5000,
    async set(values, call) {
      const isToSafe = values === safe
      // What the device broke off is safe already, by its own word.
      if (isToSafe && isSafe) return undefined
      isSafe = false
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

/** What is said of it, by the words of a board. The device keeps its rules by itself; asking a person is for the host. */
function rulesOf({ hints, confirm, audience, ...described }: LinkActuator): Partial<Actuator<JsonSchema>> {
  const { holdForMs, minIntervalMs, maxRate, group, arming } = described
  return {
    selfKept: true,
    ...((hints & Hint.notDestructive) !== 0 && { reversible: true }),
    ...((hints & Hint.idempotent) !== 0 && { absolute: true }),
    ...((hints & Hint.closedWorld) === 0 && { reachesBeyond: true }),
    ...(positive(holdForMs) && described.safe !== null && described.safe !== undefined && { holdForMs: holdForMs! }),
    ...(positive(minIntervalMs) && { minIntervalMs: minIntervalMs! }),
    ...(positive(maxRate) && { maxRate: maxRate! }),
    ...(group !== undefined && described.safe !== null && described.safe !== undefined && { group: String(group) }),
    // What is not known is taken for the stricter one.
    ...(confirm !== undefined && confirm !== 0 && { confirm: confirm === 1 ? 'first' : 'each' }),
    ...(audience !== undefined && audience !== 0 && { audience: 'person' }),
    ...(arming === true && { arming }),
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
