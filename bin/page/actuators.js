import { announce, byId, freeId, make, setText } from './dom.js'
import { fieldFor, readFields } from './fields.js'
import { Locked, Lost } from './mcp.js'
import { Cancelled, move } from './moves.js'
import { outcomeOf, textOf, wantsArming } from './outcome.js'
import { clockText, descriptionText, shownText } from './words.js'

/**
 * @typedef {import('./live.js').BoardTool} BoardTool
 *
 * @typedef {object} ActuatorsOptions
 * @property {import('./mcp.js').McpClient} client
 * @property {() => void} moved something moved: what the sensors say may be another thing now
 * @property {() => void} disarmed a move was refused since a person has to arm the outputs
 * @property {import('./sensors.js').Sensors['lastOf']} lastOf what a sensor said last
 */

/** After so long a move shows that it goes on, and how to break it off. Most are over before. */
const quickMs = 300

/** One actuator on the page: the controls that its schema asks for, and what became of the last move. */
class ActuatorCard {
  #options
  #tool
  #answer = make('p', { class: 'answer', role: 'status' })
  #progress = make('progress')
  #progressText = make('span', { class: 'progress-text' })
  #cancel = make('button', { type: 'button', class: 'quiet' }, 'Cancel')
  #running = make('div', { class: 'running' }, this.#progress, this.#progressText, this.#cancel)
  /** @type {AbortController | undefined} */
  #move = undefined
  /** A lone switch moves at once, and shows where it stands. @type {HTMLInputElement | undefined} */
  #switch = undefined
  #switchText = make('span', { class: 'switch-text' })
  #readback = make('p', { class: 'readback' })
  #title

