import { parseArgs } from 'node:util'
import { exitCodes, Failure } from './failure.ts'

/** An option of a command: enough to parse it, to check it and to describe it. */
export interface Option {
  /** What stands for the value in the help; an option without it is a switch. */
  value?: string
  short?: string
  help: string
  /** The only values that it takes. */
  choices?: readonly string[]
  /** The value is a whole number, 1 or more. */
  count?: boolean
}

/** An argument that is told by its position. */
export interface Positional {
  name: string
  help: string
  required: boolean
  choices?: readonly string[]
}

/** A command, as data: the parser and the help are read off it. */
export interface Command {
  summary: string
  positionals: readonly Positional[]
  options: Readonly<Record<string, Option>>
  /** What else its help says, a paragraph each. */
  notes: readonly string[]
  examples: readonly string[]
}

/** What a command is run with. */
export interface Arguments {
  positionals: string[]
  values: Record<string, string | true>
}

/** The name that stands for the simulated greenhouse wherever a server file is asked for. */
export const builtInDemo = '@greenhouse'

const file: Positional = {
  name: 'file',
  required: true,
  help: `a .js, .mjs, .ts or .mts file that exports a board; ${builtInDemo} is the built-in demo`,
}

/** Every command by its name. */
export const commands = {
  serve: {
    summary: 'Serve a board to an MCP host, on stdin and stdout',
    positionals: [file],
    options: {
      'read-sensors': { help: 'add a tool read_sensors, for hosts that never show resources to the model' },
      'max-line-bytes': { value: 'N', count: true, help: 'the longest line that is read (4 MiB)' },
      'max-message-bytes': { value: 'N', count: true, help: 'the longest message that is written' },
    },
    notes: [
      'Hosts start this command for you; "ferrule host" prints what to give them. Only the protocol goes to stdout: ' +
        'whatever the file prints goes to stderr.',
    ],
    examples: ['ferrule serve greenhouse.ts', `ferrule serve ${builtInDemo}`],
  },
  try: {
    summary: 'See the sensors and work the actuators yourself, in this terminal',
    positionals: [{ ...file, required: false, help: `${file.help} and is taken when no file is given` }],
    options: {
      once: { help: 'run once through and print a summary; this is so without a terminal' },
      wire: { help: 'show the messages that go over the wire' },
      era: {
        value: 'ERA',
        choices: ['modern', 'legacy'],
        help: 'the protocol to speak: modern (2026-07-28) or legacy',
      },
    },
    notes: [
      'It starts the real server as a process of its own and speaks MCP to it, as a host does.',
      'Run once through, it works actuators only in the built-in demo. In a file of yours it reads, and moves nothing.',
    ],
    examples: ['ferrule try', 'ferrule try greenhouse.ts', 'ferrule try --once --wire'],
  },
  host: {
    summary: 'Print the entry for the configuration of a host',
    positionals: [
      {
        name: 'host',
        required: true,
        choices: ['claude-desktop', 'claude-code', 'cursor', 'vscode'],
        help: 'claude-desktop, claude-code, cursor or vscode',
      },
      file,
    ],
    options: {
      name: { value: 'NAME', help: "the server's name in the host (the board's name); with it the file is not run" },
    },
    notes: [
      'The entry goes to stdout, where it belongs goes to stderr. All paths are absolute, so that it works when an ' +
        'app starts it without your shell.',
      'When the file does not load, the entry is printed all the same, with the reason on stderr and exit code 1.',
    ],
    examples: ['ferrule host claude-desktop greenhouse.ts', 'ferrule host claude-code greenhouse.ts | sh'],
  },
} as const satisfies Record<string, Command>

/** Reads the words after the command's name. Throws a {@link Failure} with exit code 2 that names what is wrong. */
export async function parse(name: string, command: Command, words: readonly string[]): Promise<Arguments | 'help'> {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...helpOption }).map(([key, option]) => [
      key,
      { type: option.value ? ('string' as const) : ('boolean' as const), ...(option.short && { short: option.short }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const found: Arguments = { positionals: [], values: {} }
  for (const token of tokens) {
    if (token.kind === 'positional') found.positionals.push(token.value)
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
    found.values[token.name] = checkedValue(token.rawName, option, token.value, token.inlineValue === true, name)
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
  if (value === undefined || value === '' || (!inline && value.startsWith('--'))) {
    throw wrong(`needs a value: ${rawName} ${option.choices?.join('|') ?? option.value}`)
  }
  if (option.choices && !option.choices.includes(value)) throw wrong(`is ${option.choices.join(' or ')}, not ${value}`)
  if (option.count && !(/^\d{1,15}$/.test(value) && Number(value) > 0)) {
    throw wrong(`is a whole number, 1 or more, not ${value}`)
  }
  return value
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
  if (extra !== undefined)
    throw new Failure(`${name} does not know what to do with ${extra} ${help}`, exitCodes.wrongUse)
}

/** One line that shows how a command is written: `ferrule serve <file> [options]`. */
export function usage(name: string, command: Command): string {
  const words = command.positionals.map(each => (each.required ? `<${each.name}>` : `[${each.name}]`))
  return ['ferrule', name, ...words, ...(Object.keys(command.options).length > 0 ? ['[options]'] : [])].join(' ')
}
