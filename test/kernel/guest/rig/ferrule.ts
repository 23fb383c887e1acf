import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Child } from '../../../child-process.ts'

/** What has an end: a test, or a `describe`. */
interface Ended {
  after(act: () => unknown): void
}

const projectDir = process.env.FERRULE_PROJECT!

/** Folders of its own for what a command keeps and where it meets others. */
export function ownFolders(): Record<string, string> {
  const folder = mkdtempSync('/run/ferrule-')
  return { XDG_CACHE_HOME: folder, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder }
}

/** The command as a user gets it, as a process that never outlives its test. */
export function startFerrule(
  test: Ended,
  words: readonly string[],
  env: Record<string, string> = ownFolders(),
  before: readonly string[] = [],
): Child {
  const [command, ...args] = [...before, process.execPath, join(projectDir, 'dist/bin/ferrule.js'), ...words]
  const child = new Child(command!, args, { cwd: '/', env })
  test.after(() => child.stop())
  return child
}

/** Runs the command to its end. */
export async function ferrule(
  test: Ended,
  words: readonly string[],
  ...rest: [env?: Record<string, string>, before?: readonly string[]]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = startFerrule(test, words, ...rest)
  child.endInput()
  const { code } = await child.exit()
  return { code, stdout: child.lines.join('\n'), stderr: child.stderr }
}

/**
 * What `ferrule ports` prints. It gives a board eight seconds to answer, which may be too short on a busy machine: then it
 * is run again, a few times.
 */
export async function listedPorts(
  test: Ended,
  ...rest: [env?: Record<string, string>, before?: readonly string[]]
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const { stdout } = await ferrule(test, ['ports'], ...rest)
    if (!stdout.includes('nothing that is known answers') || tries === 5) return stdout
  }
}
