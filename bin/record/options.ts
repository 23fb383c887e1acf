import type { Recorder } from '../../runtime/index.ts'
import type { Arguments, Option } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'

/** The options of every command that serves a board. */
export const recordOptions = {
  record: { value: 'FILE', help: 'where every call is recorded: a file, or off ("ferrule log" shows it)' },
  'record-bytes': { value: 'N', count: true, help: 'the most that the record takes on the disk (4194304)' },
  'record-fsync': { help: 'nothing moves before the disk has the entry of it' },
  'record-required': { help: 'nothing moves that cannot be recorded' },
} as const satisfies Record<string, Option>

/** A recorder that is closed when the server is. */
export interface ClosableRecorder extends Recorder {
  /** The file in which the entries of a board are. */
  pathOf(board: string): string
  /** Resolves when everything so far is written, or cannot be. Never rejects. */
  flush(): Promise<void>
  /** Writes what is left, but does not wait for it for long. What comes afterwards is not recorded. */
  close(): Promise<void>
  /** The last resort, for `process.on('exit')`: writes what is left without waiting for anything. Never throws. */
  flushNow(): void
}

const leastBytes = 4096

/**
 * The recorder that the options of a command ask for; nothing when the record is off. Without `--record` it is a file
 * for each board in the user's state folder. What is left is written when the process ends, however it does.
 *
 * @param say takes a line for the operator
 * @throws Failure for options that contradict each other
 */
export async function recorderOf(
  values: Arguments['values'],
  say: (text: string) => void,
): Promise<ClosableRecorder | undefined> {
  const { record: path, 'record-bytes': bytes } = values
  const fsync = values['record-fsync'] === true
  const required = values['record-required'] === true
  if (path === 'off') {
    const lonely = Object.keys(recordOptions).find(name => name !== 'record' && values[name] !== undefined)
    if (lonely !== undefined) throw new Failure(`--${lonely} and --record off do not go together`, exitCodes.wrongUse)
    return undefined
  }
  if (bytes !== undefined && Number(bytes) < leastBytes) {
    throw new Failure(`--record-bytes is ${leastBytes} or more, not ${bytes}`, exitCodes.wrongUse)
  }
  const options = { fsync, required, say, ...(bytes !== undefined && { totalBytes: Number(bytes) }) }
  const recorder =
    path === undefined
      ? new (await import('./folder-recorder.ts')).FolderRecorder(options)
      : new (await import('./file-recorder.ts')).FileRecorder({ ...options, path: String(path) })
  process.once('exit', () => recorder.flushNow())
  return recorder
}
