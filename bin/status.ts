import type { Arguments } from './commands.ts'
import { exitCodes } from './failure.ts'
import { type Answered, allAnswered, hangText, printable } from './running.ts'
import type { ServerStatus } from './share/server-door.ts'

/** `ferrule status`: what this user runs, and whether it may move. */
export async function run({ values }: Arguments): Promise<void> {
  const all = await allAnswered()
  if (values.json === true) {
    const found = all.map(({ running: { pid }, status }) => status ?? { pid, error: 'it does not answer' })
    process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  } else if (all.length === 0) {
    process.stdout.write('nothing runs: there is no ferrule serve or bridge of this user\n')
  } else {
    process.stdout.write(`${all.map(blockOf).join('\n\n')}\n`)
  }
  process.exitCode = all.some(({ status }) => status === undefined) ? exitCodes.failed : exitCodes.ok
}

function blockOf({ running: { pid }, status }: Answered): string {
  if (status === undefined) return hangText(pid)
  const { board, title, kind, file, device, over, clients, limits, record, sinceMs } = status
  const rows: [string, string][] = [
    ...(file === undefined ? [] : [['file', file] as [string, string]]),
    ...(device?.ports ?? []).map(({ spec, path, state }): [string, string] => ['port', portText(spec, path, state)]),
    ['process', `${pid}, ferrule ${kind}, for ${durationText(sinceMs)}`],
    ['clients', `${clients}, ${over === 'stdio' ? 'over stdio' : `at ${over}`}`],
    ['outputs', outputsText(status)],
    ...(limits.length === 0 ? [] : [['limits', limits.join('; ')] as [string, string]]),
    ['record', record ?? 'off'],
  ]
  const lines = [
    title === undefined || title === board ? board : `${board}: ${title}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(8)} ${text}`),
  ]
  return lines.map(printable).join('\n')
}

function portText(spec: string, path: string | undefined, state: string): string {
  return `${spec}${path === undefined || path === spec ? '' : ` (${path})`}, ${state}`
}

function outputsText({ board, outputs, stopped, armed, wantsArming, kind, limits }: ServerStatus): string {
  if (limits.includes('read-only') || limits.includes('dry run')) return 'cannot be moved'
  if (stopped) return `stopped: they stay off until "ferrule arm ${board}"`
  if (wantsArming && !armed) return `not armed: they stay off until "ferrule arm ${board}"`
  if (outputs.length === 0) return kind === 'bridge' ? 'as the board says itself' : 'none'
  return `may move: ${outputs.join(', ')}`
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 100) return `${seconds} s`
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
