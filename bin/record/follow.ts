import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { RecordEntry } from '../../runtime/index.ts'
import { EntryReader, type OpenPart, openParts, type Place, readOn } from './reader.ts'

/** How a record is followed. */
export interface FollowOptions {
  path: string
  /** Where to begin; at the beginning of the file when left out. */
  from?: Place | undefined
  onEntry(entry: RecordEntry): void
  signal: AbortSignal
  /** How often to look, in milliseconds. */
  everyMs?: number
}

interface Part extends OpenPart {
  offset: number
  /** How often nothing new was found in it. */
  quiet: number
}

/** A part that was put aside may still get a line from a process that was about to write it. */
const quietLooks = 10

/**
 * Gives each entry as it is written, through every change of the file, until the signal says that it is enough.
 *
 * It looks again and again instead of being told: a folder on the network or in a container tells nobody.
 */
export async function follow({ path, from, onEntry, signal, everyMs = 200 }: FollowOptions): Promise<void> {
  let parts: Part[] = []
  try {
    parts = await newParts(path, from?.ino, from)
    while (!signal.aborted) {
      for (const part of parts) await readNews(part, onEntry)
      const newest = parts.at(-1)
      const added = (await inodeOf(path)) === newest?.ino ? [] : await newParts(path, newest?.ino)
      parts.push(...added)
      const isOver = (part: Part) => part !== parts.at(-1) && part.quiet >= quietLooks
      for (const part of parts.filter(isOver)) await part.handle.close()
      parts = parts.filter(part => !isOver(part))
      if (added.length === 0) await delay(everyMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    for (const { handle } of parts) await handle.close()
  }
}

async function readNews(part: Part, onEntry: (entry: RecordEntry) => void): Promise<void> {
  const { size } = await part.handle.stat()
  // Emptied by hand.
  if (size < part.offset) part.offset = 0
  if (size === part.offset) {
    part.quiet++
    return
  }
  const offset = await readOn(part.handle, part.offset, new EntryReader(onEntry))
  part.quiet = offset === part.offset ? part.quiet + 1 : 0
  part.offset = offset
}

/**
 * Opens the parts that are newer than the one with this inode; only the newest when there is no such one. The part in
 * which reading begins is among them.
 */
async function newParts(path: string, known: bigint | undefined, from?: Place): Promise<Part[]> {
  const parts = await openParts(path)
  const at = parts.findIndex(({ ino }) => ino === known)
  const first = at === -1 ? parts.length - 1 : from === undefined ? at + 1 : at
  for (const { handle } of parts.splice(0, Math.max(0, first))) await handle.close()
  return parts.map(({ handle, ino }) => ({ handle, ino, offset: ino === from?.ino ? from.offset : 0, quiet: 0 }))
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(() => undefined))?.ino
}
