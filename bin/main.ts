import type { Arguments } from './commands.ts'
import { commands } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { parse, unknown } from './parse.ts'

/** The commands' code, loaded only when it runs: a host waits for `serve`. */
const runners: Record<keyof typeof commands, () => Promise<{ run: (given: Arguments) => Promise<void> }>> = {
  serve: () => import('./serve.ts'),
  bridge: () => import('./bridge/index.ts'),
  ports: () => import('./ports.ts'),
  scan: () => import('./scan/index.ts'),
  doctor: () => import('./doctor/index.ts'),
  trace: () => import('./trace/index.ts'),
  log: () => import('./log.ts'),
  stop: () => import('./stop.ts'),
  arm: () => import('./arm.ts'),
  status: () => import('./status.ts'),
  release: () => import('./release.ts'),
  service: () => import('./service/index.ts'),
  safe: () => import('./safe.ts'),
  token: () => import('./token.ts'),
  library: () => import('./library.ts'),
  emulate: () => import('./emulate/index.ts'),
  try: () => import('./try/index.ts'),
  host: () => import('./host.ts'),
}

/** Runs the command with the words that were typed after its name, and ends the process when that fails. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await runWords(words)
  } catch (thrown) {
    const known = thrown instanceof Failure
    const message = known ? `ferrule: ${thrown.message}` : `ferrule: ${thrown instanceof Error ? thrown.stack : thrown}`
    process.exitCode = known ? thrown.exitCode : exitCodes.failed
    // What the person's file left open, such as a timer, must not hold up the end.
    process.stderr.write(`${message}\n`, () => process.exit())
  }
}

async function runWords(words: readonly string[]): Promise<void> {
  const [first, ...rest] = words
  if (first === undefined) {
    process.stderr.write(await helpText())
    process.exitCode = exitCodes.wrongUse
    return
  }
  if (first === '--help' || first === '-h') return print(await helpText())
  if (first === '--version' || first === '-v') return print(`${(await import('./place.ts')).version()}\n`)
  if (first === 'help') return print(await helpText(rest[0]))
  if (!Object.hasOwn(commands, first)) throw await unknownWord(first)
  const name = first as keyof typeof commands
  const given = await parse(name, commands[name], rest)
  if (given === 'help') return print(await helpText(name))
  await (await runners[name]()).run(given)
}

async function helpText(name?: string): Promise<string> {
  const { commandHelp, generalHelp } = await import('./help.ts')
  if (name === undefined) return generalHelp((await import('./place.ts')).version())
  if (!Object.hasOwn(commands, name)) throw await unknown('command', name, Object.keys(commands))
  return commandHelp(name as keyof typeof commands)
}

async function unknownWord(word: string): Promise<Failure> {
  if (word.startsWith('-')) return unknown('option', word, ['--help', '--version'])
  if (/\.[cm]?[jt]s$/.test(word)) {
    return new Failure(`unknown command ${word}: did you mean ferrule serve ${word}?`, exitCodes.wrongUse)
  }
  return unknown('command', word, [...Object.keys(commands), 'help'])
}

function print(text: string): void {
  process.stdout.write(text)
}
