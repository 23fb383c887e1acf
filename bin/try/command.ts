import type { Message } from '../client.ts'
import { argumentNames, argumentsOf, choicesOf, type Schema, words } from './arguments.ts'

/** An actuator as far as a typed line is concerned. */
export interface Callable {
  name: string
  schema: Schema
}

/** What a line asks for. */
export type Command =
  | { kind: 'nothing' }
  | { kind: 'call'; name: string; given: Message }
  | { kind: 'stop'; name: string | undefined }
  | { kind: 'help' | 'wire' | 'quit' }
  | { kind: 'mistake'; text: string }

const ownWords = ['help', 'wire', 'stop', 'quit']

/**
 * What a typed line means. An actuator comes before a word of ours: `stop` is a likely name for one, and the one that
 * must work then. With a colon before it (`:stop`) a word is always ours.
 */
export function commandOf(line: string, actuators: readonly Callable[]): Command {
  const [first, ...rest] = words(line)
  if (first === undefined) return { kind: 'nothing' }
  const actuator = actuators.find(({ name }) => name === first)
  if (actuator) {
    try {
      return { kind: 'call', name: first, given: argumentsOf(actuator.schema, rest) }
    } catch (thrown) {
      return { kind: 'mistake', text: `${first}: ${(thrown as Error).message}` }
    }
  }
  switch (first.replace(/^:/, '')) {
    case 'help':
    case '?':
      return { kind: 'help' }
    case 'wire':
      return { kind: 'wire' }
    case 'quit':
    case 'exit':
    case 'q':
      return { kind: 'quit' }
    case 'stop':
      return { kind: 'stop', name: rest[0] }
  }
  return { kind: 'mistake', text: `there is no ${first} here: Tab shows what there is, help tells more` }
}

/** A line after Tab: as far as it can only mean one thing, and the ways to go on. */
export interface Completion {
  text: string
  choices: string[]
}

/** Completes the last word of what stands before the cursor. */
export function complete(typed: string, actuators: readonly Callable[]): Completion {
  const [, before = '', word = ''] = /^(.*?)(\S*)$/s.exec(typed) ?? []
  const [first, ...given] = words(before)
  const known = candidates(first, given, word, actuators)
  const choices = known.filter(each => each.startsWith(word))
  const common = commonStart(choices)
  const only = choices.length === 1
  const text = before + (choices.length === 0 ? word : common) + (only && !common.endsWith('=') ? ' ' : '')
  return { text, choices: only ? [] : choices }
}

function candidates(
  first: string | undefined,
  given: string[],
  word: string,
  actuators: readonly Callable[],
): string[] {
  const names = actuators.map(({ name }) => name)
  if (first === undefined) return [...names, ...ownWords.filter(each => !names.includes(each))]
  const actuator = actuators.find(({ name }) => name === first)
  if (!actuator) return first === 'stop' || first === ':stop' ? names : []
  const { properties = {} } = actuator.schema
  const [, name] = /^([^=]+)=/.exec(word) ?? []
  if (name !== undefined) return choicesOf(properties[name]).map(choice => `${name}=${choice}`)
  const used = given.filter(each => each.includes('=')).map(each => each.split('=')[0])
  const byPosition = given.length - used.length
  const free = argumentNames(actuator.schema)
    .filter(each => !used.includes(each))
    .slice(byPosition)
  const [next] = free
  return [...(next === undefined ? [] : choicesOf(properties[next])), ...free.map(each => `${each}=`)]
}

function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1)
  return common
}
