import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { env, platform } from 'node:process'

/** The folder of the records of this user, one file a board; a service has its own. */
export function recordFolder(): string {
  if (env.FERRULE_STATE_DIR) return join(env.FERRULE_STATE_DIR, 'record')
  return join(stateFolder(), 'ferrule', 'record')
}

/** Where the folders of services are, in which they keep what stays (`ferrule service`). */
export const stateRoot = '/var/lib/ferrule'

/**
 * All folders of records that this user may read: the own one, and those of services. They are read, and none is made.
 */
export async function recordFolders(services: string = stateRoot): Promise<string[]> {
  if (platform !== 'linux') return [recordFolder()]
  // A service of another user keeps its record to itself.
  const names = await namesIn(services).catch(() => [])
  const folders = names.map(name => join(services, name, 'record'))
  const open = await Promise.all(
    folders.map(folder =>
      namesIn(folder)
        .then(all => all.length > 0)
        .catch(() => false),
    ),
  )
  return [recordFolder(), ...folders.filter((_, index) => open[index])]
}

/** The file of a board's record in a folder. */
export function recordPath(board: string, folder: string = recordFolder()): string {
  // A board may be called what a device says: nothing of it leads out of the folder.
  return join(folder, `${board.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'board'}.jsonl`)
}

/** Where programs of this user keep what should stay. */
function stateFolder(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = env
  if (platform === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local')
  // A relative path has to be ignored (XDG Base Directory Specification).
  if (XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)) return XDG_STATE_HOME
  return platform === 'darwin' ? join(homedir(), 'Library', 'Application Support') : join(homedir(), '.local', 'state')
}

/** A part of a record that is full and was put aside: `fan.000007-x3f9.jsonl` beside `fan.jsonl`. */
export interface OldPart {
  path: string
  /** Parts are numbered in the order in which they were put aside. */
  number: number
}

/**
 * The old parts of a record, the oldest first.
 *
 * @throws what reading the folder throws, but for one that is not there
 */
export async function oldParts(path: string): Promise<OldPart[]> {
  const folder = dirname(path)
  const { stem, extension } = nameOf(path)
  return (await namesIn(folder))
    .filter(name => name.startsWith(`${stem}.`) && name.endsWith(extension))
    .flatMap(name => {
      const [, number] = /^(\d+)-[a-z0-9]+$/.exec(name.slice(stem.length + 1, name.length - extension.length)) ?? []
      return number === undefined ? [] : [{ path: join(folder, name), number: Number(number) }]
    })
    .sort((a, b) => a.number - b.number || (a.path < b.path ? -1 : 1))
}

/** The name for the next part that is put aside. Two processes that ask at once get two names. */
export async function nextPart(path: string): Promise<string> {
  const { stem, extension } = nameOf(path)
  const number = ((await oldParts(path)).at(-1)?.number ?? 0) + 1
  const own = Math.random().toString(36).slice(2, 8).padEnd(6, '0')
  return join(dirname(path), `${stem}.${String(number).padStart(6, '0')}-${own}${extension}`)
}

function nameOf(path: string): { stem: string; extension: string } {
  const extension = extname(path)
  return { stem: basename(path, extension), extension }
}

/** The names in a folder; none when it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
