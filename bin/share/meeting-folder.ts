import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** The longest path of a socket: `sun_path` has 104 bytes on macOS and 108 on Linux, one of them a zero. */
const longestSocketPath = 103
/** Room for the name of a socket in the folder. */
const longestSocketName = 40

/**
 * The folder in which copies of the program find each other. Only this user can get in, which is what keeps others from
 * the sockets in it.
 *
 * Hosts start their servers with few of the variables of the user's shell, or with all of them. The folder has to be the
 * same one for both, so it is not left to `TMPDIR`, and what `XDG_RUNTIME_DIR` usually says is known without it. Whoever
 * wants to keep some copies apart from all others says so by `FERRULE_RUNTIME_DIR`.
 *
 * @throws Error when there is no such folder: which one, and what is wrong with it
 */
export function meetingFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { uid } = userInfo()
  let problem = ''
  for (const folder of candidatesOf(env, uid)) {
    const found = unfit(folder, uid)
    if (found === undefined) return folder
    problem ||= `${folder} ${found}`
  }
  throw new Error(problem)
}

/** Where the system makes a folder for each board that is served as a service (`ferrule service`). */
export const runtimeRoot = '/run/ferrule'

/**
 * All the folders in which copies may have met: one that was started by the system before the user came has another
 * environment than the user's shell, and a service has a folder of its own, which root finds too. None is made.
 */
export function meetingFolders(env: NodeJS.ProcessEnv = process.env, services: string = runtimeRoot): string[] {
  const { uid } = userInfo()
  const folders = candidatesOf(env, uid).filter(
    folder => lstatSync(folder, { throwIfNoEntry: false }) !== undefined && unfit(folder, uid) === undefined,
  )
  return [...new Set([...folders, ...(env.FERRULE_RUNTIME_DIR ? [] : serviceFolders(services, uid))])]
}

/** The folders of services that a user may enter. In one that is root's, nobody else could have put them. */
function serviceFolders(root: string, uid: number): string[] {
  const stat = lstatSync(root, { throwIfNoEntry: false })
  if (stat?.isDirectory() !== true || stat.uid !== 0 || (stat.mode & 0o022) !== 0) return []
  return readdirSync(root)
    .map(name => join(root, name))
    .filter(folder => {
      const owner = lstatSync(folder, { throwIfNoEntry: false })
      return owner?.isDirectory() === true && (uid === 0 || owner.uid === uid)
    })
}

function candidatesOf({ FERRULE_RUNTIME_DIR: only, XDG_RUNTIME_DIR: own }: NodeJS.ProcessEnv, uid: number): string[] {
  if (only) return [only]
  return [...(own ? [join(own, 'ferrule')] : []), `/run/user/${uid}/ferrule`, `/tmp/ferrule-${uid}`]
}

/** Makes the folder where it is missing, and says what keeps it from being used. */
function unfit(folder: string, uid: number): string | undefined {
  if (Buffer.byteLength(folder) + 1 + longestSocketName > longestSocketPath) return 'has a path too long for sockets'
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code !== 'EEXIST') return `cannot be made (${code})`
  }
  // Not followed: in a folder that everybody may write to, a link could lead anywhere.
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) return 'is gone again'
  if (!stat.isDirectory()) return 'is no folder'
  if (stat.uid !== uid) return 'belongs to another user'
  if ((stat.mode & 0o077) !== 0) return 'can be entered by other users: chmod 700 it'
  return undefined
}
