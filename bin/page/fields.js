import { freeId, make, setText } from './dom.js'
import { argumentUnit, numberText, wordsOf } from './words.js'

/**
 * @typedef {{value: unknown} | {leftOut: true} | {problem: string}} Entry what a person put into a field
 *
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {HTMLElement} first what gets the focus when something is wrong
 * @property {() => Entry} read
 * @property {(problem: string) => void} blame says what is wrong beside the field; nothing wrong for an empty text
 */

/**
 * The field that an argument's schema asks for: a switch, a slider, a choice, a text, or JSON for everything else.
 *
 * @param {string} name
 * @param {any} schema
 * @param {boolean} required
 * @param {boolean} [blank] a number begins empty, and not at its minimum: nobody is to answer without a look
 * @returns {Field}
 */
export function fieldFor(name, schema, required, blank = false) {
  const label = typeof schema.title === 'string' ? schema.title : wordsOf(name)
  const parts = { name, schema, required, blank, label, id: freeId('field') }
  const choices = choicesOf(schema)
  if (choices !== undefined) return choiceField(parts, choices)
  if (schema.type === 'boolean') {
    return required
      ? checkField(parts)
      : choiceField(
          parts,
          [false, true].map(value => ({ value, text: value ? 'On' : 'Off' })),
        )
  }
  if (schema.type === 'number' || schema.type === 'integer') return numberField(parts)
  if (schema.type === 'string') return textField(parts)
  return jsonField(parts)
}

/** @typedef {{name: string, schema: any, required: boolean, blank: boolean, label: string, id: string}} Parts */

/**
 * @param {any} schema
 * @returns {{value: unknown, text: string}[] | undefined}
 */
function choicesOf({ enum: values, enumNames, oneOf }) {
  if (Array.isArray(values)) {
    return values.map((value, at) => ({
      value,
      text: String(enumNames?.[at] ?? (typeof value === 'string' ? value : JSON.stringify(value))),
    }))
  }
  if (Array.isArray(oneOf) && oneOf.every(each => each !== null && typeof each === 'object' && 'const' in each)) {
    return oneOf.map(each => ({ value: each.const, text: String(each.title ?? each.const) }))
  }
  return undefined
}

/**
 * What all fields have: a label, a description, and a place for what is wrong.
 *
 * @param {Parts} parts
 * @param {HTMLElement} first
 * @param {HTMLElement[]} controls
 * @param {() => Entry} read
 * @param {HTMLElement[]} described further controls that the description and the problem belong to
 * @returns {Field}
 */
function framed({ schema, required, label, id }, first, controls, read, described = []) {
  // The unit stands behind the number already.
  const text = String(schema.description ?? '').replace(/(^| )In \S+\.$/, '')
  const hint = make('p', { class: 'hint', id: `${id}-hint` }, text)
  hint.hidden = hint.textContent === ''
  const problem = make('p', { class: 'problem', id: `${id}-problem` })
  problem.hidden = true
  first.id = id
  const all = [first, ...described]
  for (const control of all) control.setAttribute('aria-describedby', `${id}-hint ${id}-problem`)
  const name = required ? label : `${label} (may be left out)`
  const element = make('div', { class: 'field' }, make('label', { for: id }, name), ...controls, hint, problem)
  return {
    element,
    first,
    read,
    blame(why) {
      setText(problem, why)
      problem.hidden = why === ''
      for (const control of all) control.setAttribute('aria-invalid', String(why !== ''))
    },
  }
}

/** @param {Parts} parts */
function checkField(parts) {
  const input = make('input', { type: 'checkbox', role: 'switch' })
  input.checked = parts.schema.default === true
  const control = make('span', { class: 'switch' }, input, make('span', { class: 'track', 'aria-hidden': 'true' }))
  return framed(parts, input, [control], () => ({ value: input.checked }))
}

/**
 * @param {Parts} parts
 * @param {{value: unknown, text: string}[]} choices
 */
function choiceField(parts, choices) {
  const select = make('select')
  const { default: preset } = parts.schema
  if (preset === undefined) select.append(make('option', { value: '' }, parts.required ? 'Choose…' : '–'))
  for (const [at, { text, value }] of choices.entries()) {
    select.append(make('option', { value: String(at), selected: value === preset }, text))
  }
  return framed(parts, select, [select], () => {
    const chosen = select.value === '' ? undefined : choices[Number(select.value)]
    return chosen === undefined ? nothing(parts, 'Choose one') : { value: chosen.value }
  })
}

