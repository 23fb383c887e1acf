import { execFileSync } from 'node:child_process'
import { type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import process from 'node:process'
import { exitCodes, Failure } from '../failure.ts'

/** A user of this computer. */
export interface Account {
  name: string
  uid: number
  gid: number
  home: string
}

/**
 * The user that a service is to run as: the one that is named, or the person who asks, also by way of sudo.
 *
 * @throws Failure when there is none, or when it is root
 */
export function accountOf(given: string | undefined, env: NodeJS.ProcessEnv = process.env): Account {
  const person = process.getuid?.() === 0 ? env.SUDO_USER : userInfo().username
  const name = given ?? person
  if (name === undefined || name === '') {
    throw new Failure(
      'a service does not run as root, and you are: name a user with --user NAME. This makes one for it:\n' +
        '  useradd --system --user-group ferrule',
      exitCodes.wrongUse,
    )
  }
  const line = entry('passwd', name)
  if (line === undefined) throw new Failure(`--user ${name}: this computer has no user of that name`)
  const [found = name, , uid, gid, , home = '/'] = line.split(':')
  if (Number(uid) === 0) {
    throw new Failure(
      `--user ${name}: that is root, who may do everything. Groups let another user have pins and buses`,
      exitCodes.wrongUse,
    )
  }
  return { name: found, uid: Number(uid), gid: Number(gid), home }
}

/** Those of these groups that this computer has. */
export function groupsOf(names: readonly string[]): string[] {
  return names.filter(name => entry('group', name) !== undefined)
}

function entry(database: 'passwd' | 'group', name: string): string | undefined {
  try {
    return execFileSync('getent', [database, '--', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .find(line => line !== '')
  } catch {
    return undefined
  }
}

/** What keeps a user from reading a file: it, or a folder above it. Nothing when nothing does. */
export function unreadable(path: string, { uid, gid }: Account): string | undefined {
  const may = (stat: Stats, bit: number) => {
    const shift = stat.uid === uid ? 6 : stat.gid === gid ? 3 : 0
    return ((stat.mode >> shift) & bit) !== 0
  }
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!may(statSync(folder), 1)) return folder
    if (folder === dirname(folder)) break
  }
  return may(statSync(path), 4) ? undefined : path
}
