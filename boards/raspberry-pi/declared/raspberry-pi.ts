import type { Actuator, Board, Clock, Sensor } from '../../../runtime/index.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { boardModel } from '../model.ts'
import { withCalibration } from './calibration.ts'
import { type CheckedBoard, checkDeclaration, namesOf } from './check.ts'
import type { CheckedEntry } from './check-entry.ts'
import type { BoardDeclaration } from './declaration.ts'
import type { MadePart } from './driver.ts'
import { type Missing, MissingHardware } from './missing.ts'
import { DeclarationError, type Mistake } from './mistake.ts'
import { Wiring } from './wiring.ts'

/** How a declared board is made. Everything may be left out. */
export interface RaspberryPiOptions extends SystemOptions {
  /** The file that the declaration is from: what messages call it. */
  file?: string
  /** The line in that file where something stands, for messages about it. */
  lineOf?(path: string): number | undefined
  /** Takes what a person should know although the board works; stderr when left out. */
  warn?(text: string): void
  /** The clock that parts wait by; that of the machine when left out. */
  clock?: Clock
}

/**
 * The board that a declaration describes. Nothing of the hardware is touched before the board is opened. A sensor that
 * cannot be had then is told to `warn`, and each of its readings fails until it is there; an output that cannot be had, or
 * not be made safe, fails the start.
 *
 * @throws DeclarationError with all the mistakes in the declaration
 */
export function raspberryPi(declaration: BoardDeclaration, options: RaspberryPiOptions = {}): Board {
  const model = boardModel(options)
  const checked = checkDeclaration(declaration, {
    pairedPWM: model !== undefined && !/\b(5|500)\b|Module 5/.test(model),
  })
  if (Array.isArray(checked)) throw new DeclarationError(...told(checked, declaration, options))
  const parts = partsOf(checked, options)
  const { name, title, description, version } = checked
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(version !== undefined && { version }),
    sensors: Object.fromEntries(checked.sensors.flatMap(entry => sensorsOf(entry, parts))),
    actuators: Object.fromEntries(checked.actuators.map(entry => [entry.name, actuatorOf(entry, parts)])),
    open: () => open([...new Set(parts.values())], model, options),
    close: () => closeAll([...new Set(parts.values())]),
  }
}

interface DeclaredPart {
  readonly part: MadePart
  readonly wiring: Wiring
  /** The entries that are on it. */
  readonly entries: readonly string[]
  readonly moves: boolean
}

function told(
  mistakes: readonly Mistake[],
  declaration: unknown,
  { file, lineOf }: RaspberryPiOptions,
): [string, Mistake[]] {
  const { name } = (declaration ?? {}) as { name?: unknown }
  const lined = mistakes.map(mistake => {
    const line = mistake.line ?? lineOf?.(mistake.path)
    return line === undefined ? mistake : { ...mistake, line }
  })
  return [
    file ?? (typeof name === 'string' ? `the board "${name}"` : 'the board'),
    lined.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  ]
}

/** The part of each entry, by the entry's plan. */
function partsOf({ sensors, actuators }: CheckedBoard, options: RaspberryPiOptions): Map<CheckedEntry, DeclaredPart> {
  const byKey = new Map<string, CheckedEntry[]>()
  for (const entry of [...sensors, ...actuators]) {
    byKey.set(entry.plan.key, [...(byKey.get(entry.plan.key) ?? []), entry])
  }
  const parts = new Map<CheckedEntry, DeclaredPart>()
  for (const entries of byKey.values()) {
    const wiring = new Wiring(options)
    const members = Object.fromEntries(entries.map(({ name, plan }) => [name, plan.member]))
    const part = entries[0]!.plan.make(members, { wiring, ...(options.clock && { clock: options.clock }) })
    const declared = {
      part,
      wiring,
      entries: entries.map(({ name }) => name),
      moves: entries[0]!.driver.does === 'moves',
    }
    for (const entry of entries) parts.set(entry, declared)
  }
  return parts
}

function sensorsOf(entry: CheckedEntry, parts: ReadonlyMap<CheckedEntry, DeclaredPart>): [string, Sensor][] {
  const { name, settings, quantities } = entry
  const own = parts.get(entry)!.part.sensors![name]!
  const { title = titleOf(name), calibration, ...others } = settings
  const several = quantities !== undefined && quantities.length > 1
  return namesOf(name, quantities).map((sensorName, i) => {
    const made = quantities === undefined ? Object.values(own)[0]! : own[quantities[i]!]!
    const meant = calibration === undefined ? made : withCalibration(made, calibration)
    const named = several && made.title !== undefined ? `${title}: ${beginningSmall(made.title)}` : title
    return [sensorName, { ...meant, ...others, title: named }]
  })
}

function actuatorOf(entry: CheckedEntry, parts: ReadonlyMap<CheckedEntry, DeclaredPart>): Actuator<any> {
  const made = parts.get(entry)!.part.actuators![entry.name]!
  return { ...made, title: titleOf(entry.name), ...entry.settings }
}

/**
 * Takes everything: outputs first, which must be had, all at once, so that a slow bus keeps no pin from its safe level; then
 * what only senses, which may come later.
 */
async function open(
  parts: readonly DeclaredPart[],
  model: string | undefined,
  options: RaspberryPiOptions,
): Promise<void> {
  const opened: DeclaredPart[] = []
  const missing: Missing[] = []
  const outputs = parts.filter(({ moves }) => moves)
  const taken = await Promise.all(outputs.map(async one => ({ one, failures: await takeOutput(one) })))
  for (const { one, failures } of taken) {
    if (failures.length === 0) opened.push(one)
    else {
      one.wiring.close()
      missing.push(...failures.map(why => ({ entries: one.entries, why })))
    }
  }
  if (missing.length > 0) {
    await closeAll(opened)
    throw new MissingHardware('outputs', missing, model, options.file)
  }
  for (const { wiring, entries } of parts.filter(({ moves }) => !moves)) {
    missing.push(...(await wiring.take()).map(why => ({ entries, why })))
  }
  if (missing.length === 0) return
  const { warn = text => console.error(text) } = options
  warn(new MissingHardware('sensors', missing, model, options.file).message)
}

async function takeOutput({ wiring, part }: DeclaredPart): Promise<unknown[]> {
  const failures = await wiring.take()
  try {
    if (failures.length === 0) await part.open?.()
  } catch (thrown) {
    failures.push(thrown)
  }
  return failures
}

/** Closes what was opened, the last first, also when one of them fails. */
async function closeAll(parts: readonly DeclaredPart[]): Promise<void> {
  const failures: unknown[] = []
  for (const { part } of [...parts].reverse()) {
    try {
      await part.close()
    } catch (thrown) {
      failures.push(thrown)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** `soil_moisture` is `Soil moisture` for people. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function beginningSmall(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
