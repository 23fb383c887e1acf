import { Locked, Lost, McpError, Yielded } from './mcp.js'
import { historyPoints, packOf } from './senml.js'

/**
 * @typedef {object} BoardTool a tool as the server lists it
 * @property {string} name
 * @property {string} [title]
 * @property {string} [description]
 * @property {any} inputSchema
 * @property {any} [outputSchema]
 * @property {{readOnlyHint?: boolean, destructiveHint?: boolean, idempotentHint?: boolean}} [annotations]
 *
 * @typedef {{uri: string, name: string, title?: string, description?: string}} BoardSensor
 * @typedef {{title: string, name: string, description: string, tools: BoardTool[], sensors: BoardSensor[]}} BoardView
 *
 * @typedef {'connecting' | 'live' | 'polling' | 'lost' | 'locked'} State
 * @typedef {object} Told what is told while it runs
 * @property {(state: State, why: string) => void} state
 * @property {(board: BoardView) => void} board
 * @property {(uri: string, reading: import('./senml.js').Reading) => void} reading
 * @property {(uri: string, why: string) => void} failure
 * @property {(uri: string, points: ReturnType<typeof historyPoints>) => void} history
 */

const answerMs = 10_000
/** A stream that stands shows every fifteen seconds that it does. */
const silentMs = 45_000
const firstPauseMs = 500
const longestPauseMs = 10_000
/** Within its dead band a sensor tells of no change: what it is, and that it lives, is looked up now and then. */
const freshenMs = 10_000
const pollMs = 2000
/** Where subscriptions do not come through, they are tried again after so long. */
const listenAgainMs = 60_000
const readsAtOnce = 2

/** Follows a board: its lists, its sensors by subscription or else by asking, and the way back when it was lost. */
export class Live {
  #client
  #told
  /** @type {BoardSensor[]} */
  #sensors = []
  /** The sensors that have to be read. @type {Set<string>} */
  #stale = new Set()
  #reading = 0
  /** @type {Set<string>} */
  #historied = new Set()
  /** Ends what follows the board now. @type {AbortController | undefined} */
  #following = undefined
  #wake = () => {}
  #pauseMs = firstPauseMs
  #paused = false
  #listsChanged = false

  /**
   * @param {import('./mcp.js').McpClient} client
   * @param {Told} told
   */
  constructor(client, told) {
    this.#client = client
    this.#told = told
  }

  /** Follows the board for good. */
  async run() {
    for (;;) {
      this.#following = new AbortController()
      const { signal } = this.#following
      try {
        await this.#open()
        this.#pauseMs = firstPauseMs
        await this.#follow(signal)
      } catch (thrown) {
        if (this.#paused) await this.#woken(2 ** 31 - 1)
        else if (thrown === again || thrown instanceof Yielded) continue
        else if (thrown instanceof Locked) {
          this.#told.state('locked', thrown.message)
          await this.#woken(2 ** 31 - 1)
        } else {
          this.#told.state('lost', reasonOf(thrown))
          await this.#woken(this.#pauseMs * (0.8 + 0.4 * Math.random()))
          this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2)
        }
      } finally {
        this.#following.abort()
      }
    }
  }

  /** Tries at once: there is a new key, or the network is back. */
  retry() {
    this.#pauseMs = firstPauseMs
    this.#wake()
  }

  /** Nobody looks: a page in the background takes none of the few connections that a browser has. */
  pause() {
    this.#paused = true
    this.#following?.abort(again)
  }

  resume() {
    if (!this.#paused) return
    this.#paused = false
    this.retry()
  }

  /** Something moved: what the sensors said before may be past. */
  refresh() {
    for (const { uri } of this.#sensors) this.#stale.add(uri)
    this.#readStale()
  }

  async #open() {
    const discovered = await this.#client.request('server/discover', {}, { timeoutMs: answerMs, background: true })
    const [tools, resources] = await Promise.all([
      this.#all('tools/list', 'tools'),
      this.#all('resources/list', 'resources'),
    ])
    this.#sensors = resources.filter(isSensor)
    const { name, title = name } = discovered._meta?.['io.modelcontextprotocol/serverInfo'] ?? { name: 'A board' }
    this.#told.board({ name, title, description: discovered.instructions ?? '', tools, sensors: this.#sensors })
  }

  /**
   * Every page of a list.
   *
   * @param {string} method
   * @param {string} member
   * @returns {Promise<any[]>}
   */
  async #all(method, member) {
    const items = []
    let params = {}
    for (;;) {
      const result = await this.#client
        .request(method, params, { timeoutMs: answerMs, background: true })
        .catch(thrown => {
          // A server without resources, or without tools, has no such list.
          if (thrown instanceof McpError && thrown.code === -32601) return { [member]: [] }
          throw thrown
        })
      items.push(...(result[member] ?? []))
      if (result.nextCursor === undefined) return items
      params = { cursor: result.nextCursor }
    }
  }

