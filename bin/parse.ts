import { parseArgs } from 'node:util'
import type { Arguments, Command, Option } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'

/** Reads the words after the command's name. Throws a {@link Failure} with exit code 2 that names what is wrong. */
export async function parse(name: string, command: Command, words: readonly string[]): Promise<Arguments | 'help'> {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...helpOption }).map(([key, option]) => [
      key,
      {
        type: option.value && !option.optional ? ('string' as const) : ('boolean' as const),
        ...(option.short && { short: option.short }),
      },
    ]),
  )
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const found: Arguments = { positionals: [], values: {} }
  let terminated = false
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'option-terminator') terminated = true
    if (token.kind === 'positional') {
      if (terminated && command.rest !== undefined) {
        found.rest ??= []
        found.rest.push(token.value)
      } else found.positionals.push(token.value)
    }
    if (token.kind !== 'option') continue
    if (token.name === 'help') return 'help'
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
    if (!option)
      throw await unknown(
        'option',
        token.rawName,
        Object.keys(command.options).map(key => `--${key}`),
        name,
      )
    const next = tokens[at + 1]
    if (
      option.optional &&
      token.value === undefined &&
      next?.kind === 'positional' &&
      option.optional.test(next.value)
    ) {
      found.values[token.name] = next.value
      at++
      continue
    }
    const value = checkedValue(token.rawName, option, token.value, token.inlineValue === true, name)
    found.values[token.name] = value
    if (option.many && value !== true) {
      found.lists ??= {}
      found.lists[token.name] = [...(found.lists[token.name] ?? []), value]
    }
  }
  checkPositionals(name, command, found.positionals)
  return found
}

const helpOption: Record<string, Option> = { help: { short: 'h', help: 'this text' } }

/** Says that a word is not known, with the nearest one that is. */
export async function unknown(kind: string, word: string, known: readonly string[], name?: string): Promise<Failure> {
  const { nearest } = await import('./nearest.ts')
  const near = nearest(word, known)
  const hint = near ? `did you mean ${near}?` : `see: ferrule ${name ? `help ${name}` : '--help'}`
  return new Failure(`unknown ${kind} ${word}${name ? ` of ${name}` : ''}: ${hint}`, exitCodes.wrongUse)
}

function checkedValue(rawName: string, option: Option, value: string | undefined, inline: boolean, name: string) {
  const wrong = (text: string) => new Failure(`${rawName} ${text} (see: ferrule help ${name})`, exitCodes.wrongUse)
  if (!option.value) {
    if (inline) throw wrong('takes no value')
    return true
  }
  if (option.optional && value === undefined) return true
  if (value === undefined || value === '' || (!inline && value.startsWith('--'))) {
    throw wrong(`needs a value: ${rawName} ${option.choices?.join('|') ?? option.value}`)
  }
  if (option.choices && !option.choices.includes(value)) throw wrong(`is ${oneOf(option.choices)}, not ${value}`)
  if (option.count && !(/^\d{1,15}$/.test(value) && Number(value) > 0)) {
    throw wrong(`is a whole number, 1 or more, not ${value}`)
  }
  return value
}

function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function checkPositionals(name: string, command: Command, given: readonly string[]): void {
  const help = `(see: ferrule help ${name})`
  for (const [index, positional] of command.positionals.entries()) {
    const word = given[index]
    if (word === undefined && positional.required) {
      throw new Failure(`${name} needs a ${positional.name}: ${usage(name, command)} ${help}`, exitCodes.wrongUse)
    }
    if (word !== undefined && positional.choices && !positional.choices.includes(word)) {
      throw new Failure(
        `unknown ${positional.name} ${word}: it is one of ${positional.choices.join(', ')} ${help}`,
        exitCodes.wrongUse,
      )
    }
  }
  const extra = given[command.positionals.length]
  if (extra !== undefined && command.rest !== undefined)
    throw new Failure(
      `${name} takes a ${command.rest.name} behind --: ${usage(name, command)} ${help}`,
      exitCodes.wrongUse,
    )
  if (extra !== undefined)
    throw new Failure(`${name} does not know what to do with ${extra} ${help}`, exitCodes.wrongUse)
}

/** One line that shows how a command is written: `ferrule serve <file> [options]`. */
export function usage(name: string, command: Command): string {
  const words = command.positionals.map(each => (each.required ? `<${each.name}>` : `[${each.name}]`))
  const options = Object.keys(command.options).length > 0 ? ['[options]'] : []
  const rest = command.rest === undefined ? [] : [`[-- <${command.rest.name}>...]`]
  return ['ferrule', name, ...words, ...options, ...rest].join(' ')
}
