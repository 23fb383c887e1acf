import { suffices } from '../access.ts'
import type { CallOutlet, CallState } from '../call-state.ts'
import type { Clock } from '../clock.ts'
import { ErrorCode, publicMessage, RpcError } from '../errors.ts'
import { isObject, toBase64, utf8Length } from '../json.ts'
import { PreparedTask } from './prepared-task.ts'
import { type Outcome, Task, type TaskOwner } from './task.ts'
import { TaskCall } from './task-call.ts'
import type { TaskTerms } from './terms.ts'

/** What the tasks of a server need of it. */
export interface TaskStoreOptions {
  readonly clock: Clock
  /** How many may run at once. One client may have a quarter of them. */
  readonly mostRunning: number
  /** How long an outcome is kept, in milliseconds. */
  readonly keepMs: number
  readonly questionTimeoutMs: number
  readonly maxMessageBytes: number
}

/** How long a handler that was told to stop may take, before its task is cancelled without it. An actuator needs two. */
const stopMs = 5000
/** A client may ask for an outcome to be kept so long, in milliseconds. */
const longestTtlMs = 60 * 60_000
/** Room in a message for what stands around an outcome. */
const frameBytes = 4096

interface Run {
  readonly call: TaskCall
  stopTimer: unknown
  /** Resolves when the handler is over. */
  readonly over: Promise<void>
}

/**
 * The tasks of a server. They live by their ids, which nobody can guess, and not by the connection that a poll comes over.
 * What runs is bounded by refusing more; what has ended is kept for a while, the latest ones first.
 */
export class TaskStore {
  readonly #options: TaskStoreOptions
  /** In the order in which they began. */
  readonly #tasks = new Map<string, Task>()
  /** Those whose handler is not over, also when they count as cancelled already. */
  readonly #runs = new Map<Task, Run>()
  #expiry: unknown = undefined
  #closed = false

  constructor(options: TaskStoreOptions) {
    this.#options = options
  }

  /** How many are known: those that run and those that ended a while ago. */
  get size(): number {
    return this.#tasks.size
  }

  /**
   * Prepares a task for a call.
   *
   * @param work runs the tool. It throws RpcError only; every other failure is a result
   * @throws RpcError when too many run
   */
  prepare(call: CallState, terms: TaskTerms, work: (call: TaskCall) => unknown): PreparedTask {
    const owner = ownerOf(call)
    this.#admit(owner)
    return new PreparedTask(() => this.#begin(call, owner, terms, work))
  }

  /** The task with this id, if it is one of this client's. */
  find(taskId: unknown, call: CallState): Task | undefined {
    const task = typeof taskId === 'string' ? this.#tasks.get(taskId) : undefined
    return task !== undefined && mayKnow(task.owner, call) ? task : undefined
  }

  /** The tasks that this client began, in that order. A client without a proven name is known by its connection. */
  of(call: CallState): Task[] {
    return [...this.#tasks.values()].filter(
      ({ owner }) => mayKnow(owner, call) && (owner.client !== undefined || owner.connection === call.outlet),
    )
  }

  /** Tells a task to stop. It counts as cancelled when it has stopped, or soon after when it does not heed. */
  stop(task: Task, reason: Error): void {
    const run = this.#runs.get(task)
    if (run === undefined || run.call.cancelled) return
    const { clock } = this.#options
    task.say('Stopping', clock.now())
    run.stopTimer = clock.setTimeout(() => {
      this.#end(task, { status: 'cancelled' }, 'It was told to stop, and did not say that it did')
    }, stopMs)
    run.call.abort(reason)
  }

  /** Tells a task to stop, and counts it as cancelled now. */
  cancel(task: Task, reason: Error): void {
    this.#end(task, { status: 'cancelled' }, reason.message)
    this.stop(task, reason)
  }

  /** A connection is gone, and nobody comes back for what began on it. */
  left(connection: object, reason: Error): void {
    for (const task of this.#runs.keys()) if (task.owner.connection === connection) this.stop(task, reason)
  }

  /** Tells every task to stop, and begins no other. Resolves when their handlers are over. */
  async close(reason: Error): Promise<void> {
    this.#closed = true
    this.#options.clock.clearTimeout(this.#expiry)
    const runs = [...this.#runs.values()]
    for (const { call, stopTimer } of runs) {
      this.#options.clock.clearTimeout(stopTimer)
      call.abort(reason)
    }
    await Promise.all(runs.map(({ over }) => over))
  }

  #admit({ client, connection }: TaskOwner): void {
    const { mostRunning } = this.#options
    const mostOfOne = Math.ceil(mostRunning / 4)
    if (this.#closed) throw new RpcError(ErrorCode.InternalError, 'The server is shutting down')
    if (this.#runs.size >= mostRunning) {
      throw new RpcError(ErrorCode.InternalError, `More than ${mostRunning} tasks run: wait for one, or cancel one`)
    }
    const who = client ?? connection
    if (who === undefined) return
    let running = 0
    for (const { owner } of this.#runs.keys()) if ((owner.client ?? owner.connection) === who) running++
    if (running >= mostOfOne) {
      throw new RpcError(
        ErrorCode.InternalError,
        `More than ${mostOfOne} tasks of one client run: wait for one, or cancel one`,
      )
    }
  }

  #begin(call: CallState, owner: TaskOwner, terms: TaskTerms, work: (call: TaskCall) => unknown): Task {
    const { clock, questionTimeoutMs } = this.#options
    const { clientInfo, clientCapabilities } = call
    const task = new Task(newId(), owner, clock.now())
    const taskCall = new TaskCall(task, terms, {
      clientInfo,
      clientCapabilities,
      access: call.access,
      client: call.client,
      clock,
      questionTimeoutMs,
    })
    this.#tasks.set(task.id, task)
    // The answer with the id is written in the same turn: nothing that the work says can come before it.
    const over = Promise.resolve()
      .then(() => {
        taskCall.signal.throwIfAborted()
        return work(taskCall)
      })
      .then(
        value => this.#finish(task, value, terms, taskCall.cancelled),
        thrown => this.#fail(task, thrown, terms, taskCall.cancelled),
      )
      .finally(() => {
        clock.clearTimeout(this.#runs.get(task)?.stopTimer)
        this.#runs.delete(task)
      })
    this.#runs.set(task, { call: taskCall, stopTimer: undefined, over })
    return task
  }

  #finish(task: Task, value: unknown, terms: TaskTerms, stopped: boolean): void {
    const failure = isObject(value) && value.isError === true ? firstText(value.content) : undefined
    // A tool that was told to stop and fails has heeded. What it did all the same is told as it is.
    if (stopped && failure !== undefined) return this.#end(task, { status: 'cancelled' }, failure)
    let result: string
    try {
      result = terms.seal(value)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message.split('\n')[0] : 'it cannot be written'
      return this.#failWith(task, new RpcError(ErrorCode.InternalError, `The outcome is no JSON: ${why}`), terms)
    }
    this.#complete(task, result, failure, terms)
  }

  #fail(task: Task, thrown: unknown, terms: TaskTerms, stopped: boolean): void {
    const message = publicMessage(thrown)
    if (stopped) return this.#end(task, { status: 'cancelled' }, message)
    this.#failWith(task, thrown instanceof RpcError ? thrown : new RpcError(ErrorCode.InternalError, message), terms)
  }

  #failWith(task: Task, error: RpcError, terms: TaskTerms): void {
    const sealed = terms.sealError(error)
    if (typeof sealed === 'string') this.#complete(task, sealed, error.message, terms)
    else this.#end(task, { status: 'failed', error: sealed }, sealed.message, terms.ttlMs)
  }

  #complete(task: Task, result: string, failure: string | undefined, terms: TaskTerms): void {
    const limit = this.#options.maxMessageBytes - frameBytes
    if (result.length * 3 > limit && utf8Length(result) > limit) {
      const error = new RpcError(
        ErrorCode.InternalError,
        `The outcome is ${utf8Length(result)} bytes, more than the ${limit} that may be sent`,
      )
      return this.#end(task, { status: 'failed', error }, error.message, terms.ttlMs)
    }
    this.#end(task, { status: 'completed', result, isError: failure !== undefined }, failure, terms.ttlMs)
  }

