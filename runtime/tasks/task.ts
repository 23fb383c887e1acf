import type { Access } from '../access.ts'
import type { InputRequest } from '../eras/era.ts'
import type { RpcError } from '../errors.ts'

/** Whether a tool may be called as a task: a handle that the client polls, for work that takes minutes. */
export type TaskSupport = 'never' | 'optional' | 'required'

/** The states of a task, by the names that every revision with tasks has for them. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What a task came to: the JSON text of its result, an error, or nothing when it was cancelled. */
export type Outcome =
  | { status: 'completed'; result: string; isError: boolean }
  | { status: 'failed'; error: RpcError }
  | { status: 'cancelled' }

/** A question that the client has not answered yet. */
export interface OpenQuestion {
  readonly request: InputRequest
  answer(answer: Record<string, unknown>): void
}

/** Whose a task is. */
export interface TaskOwner {
  /** The era that it began in: the other one does not know it. */
  readonly era: string
  readonly access: Access
  /** The proven name of the client, where its transport knows one. */
  readonly client: string | undefined
  /** The connection that it began on and ends with; nothing for a client that comes back over others. */
  readonly connection: object | undefined
}

const longestMessage = 1000
/** So often at most is told how far a task is, in milliseconds. What changes its status is always told. */
const messageIntervalMs = 1000

/** A call that goes on by itself: what a client that holds its id can learn of it. */
export class Task {
  readonly id: string
  readonly owner: TaskOwner
  /** Milliseconds since 1970, as the other times here. */
  readonly createdAt: number
  lastUpdatedAt: number
  /** What a person may be told of the state that it is in. */
  statusMessage: string | undefined = undefined
  /** From `createdAt` until it may be forgotten; nothing while it runs. */
  ttlMs: number | undefined = undefined
  outcome: Outcome | undefined = undefined
  readonly #questions = new Map<string, OpenQuestion>()
  readonly #askedKeys = new Set<string>()
  readonly #observers = new Set<() => void>()
  #told = Number.NEGATIVE_INFINITY

  constructor(id: string, owner: TaskOwner, now: number) {
    this.id = id
    this.owner = owner
    this.createdAt = now
    this.lastUpdatedAt = now
  }

  get status(): TaskStatus {
    return this.outcome?.status ?? (this.#questions.size > 0 ? 'input_required' : 'working')
  }

  /** The questions that are open, by key. */
  get questions(): ReadonlyMap<string, OpenQuestion> {
    return this.#questions
  }

  /** Calls `changed` after each change until the function returned is called, or the task has ended. */
  observe(changed: () => void): () => void {
    this.#observers.add(changed)
    return () => this.#observers.delete(changed)
  }

  /** How far it is, in words. */
  say(text: string, now: number): void {
    if (this.outcome !== undefined) return
    this.statusMessage = bounded(text)
    this.lastUpdatedAt = now
    if (now - this.#told >= messageIntervalMs) this.#tell(now)
  }

  /** A key for a question. None is ever used for two: whoever polls tells new questions from old ones by it. */
  freeKey(key: string): string {
    let free = key
    for (let n = 2; this.#askedKeys.has(free); n++) free = `${key}_${n}`
    this.#askedKeys.add(free)
    return free
  }

  /** Opens a question. */
  open(key: string, question: OpenQuestion, now: number): void {
    if (this.outcome !== undefined) return
    this.#questions.set(key, question)
    this.#changed(now)
  }

  /** The question needs no answer any more. */
  shut(key: string, now: number): void {
    if (this.#questions.delete(key) && this.outcome === undefined) this.#changed(now)
  }

  /**
   * Ends it. What ended stays as it is.
   *
   * @param message what a person is told of how it ended
   */
  end(outcome: Outcome, message: string | undefined, now: number): void {
    if (this.outcome !== undefined) return
    this.outcome = outcome
    this.statusMessage = message === undefined ? undefined : bounded(message)
    this.#questions.clear()
    this.#changed(now)
    this.#observers.clear()
  }

  #changed(now: number): void {
    this.lastUpdatedAt = now
    this.#tell(now)
  }

  #tell(now: number): void {
    this.#told = now
    for (const changed of [...this.#observers]) changed()
  }
}

function bounded(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
}

/** How long whoever polls a task should wait before the next time, in milliseconds: a tenth of its age, within bounds. */
export function pollMs({ createdAt }: Task, now: number): number {
  return Math.min(5000, Math.max(500, Math.round((now - createdAt) / 10)))
}