/** @param {Parts} parts */
function numberField(parts) {
  const { name, schema, label, id } = parts
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const unit = argumentUnit(name, schema)
  const number = make('input', {
    type: 'number',
    step: 'any',
    inputmode: type === 'integer' && !(minimum < 0) ? 'numeric' : 'decimal',
  })
  const read = () => {
    if (number.validity.badInput) return { problem: `${label} must be a number.` }
    if (number.value === '') return nothing(parts, 'Give a number')
    const value = number.valueAsNumber
    const problem = numberProblem(value, schema, unit)
    return problem === '' ? { value } : { problem: `${label} must be ${problem}.` }
  }
  const behind = unit === '' ? [] : [make('span', { class: 'unit' }, unit)]
  const [low, high] = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum]
  if (typeof low !== 'number' || typeof high !== 'number' || !(low < high)) {
    number.value = String(schema.default ?? '')
    return framed(parts, number, [make('span', { class: 'number' }, number, ...behind)], read)
  }
  const step = typeof multipleOf === 'number' ? multipleOf : type === 'integer' ? 1 : stepFor(high - low)
  const slider = make('input', {
    type: 'range',
    min: String(low),
    max: String(high),
    step: String(step),
    'aria-label': label,
  })
  slider.value = String(schema.default ?? low)
  number.value = (parts.required && !parts.blank) || schema.default !== undefined ? slider.value : ''
  number.min = String(low)
  number.max = String(high)
  const tell = () => slider.setAttribute('aria-valuetext', unit === '' ? slider.value : `${slider.value} ${unit}`)
  slider.addEventListener('input', () => {
    number.value = slider.value
    tell()
  })
  number.addEventListener('input', () => {
    if (number.value !== '') slider.value = number.value
    tell()
  })
  tell()
  const scale = make(
    'span',
    { class: 'scale', 'aria-hidden': 'true' },
    make('span', {}, numberText(low)),
    make('span', {}, numberText(high)),
  )
  const control = make(
    'div',
    { class: 'slider', id: `${id}-slider` },
    make('span', { class: 'range' }, slider, scale),
    make('span', { class: 'number' }, number, ...behind),
  )
  return framed(parts, number, [control], read, [slider])
}

/**
 * Why a number does not fit, as what it must be.
 *
 * @param {number} value
 * @param {any} schema
 * @param {string} unit
 */
function numberProblem(value, { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }, unit) {
  const text = (/** @type {number} */ bound) => (unit === '' ? numberText(bound) : `${numberText(bound)} ${unit}`)
  if (minimum !== undefined && value < minimum) return `at least ${text(minimum)}`
  if (maximum !== undefined && value > maximum) return `at most ${text(maximum)}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `more than ${text(exclusiveMinimum)}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `less than ${text(exclusiveMaximum)}`
  if (type === 'integer' && !Number.isInteger(value)) return 'a whole number'
  const parts = value / multipleOf
  if (multipleOf !== undefined && Math.abs(parts - Math.round(parts)) > 1e-9) return `a multiple of ${text(multipleOf)}`
  return ''
}

/**
 * A step that divides a range in a hundred or so, as people count.
 *
 * @param {number} range
 */
function stepFor(range) {
  const rough = range / 100
  const power = 10 ** Math.floor(Math.log10(rough) + 1e-9)
  return Number(([1, 2, 5].findLast(each => each * power <= rough * (1 + 1e-9)) ?? 1) * power).toPrecision(1)
}

const inputTypes = /** @type {Record<string, string>} */ ({ email: 'email', uri: 'url', date: 'date', time: 'time' })

/** @param {Parts} parts */
function textField(parts) {
  const { schema, label } = parts
  const input = make('input', { type: inputTypes[schema.format] ?? 'text', autocomplete: 'off', spellcheck: 'false' })
  input.value = schema.default ?? ''
  return framed(parts, input, [input], () => {
    const { value } = input
    if (value === '' && (!parts.required || schema.minLength > 0)) return nothing(parts, 'Write something')
    const characters = [...value].length
    if (schema.minLength !== undefined && characters < schema.minLength)
      return { problem: `${label} must have at least ${schema.minLength} characters.` }
    if (schema.maxLength !== undefined && characters > schema.maxLength)
      return { problem: `${label} must have at most ${schema.maxLength} characters.` }
    return { value }
  })
}

/** @param {Parts} parts */
function jsonField(parts) {
  const { schema, label } = parts
  const area = make('textarea', { rows: '3', spellcheck: 'false', class: 'json' })
  area.value = schema.default === undefined ? '' : JSON.stringify(schema.default, null, 2)
  return framed({ ...parts, label: `${label}, as JSON` }, area, [area], () => {
    if (area.value.trim() === '') return nothing(parts, 'Write JSON')
    try {
      return { value: JSON.parse(area.value) }
    } catch (thrown) {
      return { problem: `${label} is no JSON: ${/** @type {Error} */ (thrown).message}.` }
    }
  })
}

/**
 * @param {Parts} parts
 * @param {string} wish
 * @returns {Entry}
 */
function nothing({ required, label }, wish) {
  return required ? { problem: `${wish} for ${label}.` } : { leftOut: true }
}

/**
 * Reads all fields of a form. What does not fit is told beside its field, and the first such gets the focus.
 *
 * @param {Record<string, Field>} fields
 * @returns {Record<string, unknown> | undefined} nothing when something does not fit
 */
export function readFields(fields) {
  /** @type {Record<string, unknown>} */
  const values = {}
  /** @type {Field | undefined} */
  let wrong
  for (const [name, field] of Object.entries(fields)) {
    const entry = field.read()
    field.blame('problem' in entry ? entry.problem : '')
    if ('problem' in entry) wrong ??= field
    if ('value' in entry) values[name] = entry.value
  }
  wrong?.first.focus()
  return wrong === undefined ? values : undefined
}
