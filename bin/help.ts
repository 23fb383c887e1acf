import { helpTexts } from './command-help.ts'
import { type Command, commands, type Option } from './commands.ts'
import { usage } from './parse.ts'

const columns = 80

/** The help of the whole command. */
export function generalHelp(version: string): string {
  const entries = Object.entries<Command>(commands)
  return text([
    `ferrule ${version}: MCP servers for hardware. Sensors become resources, actuators become tools.`,
    '',
    'Usage:',
    ...entries.map(([name, command]) => `  ${usage(name, command)}`),
    '',
    'Commands:',
    ...table([
      ...Object.entries(helpTexts).map(([name, { summary }]): Row => [name, summary]),
      ['help', 'Tell more about a command: ferrule help serve'],
    ]),
    '',
    'Options:',
    ...table([
      ['-h, --help', 'this text, or that of a command'],
      ['-v, --version', 'the version'],
    ]),
    '',
    'Start here, without any hardware:',
    '  ferrule try',
    '',
    exitCodeLine,
  ])
}

/** The help of one command. */
export function commandHelp(name: keyof typeof commands): string {
  const command: Command = commands[name]
  const { summary, notes, examples } = helpTexts[name]
  const options = Object.entries<Option>(command.options)
  const { rest } = command
  const words = [
    ...command.positionals.map((each): Row => [each.required ? `<${each.name}>` : `[${each.name}]`, each.help]),
    ...(rest === undefined ? [] : [[`<${rest.name}>`, rest.help] as const]),
  ]
  return text([
    `Usage: ${usage(name, command)}`,
    '',
    ...wrap(`${summary}.`),
    '',
    ...(words.length > 0 ? ['Arguments:', ...table(words), ''] : []),
    'Options:',
    ...table([
      ...options.map(
        ([key, option]): Row => [
          `${option.short ? `-${option.short}, ` : ''}--${key}${option.value ? ` ${option.optional ? `[${option.value}]` : option.value}` : ''}`,
          option.help,
        ],
      ),
      ['-h, --help', 'this text'],
    ]),
    '',
    ...notes.flatMap(note => [...wrap(note), '']),
    'Examples:',
    ...examples.map(example => `  ${example}`),
    '',
    exitCodeLine,
  ])
}

const exitCodeLine = 'Exit codes: 0 ok, 1 failed, 2 wrong use.'

type Row = readonly [left: string, right: string]

function table(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.flatMap(([left, right]) =>
    wrap(right, columns - width - 4).map((line, index) => `  ${(index === 0 ? left : '').padEnd(width)}  ${line}`),
  )
}

function wrap(paragraph: string, width = columns): string[] {
  const lines: string[] = []
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
