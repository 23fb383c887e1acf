import type { OpenEntry, RecordEntry } from '../../runtime/index.ts'
import { FileRecorder, type FileRecorderOptions } from './file-recorder.ts'
import type { ClosableRecorder } from './options.ts'
import { recordFolder, recordPath } from './places.ts'

/** A device chooses its name, and may choose another one each time: the files that it fills are bounded. */
const mostBoards = 16

/** A recorder with a file for each board, as soon as a board has something to record. */
export class FolderRecorder implements ClosableRecorder {
  readonly #options: Omit<FileRecorderOptions, 'path'>
  readonly #folder: string
  readonly #files = new Map<string, FileRecorder>()

  constructor(options: Omit<FileRecorderOptions, 'path'>, folder: string = recordFolder()) {
    this.#options = options
    this.#folder = folder
  }

  pathOf(board: string): string {
    const own = recordPath(board, this.#folder)
    const isOwn = this.#files.has(own) || this.#files.size < mostBoards
    return isOwn ? own : recordPath('other-boards', this.#folder)
  }

  record(entry: RecordEntry): void {
    this.#of(entry.board).record(entry)
  }

  begin(entry: RecordEntry): OpenEntry {
    return this.#of(entry.board).begin(entry)
  }

  async flush(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), file => file.flush()))
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), file => file.close()))
  }

  flushNow(): void {
    for (const file of this.#files.values()) file.flushNow()
  }

  #of(board: string): FileRecorder {
    const path = this.pathOf(board)
    let file = this.#files.get(path)
    if (file === undefined) {
      file = new FileRecorder({ ...this.#options, path })
      this.#files.set(path, file)
    }
    return file
  }
}
