import { type FileHandle, open } from 'node:fs/promises'
import type { RecordEntry } from '../../runtime/index.ts'
import { Framer } from '../../runtime/index.ts'
import { entryOf } from './line.ts'
import { oldParts } from './places.ts'

/** Lines that are longer were not written by a recorder. */
const maxLineBytes = 1024 * 1024

/** Takes bytes of a record, and gives its entries. */
export class EntryReader {
  /** How many lines could not be read. */
  broken = 0
  readonly #framer: Framer

  constructor(onEntry: (entry: RecordEntry) => void) {
    const decoder = new TextDecoder('utf-8')
    this.#framer = new Framer({
      maxLineBytes,
      onLine: (bytes, start, end) => {
        const line = decoder.decode(bytes.subarray(start, end))
        if (line.trim() === '') return
        const entry = entryOf(line)
        if (entry === undefined) this.broken++
        else onEntry(entry)
      },
      onOverlong: () => this.broken++,
    })
  }

  push(chunk: Uint8Array): void {
    this.#framer.push(chunk)
  }
}

/** What was found in a record. */
export interface Found {
  /** In the order in which they were written. */
  entries: RecordEntry[]
  /** How many lines could not be read: a loss of power cuts one, for example. */
  broken: number
  /** Where reading ended: the newest file, and the place behind the last whole line in it. */
  end?: Place
}

/** A place in a file, whatever it is called by now. */
export interface Place {
  ino: bigint
  offset: number
}

/**
 * Reads the last entries of a record that are wanted, from the file and from the parts that were put aside.
 *
 * A line `started` is left out when the line of its end is there.
 *
 * @param path the newest part
 * @param last how many are wanted at most
 * @throws what the file system throws, but for a file that is not there
 */
export async function readRecord(
  path: string,
  isWanted: (entry: RecordEntry) => boolean,
  last: number,
): Promise<Found> {
  const parts = await openParts(path)
  const ended = new Set<string>()
  const found: Found = { entries: [], broken: 0 }
  try {
    for (const [index, part] of [...parts.entries()].reverse()) {
      if (found.entries.length >= last) break
      const entries: RecordEntry[] = []
      const reader = new EntryReader(entry => {
        if (isEnd(entry)) ended.add(entry.call!)
        if (isWanted(entry)) entries.push(entry)
        // As many again may be of moves that are over, and fall out below.
        if (entries.length > 4 * last + 1000) entries.splice(0, entries.length - 2 * last)
      })
      const offset = await readOn(part.handle, 0, reader)
      // A last line without its newline may be whole all the same.
      reader.push(newline)
      if (index === parts.length - 1) found.end = { ino: part.ino, offset }
      found.broken += reader.broken
      found.entries.unshift(...entries.filter(entry => isEnd(entry) || !ended.has(entry.call ?? '')))
    }
  } finally {
    for (const { handle } of parts) await handle.close()
  }
  if (found.entries.length > last) found.entries.splice(0, found.entries.length - last)
  return found
}

function isEnd({ call, outcome }: RecordEntry): boolean {
  return call !== undefined && outcome !== 'started'
}

/** A part of a record that is open to be read, whatever it is called by now. */
export interface OpenPart {
  handle: FileHandle
  ino: bigint
}

/**
 * Opens all parts of a record, the oldest first.
 *
 * @throws what the file system throws, but for a file that is not there
 */
export async function openParts(path: string): Promise<OpenPart[]> {
  // First, so that none is missed: when it is put aside now, it is among the old ones a moment later.
  const newest = await openPart(path)
  const parts: OpenPart[] = []
  for (const old of await oldParts(path)) {
    const part = await openPart(old.path)
    if (part === undefined) continue
    if (part.ino === newest?.ino) {
      await part.handle.close()
      break
    }
    parts.push(part)
  }
  return newest === undefined ? parts : [...parts, newest]
}

async function openPart(file: string): Promise<OpenPart | undefined> {
  try {
    const handle = await open(file, 'r')
    return { handle, ino: (await handle.stat({ bigint: true })).ino }
  } catch (thrown) {
    // Nothing was recorded yet, or the part was pruned in the meantime.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

const newline = new Uint8Array([0x0a])

/** Reads a file from a place to its end. Returns the place behind the last newline. */
export async function readOn(handle: FileHandle, from: number, reader: EntryReader): Promise<number> {
  const chunk = new Uint8Array(64 * 1024)
  let position = from
  let behindLine = from
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) return behindLine
    const bytes = chunk.subarray(0, bytesRead)
    const last = bytes.lastIndexOf(newline[0]!)
    if (last !== -1) behindLine = position + last + 1
    position += bytesRead
    reader.push(bytes)
  }
}
