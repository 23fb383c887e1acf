import { announce, byId, make, setText } from './dom.js'
import { Locked, Lost } from './mcp.js'
import { move } from './moves.js'
import { readbackText, textOf } from './outcome.js'
import { clockText } from './words.js'

/** What became of an output, in words, and how much it is to worry about. */
const states = /** @type {Record<string, {words: string, mark: string, level: string}>} */ ({
  confirmed: { words: 'safe, as its sensor shows', mark: '✓', level: 'good' },
  set: { words: 'put into its safe state; no sensor shows it', mark: '✓', level: 'good' },
  none: { words: 'has no safe state', mark: '–', level: 'plain' },
  unconfirmed: {
    words: 'put into its safe state, but its sensor does not show it: look at it',
    mark: '!',
    level: 'bad',
  },
  failed: { words: 'NOT SAFE: switch it off by hand', mark: '✕', level: 'bad' },
})

const twiceMs = 800
const retryMs = 1000
const kept = 'ferrule-stopped'

/**
 * @typedef {object} StopOptions
 * @property {import('./mcp.js').McpClient} client
 * @property {() => void} stopped everything was stopped: where things stand has to be looked up
 * @property {(name: string) => string} titleOf what people call an actuator
 */

/** The stop button, its report, and the way back. It asks nothing, and what it sends goes before everything else. */
export class Stop {
  #options
  #button = byId('stop')
  #banner = byId('stopped')
  #heading = byId('stopped-heading')
  #report = byId('stopped-report')
  #arm = /** @type {HTMLButtonElement} */ (byId('arm'))
  #answer = byId('arm-answer')
  #others = new BroadcastChannel('ferrule-stop')
  #pressedAt = Number.NEGATIVE_INFINITY
  #isOut = false
  #canArm = false

  /** @param {StopOptions} options */
  constructor(options) {
    this.#options = options
    for (const button of document.querySelectorAll('[data-stop]'))
      button.addEventListener('click', () => void this.stop())
    this.#arm.addEventListener('click', () => void this.#armOutputs())
    // Before anything else that listens to this key, and also while a dialog is open.
    window.addEventListener('keydown', event => this.#key(event), { capture: true })
    // Other tabs of this browser share its connections to the server.
    this.#others.addEventListener('message', () => options.client.clearTheWay())
    if (sessionStorage.getItem(kept) !== null) this.disarmed()
  }

  /**
   * What this client may do about it.
   *
   * @param {{canStop: boolean, canArm: boolean}} tools
   */
  offer({ canStop, canArm }) {
    byId('stop-bar').hidden = !canStop
    document.body.classList.toggle('can-stop', canStop)
    this.#canArm = canArm
    this.#showArm()
  }

  /** Stops everything, and goes on trying while the server cannot be reached. */
  async stop() {
    if (this.#isOut) return
    this.#isOut = true
    const { client } = this.#options
    this.#button.classList.add('pressed')
    this.#others.postMessage('stop')
    client.clearTheWay()
    try {
      for (;;) {
        try {
          const result = await client.request(
            'tools/call',
            { name: 'stop_all', arguments: {} },
            { urgent: true, timeoutMs: 20_000 },
          )
          return this.#show(result)
        } catch (thrown) {
          if (!(thrown instanceof Lost)) throw thrown
          this.#tell('NOT stopped: the server cannot be reached', 'bad', [
            line('!', 'bad', 'This is sent again until the server answers. Switch off by hand if you can.'),
          ])
          await new Promise(resolve => setTimeout(resolve, retryMs))
        }
      }
    } catch (thrown) {
      const why =
        thrown instanceof Locked ? `this page is not let in: ${thrown.message}` : /** @type {Error} */ (thrown).message
      this.#tell('NOT stopped', 'bad', [line('✕', 'bad', `${why} Switch off by hand.`)])
    } finally {
      this.#isOut = false
      this.#button.classList.remove('pressed')
      this.#options.stopped()
    }
  }

  /** A move was refused since the outputs wait for somebody to arm them. */
  disarmed() {
    if (!this.#banner.hidden) return
    this.#tell('Outputs stay off until they are armed', 'stopped', [])
  }

  /** @param {{structuredContent?: any, isError?: boolean, content?: any[]}} result */
  #show(result) {
    const { outputs = [], failures = [] } = result.structuredContent ?? {}
    const lines = outputs.map((/** @type {any} */ { actuator, state, readback }) => {
      const { words, mark, level } = states[state] ?? { words: String(state), mark: '?', level: 'bad' }
      const seen = readback === undefined ? '' : ` (${readbackText(readback)})`
      return line(mark, level, ` ${words}${seen}`, this.#options.titleOf(actuator))
    })
    if (outputs.length === 0) lines.push(line('–', 'plain', textOf(result)))
    lines.push(...failures.map((/** @type {string} */ failure) => line('✕', 'bad', failure)))
    const isBad =
      result.isError === true || outputs.some((/** @type {any} */ { state }) => states[state]?.level === 'bad')
    const stays = this.#canArm ? '; outputs stay off' : ''
    this.#tell(
      `Stopped at ${clockText(Date.now())}${stays}${isBad ? ': look at what is marked' : ''}`,
      isBad ? 'bad' : 'stopped',
      lines,
    )
  }

  /**
   * @param {string} heading
   * @param {string} level
   * @param {HTMLElement[]} lines
   */
  #tell(heading, level, lines) {
    sessionStorage.setItem(kept, '1')
    this.#banner.hidden = false
    this.#banner.dataset.level = level
    setText(this.#heading, heading)
    this.#report.replaceChildren(...lines)
    this.#report.hidden = lines.length === 0
    setText(this.#answer, '')
    this.#showArm()
  }

  #showArm() {
    byId('arm-row').hidden = !this.#canArm
  }

  async #armOutputs() {
    this.#arm.setAttribute('aria-disabled', 'true')
    try {
      const tool = { name: 'arm_outputs', inputSchema: {} }
      const result = await move(
        this.#options.client,
        tool,
        {},
        { signal: new AbortController().signal, onProgress: () => {} },
      )
      if (result.isError) return setText(this.#answer, textOf(result))
      sessionStorage.removeItem(kept)
      this.#banner.hidden = true
      announce('The outputs are armed: they may move again.')
      this.#button.focus()
    } catch (thrown) {
      setText(this.#answer, `Not armed: ${/** @type {Error} */ (thrown).message}`)
    } finally {
      this.#arm.removeAttribute('aria-disabled')
    }
  }

  /** @param {KeyboardEvent} event */
  #key({ key, repeat, timeStamp }) {
    if (key !== 'Escape' || repeat) return
    const isSecond = timeStamp - this.#pressedAt < twiceMs
    this.#pressedAt = isSecond ? Number.NEGATIVE_INFINITY : timeStamp
    if (isSecond && !byId('stop-bar').hidden) void this.stop()
  }
}

/**
 * @param {string} mark
 * @param {string} level
 * @param {string} text
 * @param {string} [name]
 */
function line(mark, level, text, name) {
  const whose = name === undefined ? [] : [make('strong', {}, name)]
  return make(
    'li',
    { 'data-level': level },
    make('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
    make('span', {}, ...whose, text),
  )
}
