import type { Era } from '../client.ts'
import { type Arguments, pinOptions } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { typedAgain } from '../operator-options.ts'
import { findTried } from './tried.ts'

/** `ferrule try`: a server seen and worked by a person; without a terminal, gone through once. */
export async function run({ positionals, values, lists }: Arguments): Promise<void> {
  const [file] = positionals
  const simulated = values.simulated === true
  if (simulated && file !== undefined) {
    throw new Failure(`--simulated is the demo; leave it out to try ${file}`, exitCodes.wrongUse)
  }
  const era = (values.era ?? 'modern') as Era
  const wire = values.wire === true
  const { stdin, stdout, env } = process
  const forPerson = Boolean(stdin.isTTY && stdout.isTTY) && env.TERM !== 'dumb' && values.once !== true
  const tried = await findTried(file, {
    simulated,
    pins: typedAgain(pinOptions, { values, ...(lists !== undefined && { lists }) }),
  })
  try {
    process.exitCode = forPerson
      ? await (await import('./app.ts')).runApp({ tried, era, wire })
      : await (await import('./once.ts')).runOnce({
          tried,
          era,
          wire,
          colours: Boolean(stdout.isTTY) && !env.NO_COLOR,
          columns: stdout.columns || 120,
          print: line => stdout.write(`${line}\n`),
        })
  } catch (thrown) {
    throw new Failure((thrown as Error).message)
  } finally {
    tried.end()
  }
}