  #end(task: Task, outcome: Outcome, message: string | undefined, wantedMs = 0): void {
    if (task.outcome !== undefined) return
    const { clock, keepMs } = this.#options
    const now = clock.now()
    task.ttlMs = Math.max(now - task.createdAt + keepMs, Math.min(wantedMs, longestTtlMs))
    task.end(outcome, message, now)
    this.#makeRoom(task)
    this.#expire()
  }

  /** As many outcomes are kept as tasks may run: of one client's too many the oldest goes, else of all. */
  #makeRoom({ owner }: Task): void {
    const ended = [...this.#tasks.values()].filter(task => task.outcome !== undefined)
    const who = owner.client ?? owner.connection
    const own = ended.filter(task => (task.owner.client ?? task.owner.connection) === who)
    if (who !== undefined && own.length > Math.ceil(this.#options.mostRunning / 4)) this.#tasks.delete(own[0]!.id)
    else if (ended.length > this.#options.mostRunning) this.#tasks.delete(ended[0]!.id)
  }

  /** Forgets what was kept long enough, and comes back when the next one was. */
  #expire(): void {
    const { clock } = this.#options
    const now = clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const [id, { createdAt, ttlMs }] of this.#tasks) {
      if (ttlMs === undefined) continue
      const due = createdAt + ttlMs
      if (due <= now) this.#tasks.delete(id)
      else next = Math.min(next, due)
    }
    clock.clearTimeout(this.#expiry)
    this.#expiry =
      next === Number.POSITIVE_INFINITY || this.#closed ? undefined : clock.setTimeout(() => this.#expire(), next - now)
  }
}

function ownerOf({ dialect, outlet }: CallState): TaskOwner {
  const { access, client, returns } = outlet
  return { era: dialect.era, access, client, connection: returns ? undefined : outlet }
}

/** A task is its client's. Where no transport knows clients by name, whoever holds the id is taken for the one. */
function mayKnow(owner: TaskOwner, { dialect, outlet }: { dialect: { era: string }; outlet: CallOutlet }): boolean {
  return owner.era === dialect.era && owner.client === outlet.client && suffices(outlet.access, owner.access)
}

/** 144 random bits, in characters that a header may hold. */
function newId(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(18)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

function firstText(content: unknown): string {
  const block: unknown = Array.isArray(content) ? content[0] : undefined
  return isObject(block) && typeof block.text === 'string' ? block.text : 'The tool failed'
}
