import type { Era } from '../client.ts'
import { type Arguments, builtInDemo } from '../commands.ts'
import { Failure } from '../failure.ts'
import { findFile } from '../load.ts'

/** `ferrule try`: a server seen and worked by a person; without a terminal, gone through once. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const [given = builtInDemo] = positionals
  const file = given === builtInDemo ? given : findFile(given)
  const era = (values.era ?? 'modern') as Era
  const wire = values.wire === true
  const { stdin, stdout, env } = process
  const forPerson = Boolean(stdin.isTTY && stdout.isTTY) && env.TERM !== 'dumb' && values.once !== true
  if (forPerson) {
    const { runApp } = await import('./app.ts')
    try {
      process.exitCode = await runApp({ file, era, wire })
    } catch (thrown) {
      throw new Failure((thrown as Error).message)
    }
    return
  }
  const { runOnce } = await import('./once.ts')
  const good = await runOnce({
    file,
    era,
    wire,
    colours: Boolean(stdout.isTTY) && !env.NO_COLOR,
    columns: stdout.columns || 120,
    print: line => stdout.write(`${line}\n`),
  })
  process.exitCode = good ? 0 : 1
}
