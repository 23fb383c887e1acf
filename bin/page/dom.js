/**
 * Makes an element. What others wrote comes in as text only: never as markup.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean | undefined>} [attributes] `false` and nothing leave one out
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children)
  return element
}

/**
 * An element of the document that has to be there.
 *
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return /** @type {T} */ (element)
}

/**
 * Sets a text, where it is another one: a screen reader hears of what is written anew.
 *
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

let made = 0

/** An id that no other element has. */
export function freeId(prefix = 'e') {
  return `${prefix}-${++made}`
}

/**
 * Tells a person who does not see the page. `news` waits until they have heard what they listen to.
 *
 * @param {string} text
 */
export function announce(text) {
  const news = byId('news')
  // The same text twice is news too.
  news.textContent = ''
  requestAnimationFrame(() => {
    news.textContent = text
  })
}
