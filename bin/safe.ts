import process from 'node:process'
import { createServer } from '../runtime/index.ts'
import type { Arguments } from './commands.ts'
import { exitCodes } from './failure.ts'
import { load } from './load.ts'
import { printable } from './running.ts'
import { isSafe, stoppedLines } from './stopped-text.ts'

/** Whatever hangs, it has ended after this. */
const patienceMs = 8000

/** `ferrule safe`: takes the hardware of a board, makes it safe, and gives it back. */
export async function run({ positionals }: Arguments): Promise<void> {
  const [file] = positionals
  const say = (text: string) => void process.stderr.write(`ferrule: ${text}\n`)
  setTimeout(() => {
    say(`${file} did not become safe in ${patienceMs / 1000} s: switch its outputs off by hand`)
    process.exit(exitCodes.failed)
  }, patienceMs)
  const loaded = await load(file!)
  const server = loaded.server ?? createServer(loaded.board)
  server.diagnose = say
  process.on('exit', () => server.makeSafeNow())
  await server.open().catch(() => {})
  const report = await server.stop('ferrule safe')
  const { name } = server.board
  const lines = [`${name}: ${isSafe(report) ? 'its outputs are safe' : 'NOT SAFE'}`, ...stoppedLines(report)]
  process.stdout.write(`${lines.map(printable).join('\n')}\n`)
  await server.close()
  // What the file left open, such as a timer, must not hold up the end.
  process.exit(isSafe(report) ? exitCodes.ok : exitCodes.failed)
}
