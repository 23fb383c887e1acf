import type { ClientInfo } from './call.ts'
import type { RequestId } from './json-rpc.ts'

/** What an entry of the record is about. `gap` is written by a recorder that had to leave entries out. */
export type RecordEvent =
  | 'call'
  | 'stop'
  | 'arm'
  | 'disarm'
  | 'safe'
  | 'open'
  | 'close'
  | 'confirm'
  | 'description'
  | 'gap'

/**
 * How it ended. `started` stands for a move of which the end is not known: it still runs, or the program died in it.
 * `asked`: somebody is asked first, and the call comes again with the answer. `unknown` is the end of a move that may or may not have happened, such as one behind a cable that was pulled.
 */
export type RecordOutcome = 'started' | 'asked' | 'ran' | 'refused' | 'cancelled' | 'failed' | 'unknown' | 'dry-run'

/** One line of the record: what was asked of a server, by whom, and what came of it. It never holds a secret. */
export interface RecordEntry {
  /** When it began: ISO 8601 in UTC with milliseconds. */
  readonly time: string
  readonly event: RecordEvent
  /** The board's name. */
  readonly board: string
  /** The tool that was called: an actuator's name, or that of another tool. */
  readonly tool?: string
  /** The tool moves something: it is an actuator. */
  readonly moves?: boolean
  /** The arguments as they came, but bounded and without what the schema calls secret: see `argumentsRecorder`. */
  readonly arguments?: unknown
  /** Who asked: name and version as the client gives them, and the name of its token where it has one. */
  readonly client?: string
  /** The id of the JSON-RPC request. */
  readonly request?: RequestId
  /** Joins a line `started` to the line of its end. Absent where one line says it all. */
  readonly call?: string
  readonly outcome?: RecordOutcome
  /** What the person answered who was asked first. Nothing else of an answer is recorded. */
  readonly answer?: 'accept' | 'decline' | 'cancel'
  /** Why it was refused or failed, or what an event is about. */
  readonly reason?: string
  /** What a sensor said afterwards. */
  readonly readback?: { readonly sensor: string; readonly value: unknown; readonly unit?: string }
  /** How long it took, in milliseconds. */
  readonly ms?: number
  /** So many calls that only read, alike in everything, stand together in this line: from `time` until `until`. */
  readonly times?: number
  readonly until?: string
}

/** What is known only when a call is over. */
export type RecordEnd = Pick<RecordEntry, 'outcome' | 'answer' | 'reason' | 'readback' | 'ms'>

/** A call that was begun and is not over. */
export interface OpenEntry {
  /**
   * Nothing: go on at once. A promise: the record asks to be waited for before anything moves. It rejects, with a
   * sentence for the model, when nothing may move because a record is required and cannot be written.
   */
  readonly ready: Promise<void> | undefined
  /**
   * The call is over. Only the first time counts.
   *
   * @returns a promise to wait for before the call is answered, or nothing. It never rejects.
   */
  end(how: RecordEnd): Promise<void> | undefined
}

/**
 * Keeps a record of what a server was asked to do. Neither method throws or takes long. Entries are data: whoever gives
 * one does not change it afterwards.
 */
export interface Recorder {
  /** Takes an entry about something that is over. */
  record(entry: RecordEntry): void
  /**
   * A call begins. Its one line is written when it is over. A move is the exception: when it takes long, or when the
   * record has to be on the disk before anything moves, a line `started` comes first, so that a crash leaves a trace.
   */
  begin(entry: RecordEntry): OpenEntry
}

const longestClient = 100

/** Who a client is, for the record: `claude-desktop 1.2`, and the name of its token where it has one. */
export function recordedClient(info: ClientInfo | undefined, token?: string): string | undefined {
  const name = info === undefined ? undefined : `${info.name} ${info.version ?? ''}`.trim()
  const text = token === undefined ? name : name === undefined ? token : `${name} (${token})`
  return text?.slice(0, longestClient)
}
