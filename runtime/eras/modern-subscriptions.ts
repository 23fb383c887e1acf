import type { CallState } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject } from '../json.ts'
import { notificationLine, type RequestId } from '../json-rpc.ts'
import type { Feature } from '../table.ts'
import type { Task } from '../tasks/task.ts'
import * as deferredTasks from '../tasks/tasks.ts'
import type { Speaker } from './era.ts'
import { SUBSCRIPTION_ID } from './meta-keys.ts'

const mostSubscriptions = 64
const mostWatchedUris = 1024

const changeMethods: Record<Feature, { method: string; member: string }> = {
  tools: { method: 'notifications/tools/list_changed', member: 'toolsListChanged' },
  prompts: { method: 'notifications/prompts/list_changed', member: 'promptsListChanged' },
  resources: { method: 'notifications/resources/list_changed', member: 'resourcesListChanged' },
}

/** An open `subscriptions/listen`. */
interface Subscription {
  id: RequestId
  lists: Record<string, true>
  unwatch: (() => void)[]
  changedUris: Set<string>
  changedLists: Set<Feature>
  changedTasks: Set<Task>
  end: (result: object) => void
}

/** The subscriptions of a connection: its open requests `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions). */
export class ModernSubscriptions {
  readonly #speaker: Speaker
  readonly #open = new Map<RequestId, Subscription>()

  constructor(speaker: Speaker) {
    this.#speaker = speaker
  }

  /**
   * Opens a subscription. It ends with the request.
   *
   * @throws RpcError for a filter that is none, and when too many are open
   */
  listen(params: Record<string, unknown>, call: CallState): Promise<object> {
    const filter = params.notifications
    if (!isObject(filter)) throw new RpcError(ErrorCode.InvalidParams, 'notifications must be an object')
    const offered = this.#speaker.server.capabilities() as Record<
      string,
      { listChanged?: boolean; subscribe?: boolean }
    >
    if (this.#open.size >= mostSubscriptions) {
      throw new RpcError(ErrorCode.InternalError, `More than ${mostSubscriptions} subscriptions on one connection`)
    }
    const subscription: Subscription = {
      id: call.id,
      lists: {},
      unwatch: [],
      changedUris: new Set(),
      changedLists: new Set(),
      changedTasks: new Set(),
      end: () => {},
    }
    const honoured: Record<string, unknown> = {}
    for (const feature of Object.keys(changeMethods) as Feature[]) {
      const { member } = changeMethods[feature]
      const wanted = filter[member]
      if (wanted !== undefined && typeof wanted !== 'boolean') {
        throw new RpcError(ErrorCode.InvalidParams, `notifications.${member} must be true or false`)
      }
      if (wanted === true && offered[feature]?.listChanged === true) {
        subscription.lists[member] = true
        honoured[member] = true
      }
    }
    const uris = filter.resourceSubscriptions
    if (uris !== undefined) {
      if (!Array.isArray(uris) || !uris.every(uri => typeof uri === 'string')) {
        throw new RpcError(ErrorCode.InvalidParams, 'notifications.resourceSubscriptions must be a list of URIs')
      }
      if (uris.length > mostWatchedUris) {
        throw new RpcError(ErrorCode.InternalError, `More than ${mostWatchedUris} URIs in one subscription`)
      }
      if (offered.resources?.subscribe === true) honoured.resourceSubscriptions = [...new Set(uris)]
    }
    const watched = this.#tasksToWatch(filter.taskIds, call)
    if (watched !== undefined) honoured.taskIds = watched.map(({ id }) => id)
    this.#notify(subscription, 'notifications/subscriptions/acknowledged', { notifications: honoured })
    this.#open.set(call.id, subscription)
    for (const uri of (honoured.resourceSubscriptions ?? []) as string[]) {
      subscription.unwatch.push(
        this.#speaker.server.subscribe(uri, () => {
          subscription.changedUris.add(uri)
          this.#tell(subscription)
        }),
      )
    }
    for (const task of watched ?? []) {
      const changed = () => {
        subscription.changedTasks.add(task)
        this.#tell(subscription)
      }
      subscription.unwatch.push(task.observe(changed))
      // What came about before this was open is told first, so that nobody waits for an end that has been.
      changed()
    }
    call.signal.addEventListener('abort', () => this.#unwatch(subscription), { once: true })
    return new Promise(resolve => {
      subscription.end = result => {
        resolve(result)
        // The cancellation page wants this notice from the server, the subscriptions page the result before it.
        // Both microtasks of the result's way to the stream come first.
        Promise.resolve()
          .then(() => {})
          .then(() =>
            this.#notify(subscription, 'notifications/cancelled', { requestId: call.id, reason: 'The server ends' }),
          )
      }
    })
  }

  #tasksToWatch(taskIds: unknown, call: CallState): Task[] | undefined {
    if (taskIds === undefined) return undefined
    if (!deferredTasks.takesTasks(call)) throw deferredTasks.needsTasks('notifications.taskIds')
    if (!Array.isArray(taskIds) || !taskIds.every(id => typeof id === 'string')) {
      throw new RpcError(ErrorCode.InvalidParams, 'notifications.taskIds must be a list of ids')
    }
    if (taskIds.length > mostWatchedUris) {
      throw new RpcError(ErrorCode.InternalError, `More than ${mostWatchedUris} tasks in one subscription`)
    }
    const known = [...new Set(taskIds)].map(id => this.#speaker.server.tasks.find(id, call))
    return known.filter(task => task !== undefined)
  }

  #unwatch(subscription: Subscription): void {
    this.#open.delete(subscription.id)
    for (const unwatch of subscription.unwatch) unwatch()
    subscription.unwatch = []
  }

  // What piles up while the client does not read is told once, when it reads again.
  #tell(subscription: Subscription): void {
    if (this.#speaker.congested) return
    for (const feature of subscription.changedLists) this.#notify(subscription, changeMethods[feature].method, {})
    for (const uri of subscription.changedUris) this.#notify(subscription, 'notifications/resources/updated', { uri })
    const now = this.#speaker.server.clock.now()
    for (const task of subscription.changedTasks) {
      this.#notify(subscription, 'notifications/tasks', deferredTasks.detailedTask(task, now))
    }
    subscription.changedLists.clear()
    subscription.changedUris.clear()
    subscription.changedTasks.clear()
  }

  #notify(subscription: Subscription, method: string, params: object): void {
    this.#speaker.send(
      notificationLine(method, { ...params, _meta: { [SUBSCRIPTION_ID]: subscription.id } }),
      subscription.id,
    )
  }

  /** A list is another one now. */
  listChanged(feature: Feature): void {
    for (const subscription of this.#open.values()) {
      if (subscription.lists[changeMethods[feature].member] !== true) continue
      subscription.changedLists.add(feature)
      this.#tell(subscription)
    }
  }

  /** Tells what piled up while the client did not read. */
  tellAll(): void {
    for (const subscription of this.#open.values()) this.#tell(subscription)
  }

  /** The server leaves: every subscription ends in good form. */
  farewell(): void {
    for (const subscription of this.#open.values()) {
      this.#unwatch(subscription)
      subscription.end({ _meta: { [SUBSCRIPTION_ID]: subscription.id } })
    }
  }

  /** The client is gone. */
  close(): void {
    for (const subscription of this.#open.values()) this.#unwatch(subscription)
  }
}

/** The subscriptions of a connection, none so far. */
export function modernSubscriptions(speaker: Speaker): ModernSubscriptions {
  return new ModernSubscriptions(speaker)
}
