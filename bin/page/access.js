import { byId, setText } from './dom.js'

const place = 'ferrule-key'

/**
 * The key from the link that the server printed, or the one of before in this tab. It is taken out of the address at once,
 * so that it is in no history and in no picture of the window.
 *
 * @returns {string | undefined}
 */
export function takeKey() {
  const found = /^#key=(.+)$/.exec(location.hash)?.[1]
  if (found !== undefined) {
    sessionStorage.setItem(place, decodeURIComponent(found))
    history.replaceState(null, '', location.pathname + location.search)
  }
  return sessionStorage.getItem(place) ?? undefined
}

/** Forgets the key in this tab. */
export function forgetKey() {
  sessionStorage.removeItem(place)
}

/** The door: asks for a token when there is none, or none that is let in. */
export class Door {
  #section = byId('door')
  #field = /** @type {HTMLInputElement} */ (byId('token'))
  #why = byId('door-why')

  /** @param {(token: string) => void} opened */
  constructor(opened) {
    byId('door-form').addEventListener('submit', event => {
      event.preventDefault()
      const token = this.#field.value.trim()
      if (token === '') return this.ask('Paste a token first.')
      this.#field.value = ''
      sessionStorage.setItem(place, token)
      opened(token)
    })
  }

  /** @param {string} why */
  ask(why) {
    const wasShut = this.#section.hidden
    this.#section.hidden = false
    setText(this.#why, why)
    if (wasShut) this.#field.focus()
  }

  shut() {
    this.#section.hidden = true
    setText(this.#why, '')
  }
}
