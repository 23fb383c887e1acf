import { createInterface } from 'node:readline'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { type Answered, allAnswered, hangText, meant, nothingRuns, printable, serverText } from './running.ts'
import { plain } from './try/readings.ts'

/** `ferrule arm`: a person lets the outputs of a board move, after a stop or after the start. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const all = await allAnswered()
  if (all.length === 0) throw nothingRuns()
  const [word] = positionals
  const { running, status } = only(word === undefined ? all : await meant(all, word), word)
  if (status === undefined) throw new Failure(hangText(running.pid))
  const name = plain(serverText(status))
  if (!isOff({ running, status })) {
    process.stdout.write(`${name}: its outputs may move already\n`)
    return
  }
  if (values.yes !== true && !(await agrees(`May the outputs of ${name} move again? See that nobody is in the way.`))) {
    throw new Failure('nothing was armed', exitCodes.failed)
  }
  const answer = await running.tell('arm', 'ferrule arm').catch(thrown => {
    throw new Failure(thrown.message)
  })
  if (answer === undefined) throw new Failure(`${name} has just ended`)
  if (answer.ok !== true) throw new Failure(`${name} was not armed: ${plain(answer.error ?? 'it does not say why')}`)
  process.stdout.write(`${name}: armed\n`)
}

/** Each board is looked at before it is armed, so they are armed one by one. */
function only(found: readonly Answered[], word: string | undefined): Answered {
  const waiting = found.filter(isOff)
  const [one, ...others] = word === undefined && waiting.length > 0 ? waiting : found
  if (others.length === 0) return one!
  const names = [one!, ...others].map(({ running, status }) => `  ferrule arm ${running.pid}   ${status?.board ?? ''}`)
  throw new Failure(`which one? They are armed one by one:\n${names.map(printable).join('\n')}`, exitCodes.wrongUse)
}

function isOff({ status }: Answered): boolean {
  return status === undefined || status.stopped || (status.wantsArming && !status.armed)
}

async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Failure('arm asks a person first: run it in a terminal, or add --yes', exitCodes.wrongUse)
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string>(resolve => {
    lines.once('close', () => resolve(''))
    lines.question(`${question} [y/N] `, resolve)
  })
  lines.close()
  // What is still open would hold up the end.
  process.stdin.destroy()
  return /^y(es)?$/i.test(answer.trim())
}
