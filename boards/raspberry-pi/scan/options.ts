import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../runtime/clock.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'

/** Who looks, and what that user may open. */
export interface ScanUser {
  name: string
  /** Whether the user may read and write a device. */
  may(path: string): boolean
}

/** What a scan is told. */
export interface ScanOptions extends SystemOptions {
  /** The numbers of the I2C buses that are asked; those that parts are wired to when left out. */
  buses?: readonly number[]
  /**
   * Which other program has a device open, as messages call it. On a bus that is in use so, it is found out who is there and
   * not what they are: that takes transfers which the other program does not expect.
   */
  usedBy?(path: string): Promise<string | undefined>
  /** Whether 1-Wire thermometers are read, which takes 750 ms for each of a bus; they are when left out. */
  readsOneWire?: boolean
  /** The user of this process when left out. */
  user?: ScanUser
  /** By which chips are waited for; that of the machine when left out. */
  clock?: Clock
}

/** The user of this process. */
export function thisUser(): ScanUser {
  return {
    name: userName(),
    may(path) {
      try {
        accessSync(path, constants.R_OK | constants.W_OK)
        return true
      } catch {
        return false
      }
    },
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'NAME'
  }
}

/** The group that a device belongs to, and whether a user was put into it already. Undefined when it has no name. */
export function groupOf(root: string, path: string, user: string): { name: string; joined: boolean } | undefined {
  try {
    const { gid } = statSync(path)
    const found = groups(root).find(group => group.id === gid)
    return found && { name: found.name, joined: found.members.includes(user) }
  } catch {
    return undefined
  }
}

/** Whether there is such a group, and a user other than root is not in it. */
export function isOutside(root: string, name: string, user: string): boolean {
  const found = groups(root).find(group => group.name === name)
  return found !== undefined && user !== 'root' && !found.members.includes(user)
}

function groups(root: string): { name: string; id: number; members: string[] }[] {
  try {
    const lines = readFileSync(join(root, 'etc/group'), 'utf8').split('\n')
    return lines
      .map(line => line.split(':'))
      .map(([name = '', , id, members = '']) => ({ name, id: Number(id), members: members.split(',') }))
  } catch {
    return []
  }
}