  /**
   * @param {BoardTool} tool
   * @param {ActuatorsOptions} options
   */
  constructor(tool, options) {
    this.#options = options
    this.#tool = tool
    this.#title = tool.title ?? tool.name
    const id = freeId('actuator')
    this.#running.hidden = true
    this.#answer.hidden = true
    this.#readback.hidden = true
    this.#cancel.setAttribute('aria-label', `Cancel ${this.#title}`)
    this.#cancel.addEventListener('click', () => {
      setText(this.#progressText, 'Is broken off…')
      this.#move?.abort()
    })
    const description = descriptionText(tool.description)
    const [first = '', rest = ''] = /^(.*?[.!?])\s+(.*)$/s.exec(description)?.slice(1) ?? [description]
    const more = rest === '' ? [] : [make('details', {}, make('summary', {}, 'More'), make('p', {}, rest))]
    this.element = make(
      'li',
      { class: 'card actuator', 'aria-labelledby': id },
      make('div', { class: 'head' }, make('h3', { id }, this.#title)),
      make('div', { class: 'about' }, make('p', {}, first), ...more),
      make('fieldset', { 'aria-labelledby': id }, this.#controls(id)),
      this.#readback,
      this.#running,
      this.#answer,
    )
  }

  /** Controls work, or they do not since there is nobody to tell. */
  set usable(/** @type {boolean} */ usable) {
    const fieldset = /** @type {HTMLFieldSetElement} */ (this.element.querySelector('fieldset'))
    fieldset.disabled = !usable
  }

  /** Where it stands is not known any more: it was stopped, or the server was away. */
  forget() {
    if (this.#switch === undefined || this.#move !== undefined) return
    this.#switch.checked = false
    this.#switch.indeterminate = true
    this.#showSwitch()
  }

  /** Shows what the sensor that sees its effect says. */
  follow() {
    const name = /The sensor ([\w.-]+) shows its effect\./.exec(this.#tool.description ?? '')?.[1]
    const last = name === undefined ? undefined : this.#options.lastOf(name)
    // What was asked before the move may say what was before it.
    if (last === undefined || (last.reading.asked ?? 0) < this.#movedAt) return
    const { title, reading } = last
    this.#readback.hidden = false
    setText(this.#readback, `${title}: ${shownText(reading.value, reading.unit)}`)
    const { value } = reading
    if (
      this.#switch === undefined ||
      this.#move !== undefined ||
      (typeof value !== 'boolean' && value !== 0 && value !== 1)
    )
      return
    this.#isSeen = true
    this.#switch.indeterminate = false
    this.#switch.checked = Boolean(value)
    this.#showSwitch()
  }

  /** @param {string} titleId */
  #controls(titleId) {
    const { inputSchema = {}, annotations = {} } = this.#tool
    const properties = Object.entries(inputSchema.properties ?? {})
    const required = inputSchema.required ?? []
    const [only] = properties
    if (only !== undefined && properties.length === 1 && only[1].type === 'boolean' && only[1].enum === undefined) {
      return this.#loneSwitch(only[0], only[1], titleId)
    }
    const fields = Object.fromEntries(
      properties.map(([name, schema]) => [name, fieldFor(name, schema, required.includes(name))]),
    )
    const free = properties.length === 0 && inputSchema.type === 'object' && inputSchema.additionalProperties !== false
    if (free)
      fields.arguments = fieldFor(
        'arguments',
        { description: 'What it takes is not told: an object, or nothing.' },
        false,
      )
    const word = annotations.idempotentHint === true && properties.length > 0 ? 'Set' : 'Run'
    const button = make('button', { type: 'submit', class: 'primary' }, word)
    button.setAttribute('aria-label', `${word} ${this.#title}`)
    const form = make('form', { novalidate: true }, ...Object.values(fields).map(({ element }) => element), button)
    form.addEventListener('submit', event => {
      event.preventDefault()
      const args = readFields(fields)
      if (args === undefined || this.#isBusy()) return
      void this.#run(free ? /** @type {Record<string, unknown>} */ (args.arguments ?? {}) : args)
    })
    return form
  }

  /**
   * @param {string} name
   * @param {any} schema
   * @param {string} titleId
   */
  #loneSwitch(name, schema, titleId) {
    const id = freeId('switch')
    const input = make('input', {
      type: 'checkbox',
      role: 'switch',
      id,
      'aria-labelledby': titleId,
      'aria-describedby': `${id}-text`,
    })
    this.#switch = input
    this.#switchText.id = `${id}-text`
    input.indeterminate = true
    this.#showSwitch()
    input.addEventListener('change', async () => {
      const wanted = input.checked
      if (this.#isBusy()) {
        input.checked = !wanted
        return
      }
      this.#showSwitch()
      const moved = await this.#run({ [name]: wanted })
      if (moved !== 'done') {
        input.checked = !wanted
        input.indeterminate = moved === 'unknown' || this.#wasUnknown
      } else this.#wasUnknown = false
      this.#showSwitch()
    })
    const hint = typeof schema.description === 'string' ? [make('span', { class: 'hint' }, schema.description)] : []
    return make(
      'label',
      { class: 'switch', for: id },
      input,
      make('span', { class: 'track', 'aria-hidden': 'true' }),
      this.#switchText,
      ...hint,
    )
  }

  #wasUnknown = true
  #movedAt = 0
  /** A sensor shows where the switch stands. */
  #isSeen = false

  #showSwitch() {
    const { indeterminate, checked } = /** @type {HTMLInputElement} */ (this.#switch)
    if (indeterminate) this.#wasUnknown = true
    // Others may have moved it since, and so may a rule of its own: only a sensor tells.
    const source = this.#isSeen ? '' : ', as set here'
    setText(this.#switchText, indeterminate ? 'Not moved from here yet' : `${checked ? 'On' : 'Off'}${source}`)
  }

  #isBusy() {
    if (this.#move !== undefined) announce(`${this.#title} still moves: cancel it, or wait`)
    return this.#move !== undefined
  }

  /**
   * @param {Record<string, unknown>} args
   * @returns {Promise<'done' | 'refused' | 'unknown'>}
   */
  async #run(args) {
    const running = new AbortController()
    this.#move = running
    this.element.setAttribute('aria-busy', 'true')
    const showing = setTimeout(() => this.#showRunning(), quickMs)
    try {
      const result = await move(this.#options.client, this.#tool, args, {
        signal: running.signal,
        onProgress: progress => this.#showProgress(progress),
      })
      if (result.isError) {
        this.#say('refused', textOf(result).replace(`${this.#tool.name}: `, ''))
        if (wantsArming(textOf(result))) this.#options.disarmed()
        return 'refused'
      }
      const isDry = result.structuredContent?.dryRun === true
      this.#say(isDry ? 'dry' : 'done', ...outcomeOf(result, args))
      return isDry ? 'refused' : 'done'
    } catch (thrown) {
      if (thrown instanceof Cancelled) this.#say('cancelled', 'Broken off: the server puts it into its safe state.')
      else if (thrown instanceof Lost)
        this.#say('refused', 'The connection was lost meanwhile: nobody here knows how it ended. Look at it.')
      else if (thrown instanceof Locked) this.#say('refused', `Not let in: ${thrown.message}`)
      else this.#say('refused', thrown instanceof Error ? thrown.message : String(thrown))
      return 'unknown'
    } finally {
      clearTimeout(showing)
      const hadFocus = document.activeElement === this.#cancel
      this.#running.hidden = true
      this.#move = undefined
      this.#movedAt = Date.now()
      this.element.removeAttribute('aria-busy')
      if (hadFocus)
        /** @type {HTMLElement | null} */ (this.element.querySelector('fieldset input, fieldset button'))?.focus()
      this.#options.moved()
    }
  }

  #showRunning() {
    this.#progress.removeAttribute('value')
    if (this.#progressText.textContent === '') setText(this.#progressText, 'Moves…')
    this.#progress.setAttribute('aria-label', `Progress of ${this.#title}`)
    this.#answer.hidden = true
    this.#running.hidden = false
  }

  /** @param {import('./moves.js').Progress} progress */
  #showProgress({ done, total, text }) {
    if (this.#move?.signal.aborted) return
    if (text !== '') setText(this.#progressText, text.charAt(0).toUpperCase() + text.slice(1))
    if (done === undefined || !(Number(total) > 0)) return
    this.#progress.max = Number(total)
    this.#progress.value = done
  }

  /**
   * @param {'done' | 'refused' | 'cancelled' | 'dry'} how
   * @param {(Node | string)[]} what
   */
  #say(how, ...what) {
    setText(this.#progressText, '')
    this.#answer.dataset.how = how
    const word = { done: 'Done', refused: 'Not done', cancelled: 'Cancelled', dry: '' }[how]
    const head = word === '' ? [] : [make('strong', {}, word), ' ']
    const text = what.length === 1 && what[0] === 'Done' ? [] : what
    this.#answer.hidden = false
    this.#answer.replaceChildren(...head, ...text, ' ', make('time', {}, clockText(Date.now())))
  }
}

/** The tools of a board that move something, but for those that stop and arm. */
export class Actuators {
  #options
  #list = byId('actuators')
  /** @type {Map<string, {card: ActuatorCard, listed: string}>} */
  #cards = new Map()

  /** @param {ActuatorsOptions} options */
  constructor(options) {
    this.#options = options
  }

  /**
   * @param {BoardTool[]} tools
   * @returns {number} how many there are
   */
  show(tools) {
    /** @type {Map<string, {card: ActuatorCard, listed: string}>} */
    const cards = new Map()
    for (const tool of tools) {
      const listed = JSON.stringify(tool)
      const known = this.#cards.get(tool.name)
      // What stays as it was keeps what was typed into it.
      cards.set(tool.name, known?.listed === listed ? known : { card: new ActuatorCard(tool, this.#options), listed })
    }
    const before = [...this.#cards.values()]
    const same = before.length === cards.size && [...cards.values()].every((each, at) => before[at] === each)
    this.#cards = cards
    if (!same) this.#list.replaceChildren(...[...cards.values()].map(({ card }) => card.element))
    return cards.size
  }

  set usable(/** @type {boolean} */ usable) {
    for (const { card } of this.#cards.values()) card.usable = usable
  }

  forget() {
    for (const { card } of this.#cards.values()) card.forget()
  }

  follow() {
    for (const { card } of this.#cards.values()) card.follow()
  }
}
