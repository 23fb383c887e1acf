import { existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import process from 'node:process'
import { type BoardEntry, hex, sensorEntries, suggestions } from '../../boards/raspberry-pi/scan/board-entries.ts'
import { isEmpty, type Scan, scan } from '../../boards/raspberry-pi/scan/index.ts'
import { portHolders } from '../../transports/serial/index.ts'
import type { Arguments } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { entryText, nextText, nothingText, scanText, suggestionText } from './text.ts'

/** `ferrule scan`: shows what is connected to this board, and writes a first board file. */
export async function run({ values, lists = {} }: Arguments): Promise<void> {
  const file = values.write === undefined ? undefined : String(values.write)
  const force = values.force === true
  if (force && file === undefined) throw new Failure('--force belongs to --write FILE', exitCodes.wrongUse)
  if (file !== undefined) checkTarget(file, force)
  const found = await scan({ usedBy, ...(lists.bus !== undefined && { buses: lists.bus.map(busNumber) }) })
  const colours = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR
  const print = (text: string) => void process.stdout.write(text)
  process.exitCode = report(found, {
    ...(file !== undefined && { file }),
    force,
    json: values.json === true,
    colours,
    print,
  })
}

/** What becomes of a scan. */
export interface ReportOptions {
  /** The board file to write. */
  file?: string
  /** Overwrites it. */
  force?: boolean
  json?: boolean
  colours?: boolean
  print(text: string): void
}

/**
 * Prints a scan, and writes what was found into a board file.
 *
 * @returns the exit code
 * @throws Failure when the file cannot be written
 */
export function report(
  found: Scan,
  { file, force = false, json = false, colours = false, print }: ReportOptions,
): number {
  const entries = sensorEntries(found)
  const sensors = Object.fromEntries(entries.map(({ key, entry }) => [key, entry]))
  if (json) print(`${JSON.stringify(jsonOf(found, sensors), null, 2)}\n`)
  else print(isEmpty(found) ? nothingText(process.platform) : scanText(found, entries, { colours }))
  if (entries.length === 0) {
    if (file !== undefined) throw new Failure(`${file} is not written: no sensor was found that could stand in it`)
    return exitCodes.failed
  }
  if (file !== undefined) writeFileSync(file, fileText(file, sensors), { flag: force ? 'w' : 'wx' })
  if (json) return exitCodes.ok
  if (file !== undefined) print(suggestionText(suggestions(found), { colours }))
  print(nextText(file, entries.length, { colours }))
  return exitCodes.ok
}

function checkTarget(file: string, force: boolean): void {
  const wrong = (text: string) => new Failure(text, exitCodes.wrongUse)
  if (extname(file) !== '.json') throw wrong(`--write ${file}: the name of a board file ends in .json`)
  if (!existsSync(dirname(resolve(file)))) throw wrong(`--write ${file}: there is no folder ${dirname(resolve(file))}`)
  if (existsSync(file) && !force) {
    throw new Failure(`${file} is there already: name another file, or have it overwritten with --force`)
  }
}

function busNumber(text: string): number {
  const [, number] = /^(?:i2c-)?(\d{1,4})$/.exec(text) ?? []
  if (number === undefined)
    throw new Failure(`--bus is the number of an I2C bus, such as 1, not ${text}`, exitCodes.wrongUse)
  return Number(number)
}

async function usedBy(path: string): Promise<string | undefined> {
  const holders = await portHolders(path).catch(() => [])
  const other = holders.find(({ pid }) => pid !== process.pid)
  return other && `${other.command} (process ${other.pid})`
}

/** The board file: one line for each sensor, since that is how it is read and edited. */
function fileText(file: string, sensors: Record<string, BoardEntry>): string {
  const schema = './node_modules/ferrule/dist/boards/raspberry-pi/board.schema.json'
  const entries = Object.entries(sensors).map(([key, entry]) => `    ${JSON.stringify(key)}: ${entryText(entry)}`)
  return [
    '{',
    ...(existsSync(join(dirname(resolve(file)), schema)) ? [`  "$schema": ${JSON.stringify(schema)},`] : []),
    `  "name": ${JSON.stringify(boardName(file))},`,
    '  "sensors": {',
    entries.join(',\n'),
    '  },',
    '  "actuators": {}',
    '}',
    '',
  ].join('\n')
}

/** What the file is called, or where that says nothing, what the computer is called. */
function boardName(file: string): string {
  const stem = basename(file, extname(file))
  const words = stem === 'board' ? [hostname(), 'board'] : [stem, 'board']
  const names = words.map(word =>
    word
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[^A-Za-z]+|-+$/g, '')
      .slice(0, 64),
  )
  return names.find(name => name !== '')!
}

/** The whole scan, its parts by their names, and what would stand in a board file. */
function jsonOf({ i2c, ...others }: Scan, sensors: Record<string, BoardEntry>): object {
  return {
    ...others,
    i2c: i2c.map(({ chips, ...bus }) => ({
      ...bus,
      chips: chips.map(({ bus: _, address, part, maybe, ...chip }) => ({
        address: hex(address),
        ...chip,
        ...(part !== undefined && { part: part.name, what: part.what }),
        ...(maybe.length > 0 && { maybe: maybe.map(({ name }) => name) }),
      })),
    })),
    sensors,
  }
}