  /** @param {AbortSignal} signal */
  async #follow(signal) {
    this.#listsChanged = false
    this.refresh()
    this.#readHistories()
    for (;;) {
      const why = await this.#listen(signal)
      // Nothing came through: then the sensors are asked, until it is time to try again.
      this.#told.state('polling', why)
      const until = performance.now() + listenAgainMs
      while (performance.now() < until) {
        await this.#woken(pollMs)
        signal.throwIfAborted()
        this.refresh()
      }
    }
  }

  /**
   * Listens until the stream is over.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<string>} why subscriptions do not work here
   * @throws Lost when they did, and the stream ended
   */
  async #listen(signal) {
    const filter = {
      resourceSubscriptions: this.#sensors.map(({ uri }) => uri),
      toolsListChanged: true,
      resourcesListChanged: true,
    }
    const silence = new AbortController()
    const watch = () => setTimeout(() => silence.abort(), silentMs)
    let timer = setTimeout(() => silence.abort(), answerMs)
    let acknowledged = false
    const freshen = setInterval(() => this.refresh(), freshenMs)
    try {
      await this.#client.request(
        'subscriptions/listen',
        { notifications: filter },
        {
          signal: AbortSignal.any([signal, silence.signal]),
          background: true,
          onHeard: () => {
            clearTimeout(timer)
            timer = watch()
          },
          onNotification: ({ method, params }) => {
            if (method === 'notifications/subscriptions/acknowledged') {
              acknowledged = true
              this.#told.state('live', '')
            }
            if (method === 'notifications/resources/updated') {
              this.#stale.add(params.uri)
              this.#readStale()
            }
            if (method.endsWith('/list_changed')) this.#relist()
          },
        },
      )
      throw new Lost('the server ended the subscription')
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof Locked || thrown instanceof Yielded || acknowledged) throw thrown
      if (thrown instanceof McpError) return thrown.message
      if (silence.signal.aborted) return 'no stream comes through'
      throw thrown
    } finally {
      clearTimeout(timer)
      clearInterval(freshen)
    }
  }

  /** Lists that change, change together. */
  #relist() {
    if (this.#listsChanged) return
    this.#listsChanged = true
    const following = this.#following
    setTimeout(() => following?.abort(again), 200)
  }

  #readStale() {
    while (this.#reading < readsAtOnce && this.#stale.size > 0) {
      const uri = /** @type {string} */ (this.#stale.values().next().value)
      this.#stale.delete(uri)
      this.#reading++
      this.#read(uri).finally(() => {
        this.#reading--
        this.#readStale()
      })
    }
  }

  /** @param {string} uri */
  async #read(uri) {
    const following = this.#following
    const asked = Date.now()
    try {
      // Longer than a sensor may take, whose failure the server tells itself.
      const result = await this.#client.request('resources/read', { uri }, { timeoutMs: 15_000, background: true })
      const reading = packOf(result).at(-1)
      if (reading === undefined) this.#told.failure(uri, 'it gave nothing that can be shown')
      else this.#told.reading(uri, { ...reading, asked, time: reading.time - this.#client.clockAheadMs })
    } catch (thrown) {
      if (thrown instanceof McpError) this.#told.failure(uri, thrown.message)
      else {
        this.#stale.clear()
        following?.abort(thrown)
      }
    }
  }

  async #readHistories() {
    for (const { uri } of this.#sensors.filter(sensor => !this.#historied.has(sensor.uri))) {
      try {
        const result = await this.#client.request(
          'resources/read',
          { uri: `${uri}/history` },
          { timeoutMs: answerMs, background: true },
        )
        const ahead = this.#client.clockAheadMs
        const points = historyPoints(uri, packOf(result)).map(point => ({ ...point, time: point.time - ahead }))
        this.#historied.add(uri)
        this.#told.history(uri, points)
      } catch (thrown) {
        // Not every sensor keeps one.
        if (thrown instanceof McpError) this.#historied.add(uri)
        else return
      }
    }
  }

  /** @param {number} ms */
  #woken(ms) {
    return /** @type {Promise<void>} */ (
      new Promise(resolve => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    )
  }
}

/** Everything is looked up anew, and nothing was lost. */
const again = new Error('once more')

/** @param {{uri: string}} resource */
function isSensor({ uri }) {
  return /^sensor:\/\/[^/]+\/[^/]+$/.test(uri)
}

/** @param {unknown} thrown */
function reasonOf(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
