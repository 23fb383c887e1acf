import { execFileSync, spawnSync } from 'node:child_process'
import { Failure } from '../failure.ts'

/** The version of the systemd of this computer; that of Debian 12 when it has none. */
export function systemdVersion(): number {
  try {
    const text = execFileSync('systemctl', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Number(/^systemd (\d+)/.exec(text)?.[1] ?? usualVersion)
  } catch {
    return usualVersion
  }
}

const usualVersion = 252

/**
 * Runs systemctl, which says on stderr what goes wrong.
 *
 * @throws Failure when it fails
 */
export function systemctl(...words: string[]): void {
  const { error, status } = spawnSync('systemctl', words, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (error !== undefined)
    throw new Failure(`systemctl cannot be run (${error.message}): is this a system with systemd?`)
  if (status !== 0) throw new Failure(`systemctl ${words.join(' ')} failed`)
}

/** What a service said last, for a person. */
export function lastWords(service: string): string {
  const { stdout } = spawnSync('journalctl', ['--unit', service, '--lines', '20', '--no-pager', '--output', 'cat'], {
    encoding: 'utf8',
  })
  return stdout ?? ''
}
