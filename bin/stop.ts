import type { StopReport } from '../runtime/index.ts'
import type { Arguments } from './commands.ts'
import { exitCodes } from './failure.ts'
import {
  allAnswered,
  allRunning,
  meant,
  nothingRuns,
  printable,
  type Running,
  type ServerAnswer,
  serverText,
} from './running.ts'
import { isSafe, stoppedLines } from './stopped-text.ts'

/** What became of the outputs of one process. */
interface Stopped {
  pid: number
  answer?: ServerAnswer
  /** Why it is not known. */
  error?: string
}

/** `ferrule stop`: puts every output of everything that this user runs into its safe state, where it stays. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const [word] = positionals
  const targets = word === undefined ? allRunning() : (await meant(await allAnswered(), word)).map(each => each.running)
  const asJson = values.json === true
  const stopped = await Promise.all(
    targets.map(async target => {
      const one = await stop(target)
      // At once: another one may hang.
      if (one !== undefined && !asJson) process.stdout.write(`${textOf(one)}\n`)
      return one
    }),
  )
  const all = stopped.filter(one => one !== undefined)
  if (asJson) process.stdout.write(`${JSON.stringify(all.map(jsonOf), null, 2)}\n`)
  if (all.length === 0) throw nothingRuns()
  process.exitCode = all.every(isStopped) ? exitCodes.ok : exitCodes.failed
}

async function stop(target: Running): Promise<Stopped | undefined> {
  const { pid } = target
  try {
    const answer = await target.tell('stop', 'ferrule stop')
    if (answer === undefined) return undefined
    return answer.ok === true ? { pid, answer } : { pid, error: answer.error ?? 'it does not say why' }
  } catch (thrown) {
    return { pid, error: (thrown as Error).message }
  }
}

const nothing: StopReport = { outputs: [], failures: [] }

function isStopped({ answer }: Stopped): boolean {
  return answer?.report !== undefined && isSafe(answer.report)
}

function textOf(one: Stopped): string {
  const { answer, error, pid } = one
  if (answer === undefined) return `NOT STOPPED: ${error?.startsWith('process') ? error : `process ${pid}: ${error}`}`
  const report: StopReport = answer.report ?? nothing
  const { outputs, failures } = report
  return [
    `${serverText(answer)}: ${isStopped(one) ? 'stopped' : 'NOT SAFE'}`,
    ...stoppedLines(report),
    ...(outputs.length === 0 && failures.length === 0 ? noneTexts(answer) : []),
  ]
    .map(printable)
    .join('\n')
}

function noneTexts({ device }: ServerAnswer): string[] {
  const away = (device?.ports ?? []).flatMap(({ spec, away }) => (away === undefined ? [] : [`  ${spec}: ${away}`]))
  return away.length === 0 ? ['  it has no outputs'] : ['  no board is there:', ...away]
}

function jsonOf({ pid, answer, error }: Stopped): object {
  return answer === undefined
    ? { pid, error }
    : { pid, board: answer.board, kind: answer.kind, ...(answer.report ?? {}), stopped: answer.stopped }
}
