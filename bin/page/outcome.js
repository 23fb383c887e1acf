import { make } from './dom.js'
import { shownText, wordsOf } from './words.js'

/** @typedef {import('./moves.js').ToolResult} ToolResult */

/**
 * The text of a result, as the server wrote it for people and models.
 *
 * @param {ToolResult} result
 */
export function textOf({ content = [] }) {
  return content.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n')
}

/**
 * Whether a refusal says that the outputs wait for a person to arm them.
 *
 * @param {string} text
 */
export function wantsArming(text) {
  return /until a person arms the outputs/.test(text)
}

/**
 * What a move came to, as a line that a person reads beside the control. What only repeats the arguments is left out.
 *
 * @param {ToolResult} result
 * @param {Record<string, unknown>} args
 * @returns {(Node | string)[]}
 */
export function outcomeOf(result, args) {
  const { structuredContent: found } = result
  if (found?.dryRun === true)
    return [make('span', { class: 'tag' }, 'Dry run'), ` ${textOf(result).replace(/^Dry run: /, '')}`]
  if (found === null || typeof found !== 'object' || Array.isArray(found)) return [textOf(result) || 'Done']
  const { actuator, set, outcome, readback, ...others } = found
  const isPlain = actuator !== undefined && set !== undefined
  const told = isPlain
    ? outcome !== null && typeof outcome === 'object'
      ? outcome
      : outcome === undefined
        ? {}
        : { result: outcome }
    : found
  const lines = Object.entries(told)
    .filter(([name, value]) => args[name] !== value)
    .map(([name, value]) => `${wordsOf(name)} ${valueText(value)}`)
  if (isPlain && readback !== undefined) lines.push(readbackText(readback))
  if (isPlain) lines.push(...Object.entries(others).map(([name, value]) => `${wordsOf(name)} ${valueText(value)}`))
  return [lines.length === 0 ? 'Done' : lines.join(' · ')]
}

/**
 * @param {{sensor: string, value?: unknown, unit?: string, error?: string}} readback
 */
export function readbackText({ sensor, value, unit, error }) {
  if (error !== undefined) return `${wordsOf(sensor)} was not read back: ${error}`
  return `${wordsOf(sensor)} shows ${shownText(value, unit)}`
}

/** @param {unknown} value */
function valueText(value) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return shownText(value)
  if (typeof value === 'string') return value
  return JSON.stringify(value)
}
