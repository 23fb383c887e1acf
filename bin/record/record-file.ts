import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nextPart, oldParts } from './places.ts'

/** How a {@link RecordFile} is made. */
export interface RecordFileOptions {
  path: string
  /** The file is put aside before it would have more bytes than this. */
  partBytes: number
  /** The file and all parts that were put aside have no more bytes than this together. */
  totalBytes: number
  /** A part is on the disk before it is left for the next. */
  fsync: boolean
}

interface Opened {
  handle: FileHandle
  ino: bigint
  dev: bigint
  /** A device or a pipe has no size, is not put aside, and has no last line to look at. */
  isFile: boolean
  /** The size after what this process wrote last. */
  size: number
}

const newline = 0x0a
/** How far back the last resort looks for what was being written. */
const tailBytes = 64 * 1024

/**
 * The file of a record and the parts that were put aside. Lines are only ever added, whole, at the end (O_APPEND).
 *
 * Any number of processes may write the same one, and none of them may hold up another or leave a lock behind when it is
 * killed. So there is no lock: a full file is put aside by one `rename` to a name that nobody else chooses, and who finds
 * another file at the path than the one it has open goes over to it.
 */
export class RecordFile {
  readonly #options: RecordFileOptions
  #opened: Opened | undefined = undefined
  /** The last line may be half a one: what comes next begins on a line of its own. */
  #torn = false
  #unsynced = false

  constructor(options: RecordFileOptions) {
    this.#options = options
  }

  /**
   * Adds the first lines of `lines`, as many as there is room for: one at least.
   *
   * @param lines each with its newline
   * @returns how many of them are in the file
   * @throws what the file system throws when none is
   */
  async append(lines: readonly string[]): Promise<number> {
    for (let tries = 0; ; tries++) {
      const opened = await this.#current()
      const [count, bytes] = this.#fitting(lines, opened)
      if (count === 0) {
        await this.#putAside(opened)
        continue
      }
      const text = this.#torn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes
      const { bytesWritten } = await opened.handle.write(text)
      this.#unsynced = true
      const landed = bytesWritten === text.length ? count : wholeLines(text, bytesWritten) - (this.#torn ? 1 : 0)
      if (bytesWritten > 0) this.#torn = text[bytesWritten - 1] !== newline
      const { nlink, size } = await opened.handle.stat()
      opened.size = size
      // Put aside and pruned by another process in the meantime: the lines went with it.
      if (opened.isFile && nlink === 0 && tries < 3) continue
      if (landed > 0) return landed
      // Half a line is all that there was room for; why there is no more is what the next try is told.
      if (tries >= 3) throw new Error('there is no room for a whole line')
    }
  }

  /** Resolves when what was added is on the disk. */
  async sync(): Promise<void> {
    if (!this.#unsynced || this.#opened === undefined) return
    if (this.#opened.isFile) await this.#opened.handle.datasync()
    this.#unsynced = false
  }

  /** @throws what the file system throws when not all of it can be brought to the disk, where that was asked for */
  async close(): Promise<void> {
    const opened = this.#opened
    try {
      if (this.#options.fsync) await this.sync()
    } finally {
      this.#opened = undefined
      this.#unsynced = false
      await opened?.handle.close().catch(() => {})
    }
  }

  /**
   * Adds lines for a process that ends now and can wait for nothing.
   *
   * @param lines each with its newline
   * @param writing those that were being added when it ended: they are added if they are not there yet
   * @throws what the file system throws
   */
  appendNow(lines: readonly string[], writing: readonly string[]): void {
    const fd = openSync(this.#options.path, 'a+', 0o600)
    try {
      const stats = fstatSync(fd)
      const tail = Buffer.alloc(
        stats.isFile() ? Math.min(stats.size, tailBytes + Buffer.byteLength(writing.join(''))) : 0,
      )
      readSync(fd, tail, 0, tail.length, stats.size - tail.length)
      const missing = writing.filter(line => !tail.includes(line))
      const text = [...missing, ...lines].join('')
      if (text !== '') writeSync(fd, tail.length > 0 && tail.at(-1) !== newline ? `\n${text}` : text)
    } finally {
      closeSync(fd)
    }
  }

  /** The file at the path, which may be another one than before. */
  async #current(): Promise<Opened> {
    const { path } = this.#options
    const found = await stat(path, { bigint: true }).catch(absent)
    let opened = this.#opened
    if (opened !== undefined && (found?.ino !== opened.ino || found.dev !== opened.dev)) {
      await this.close()
      opened = undefined
    }
    if (opened === undefined) return this.#open()
    const size = Number(found!.size)
    if (opened.isFile && size !== opened.size) {
      // Somebody else wrote, and may have been killed in the middle of a line.
      this.#torn = await endsInsideLine(opened.handle, size)
      opened.size = size
    }
    return opened
  }

  async #open(): Promise<Opened> {
    const { path } = this.#options
    const handle = await open(path, 'a+', 0o600).catch(async (thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return open(path, 'a+', 0o600)
    })
    try {
      const stats = await handle.stat({ bigint: true })
      // Nobody may read at its other end, and a process cannot end while it is being written to.
      if (stats.isFIFO()) throw new Error('it is a pipe, and has to be a file')
      const [isFile, size] = [stats.isFile(), Number(stats.size)]
      this.#torn = isFile && (await endsInsideLine(handle, size))
      this.#opened = { handle, ino: stats.ino, dev: stats.dev, isFile, size }
      if (isFile && size === 0) await syncFolder(dirname(path))
      return this.#opened
    } catch (thrown) {
      await handle.close().catch(() => {})
      throw thrown
    }
  }

  /** How many lines fit into the open file, and their bytes. A file that is empty takes one however long it is. */
  #fitting(lines: readonly string[], { isFile, size }: Opened): [number, Buffer] {
    if (!isFile) return [lines.length, Buffer.from(lines.join(''))]
    let room = this.#options.partBytes - size - (this.#torn ? 1 : 0)
    let count = 0
    for (const line of lines) {
      room -= Buffer.byteLength(line)
      if (room < 0 && (count > 0 || size > 0)) break
      count++
    }
    return [count, Buffer.from(lines.slice(0, count).join(''))]
  }

  async #putAside(full: Opened): Promise<void> {
    const { path, partBytes, totalBytes } = this.#options
    await this.close()
    const part = await nextPart(path)
    // Gone already when another process was quicker.
    const isMoved = await rename(path, part).then(() => true, absent)
    if (isMoved === true) {
      const moved = await stat(part, { bigint: true }).catch(absent)
      // Another process put the full one aside at the same time and began a new one: that one stands behind it.
      if (moved !== undefined && moved.ino !== full.ino) await rename(part, await nextPart(path)).catch(absent)
    }
    let total = partBytes
    for (const old of (await oldParts(path)).reverse()) {
      total += (await stat(old.path).catch(absent))?.size ?? 0
      if (total > totalBytes) await rm(old.path, { force: true })
    }
  }
}

function absent(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== 'ENOENT') throw thrown
  return undefined
}

async function endsInsideLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return bytesRead === 1 && buffer[0] !== newline
}

/** So that a new file is still there after a loss of power. Not every file system can do it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close().catch(() => {})
}

function wholeLines(text: Uint8Array, end: number): number {
  let count = 0
  for (let at = text.indexOf(newline); at !== -1 && at < end; at = text.indexOf(newline, at + 1)) count++
  return count
}
