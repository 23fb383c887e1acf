import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RecordEntry } from '../runtime/index.ts'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { filterOf, fits } from './record/filter.ts'
import { safeJson } from './record/line.ts'
import { namesIn, oldParts, recordFolder, recordFolders, recordPath } from './record/places.ts'
import { readRecord } from './record/reader.ts'
import { columnsOf, entryText } from './record/shown.ts'

const usualLast = 50

/** `ferrule log`: shows what models did with a board. */
export async function run({ positionals, values, lists }: Arguments): Promise<void> {
  const filter = filterOf({ values, ...(lists !== undefined && { lists }) }, Date.now())
  const path = await recordNamed(positionals[0], values.follow === true)
  const last = lastOf(values)
  const isWanted = (entry: RecordEntry) => fits(entry, filter)
  const found = await asFailure(path, readRecord(path, isWanted, last))

  const stop = new AbortController()
  // Whoever reads it has seen enough, as head has.
  process.stdout.on('error', () => stop.abort())
  const columns = columnsOf(found.entries)
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  const print = (entry: RecordEntry) =>
    process.stdout.write(`${values.json === true ? safeJson(entry) : entryText(entry, columns, colours)}\n`)

  for (const entry of found.entries) print(entry)
  if (found.broken > 0)
    tell(`${count(found.broken, 'line')} of the record cannot be read and ${isOrAre(found.broken)} left out`)
  if (values.follow !== true) {
    if (found.entries.length === 0) tell('no entry fits')
    return
  }
  const { follow } = await import('./record/follow.ts')
  const onEntry = (entry: RecordEntry) => {
    if (isWanted(entry)) print(entry)
  }
  await asFailure(path, follow({ path, from: found.end, onEntry, signal: stop.signal }))
}

function lastOf({ last, since }: Arguments['values']): number {
  // Who says from when on wants all of it.
  return last === undefined ? (since === undefined ? usualLast : Number.POSITIVE_INFINITY) : Number(last)
}

/** The file that is meant: by its path, by the board's name, or because it is the only one. */
async function recordNamed(word: string | undefined, mayCome: boolean): Promise<string> {
  if (word === undefined) return onlyRecord()
  const isName = /^[A-Za-z0-9_-]+$/.test(word)
  const folders = isName ? await recordFolders() : []
  for (const path of [resolve(word), ...folders.map(folder => recordPath(word, folder))]) {
    if (existsSync(path) || (await asFailure(path, oldParts(path))).length > 0) return path
  }
  if (mayCome && !isName) return resolve(word)
  const names = await recordedBoards()
  const known = names.length === 0 ? '' : `; there are records of ${names.join(', ')}`
  throw new Failure(
    isName
      ? `there is no record of a board ${word} in ${recordFolder()}, and no file of that name${known}`
      : `${word} is not there${known}`,
  )
}

async function onlyRecord(): Promise<string> {
  const names = await recordedBoards()
  if (names.length === 1) return recordNamed(names[0]!, false)
  if (names.length > 1) throw new Failure(`which one? ferrule log ${names.join(', or ')}`, exitCodes.wrongUse)
  throw new Failure(
    `nothing was recorded yet in ${recordFolder()}: a server that was started with --record FILE has its record there`,
  )
}

async function recordedBoards(): Promise<string[]> {
  const all = await Promise.all((await recordFolders()).map(folder => asFailure(folder, namesIn(folder))))
  return all
    .flat()
    .flatMap(name => /^([A-Za-z0-9_-]+)(?:\.\d+-[a-z0-9]+)?\.jsonl$/.exec(name)?.[1] ?? [])
    .filter(isFirst)
    .sort()
}

function isFirst(name: string, index: number, names: readonly string[]): boolean {
  return names.indexOf(name) === index
}

async function asFailure<T>(path: string, promise: Promise<T>): Promise<T> {
  return promise.catch((thrown: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read: ${thrown.message}`)
  })
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

function isOrAre(amount: number): string {
  return amount === 1 ? 'is' : 'are'
}

function tell(text: string): void {
  process.stderr.write(`ferrule: ${text}\n`)
}
