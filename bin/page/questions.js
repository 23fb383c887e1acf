import { byId, make, setText } from './dom.js'
import { fieldFor, readFields } from './fields.js'

/** @typedef {{action: 'accept', content?: Record<string, unknown>} | {action: 'decline' | 'cancel'}} Answer */

/** Questions come one after the other, however many are asked at once. */
let last = Promise.resolve()

/**
 * Asks the person what the server wants to know (MCP elicitation), one question after the other.
 *
 * @param {Record<string, {method: string, params: any}>} requests by key
 * @param {AbortSignal} [signal] withdraws what is still open
 * @returns {Promise<Record<string, Answer>>}
 */
export async function answersTo(requests, signal) {
  /** @type {Record<string, Answer>} */
  const answers = {}
  for (const [key, { method, params }] of Object.entries(requests)) {
    if (method !== 'elicitation/create')
      throw new Error(`the server asks for ${method}, which is nothing that a person answers`)
    const turn = last.then(() => (signal?.aborted ? /** @type {Answer} */ ({ action: 'cancel' }) : ask(params, signal)))
    last = turn.then(
      () => {},
      () => {},
    )
    answers[key] = await turn
  }
  return answers
}

/**
 * @param {{message: string, requestedSchema?: any, url?: string}} question
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Answer>}
 */
function ask({ message, requestedSchema, url }, signal) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('question'))
  const form = byId('question-form')
  const accept = byId('question-accept')
  setText(byId('question-text'), message)
  const properties = Object.entries(requestedSchema?.properties ?? {})
  const required = requestedSchema?.required ?? []
  const fields = Object.fromEntries(
    properties.map(([name, schema]) => [name, fieldFor(name, schema, required.includes(name), true)]),
  )
  byId('question-fields').replaceChildren(...Object.values(fields).map(({ element }) => element), ...linkTo(url))
  setText(accept, url !== undefined ? 'I have opened it' : properties.length > 0 ? 'Send' : 'Yes, go on')
  return new Promise(resolve => {
    const over = new AbortController()
    const settle = (/** @type {Answer} */ answer) => {
      over.abort()
      dialog.close()
      resolve(answer)
    }
    const options = { signal: over.signal }
    form.addEventListener(
      'submit',
      event => {
        event.preventDefault()
        const content = readFields(fields)
        if (content !== undefined) settle(url === undefined ? { action: 'accept', content } : { action: 'accept' })
      },
      options,
    )
    byId('question-decline').addEventListener('click', () => settle({ action: 'decline' }), options)
    dialog.addEventListener('cancel', () => settle({ action: 'cancel' }), options)
    signal?.addEventListener('abort', () => settle({ action: 'cancel' }), options)
    dialog.showModal()
    const first = Object.values(fields)[0]?.first ?? byId('question-decline')
    first.focus()
  })
}

/**
 * A page that the person is to open. Only an address of the web is one: nothing that runs in this page.
 *
 * @param {string | undefined} url
 * @returns {HTMLElement[]}
 */
function linkTo(url) {
  if (url === undefined) return []
  if (!/^https?:\/\//i.test(url)) return [make('p', { class: 'problem' }, `This is no address of a web page: ${url}`)]
  const link = make('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, url)
  return [make('p', {}, 'Open this page: ', link)]
}
