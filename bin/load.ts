import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Board, isServer, type Server } from '../runtime/index.ts'
import { type Arguments, builtInDemo, pinOptions, scannedBoard } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { prepareImport } from './resolve.ts'

/** What a server file exports: a board, or a server that the file made itself. */
export type Loaded = { board: Board; server?: undefined } | { server: Server; board?: undefined }

const extensions = ['.ts', '.mts', '.js', '.mjs', '.cts', '.cjs', '.json']
/** JSON files that are beside many server files, and none themselves. */
const otherJson = /^(package(-lock)?|tsconfig.*|mcp|.*\.schema)\.json$/

/**
 * Runs a server file and returns the board or the server that it exports as default, `board` or `server`, also through
 * a function.
 *
 * @param given the options beside it: a board that is scanned has its pins from there
 * @throws Failure with what is wrong and what to do, for the person who wrote the file
 */
export async function load(name: string, given: Pick<Arguments, 'values' | 'lists'> = { values: {} }): Promise<Loaded> {
  if (name === scannedBoard) return { board: await (await import('./scan/board.ts')).boardOfScan(given) }
  checkPins(name, given)
  if (name === builtInDemo) return { board: (await import('../boards/simulated/index.ts')).simulatedGreenhouse() }
  const file = await findFile(name)
  if (extname(file) === '.json') return { board: await (await import('./board-file.ts')).boardOfFile(file, name) }
  await prepareImport(file)
  process.once('beforeExit', unsettled)
  try {
    return await pick(await import(pathToFileURL(file).href), file)
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : (await import('./explain.ts')).explain(thrown, file)
  } finally {
    process.off('beforeExit', unsettled)
  }

  function unsettled() {
    process.stderr.write(`ferrule: ${file} never finishes loading: something that it awaits does not happen\n`)
    process.exit(1)
  }
}

/** Pins are named beside a board that is scanned, and beside no other. */
export function checkPins(name: string, { values }: Pick<Arguments, 'values'>): void {
  const lonely = Object.keys(pinOptions).find(option => values[option] !== undefined)
  if (lonely === undefined || name === scannedBoard) return
  throw new Failure(
    `--${lonely} belongs to ${scannedBoard}: ${name} says itself what it is wired to`,
    exitCodes.wrongUse,
  )
}

/** The absolute path of a server file. Throws a {@link Failure} that names the path, and a similar one if there is. */
export async function findFile(name: string): Promise<string> {
  if (name === scannedBoard) {
    throw new Failure(
      `${name} is no file, and what a scan finds may be another thing tomorrow. Make a file of it, and name that:\n  ferrule scan --write board.json`,
    )
  }
  const file = resolve(name)
  if (!existsSync(file)) {
    const similar = await findSimilar(file)
    throw new Failure(`there is no file ${file}${similar ? `\n  did you mean ${similar}?` : ''}`)
  }
  if (statSync(file).isDirectory()) throw new Failure(`${file} is a folder: name the server file in it`)
  if (extensions.includes(extname(file))) return file
  throw new Failure(`${file} is no server file: its name must end in .json, .ts, .mts, .js or .mjs`)
}

async function findSimilar(file: string): Promise<string | undefined> {
  const folder = dirname(file)
  if (!existsSync(folder)) return undefined
  const names = readdirSync(folder).filter(each => extensions.includes(extname(each)) && !otherJson.test(each))
  const stem = (each: string) => basename(each, extname(each)).toLowerCase()
  const { nearest } = await import('./nearest.ts')
  const found = names.find(each => stem(each) === stem(file)) ?? nearest(basename(file), names)
  return found && join(folder, found)
}

const exportNames = ['default', 'board', 'server']

async function pick(exported: Record<string, unknown>, file: string): Promise<Loaded> {
  for (const name of exportNames) {
    const value = transpiledDefault(exported[name])
    const made = typeof value === 'function' ? await make(value as () => unknown, name, file) : value
    if (isServer(made)) return { server: made }
    if (isBoard(made)) return { board: made }
  }
  throw new Failure(noBoard(exported, file))
}

/** What a compiler turned into CommonJS carries its default export one level deeper. */
function transpiledDefault(value: unknown): unknown {
  const inner = value as { __esModule?: unknown; default?: unknown } | null | undefined
  return inner?.__esModule ? inner.default : value
}

async function make(value: () => unknown, name: string, file: string): Promise<unknown> {
  try {
    return await value()
  } catch (thrown) {
    if (value.length === 0) throw thrown
    const { explain } = await import('./explain.ts')
    throw new Failure(
      [
        explain(thrown, file).message,
        `  The exported function (${name}) asks for ${value.length} argument(s) and is called without any.`,
        '  Export one that needs none: export default () => greenhouse(io)',
      ].join('\n'),
    )
  }
}

function isBoard(value: unknown): value is Board {
  if (typeof value !== 'object' || value === null) return false
  const { name, sensors, actuators } = value as Partial<Board>
  return typeof name === 'string' || typeof sensors === 'object' || typeof actuators === 'object'
}

function noBoard(exported: Record<string, unknown>, file: string): string {
  const names = Object.keys(exported)
  const what = names.length > 0 ? `it exports ${names.join(', ')}, and none of them is one` : 'it exports nothing'
  return [
    `${file} exports no board and no server as default: ${what}. For example:`,
    '',
    '  export default {',
    "    name: 'greenhouse', sensors: { soil_moisture: { unit: '/', read: () => 0.42 } },",
    '  }',
  ].join('\n')
}
