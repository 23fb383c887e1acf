import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { reach } from './claim.ts'
import { meetingFolders } from './meeting-folder.ts'

/** The door of a process that serves a board. */
export interface FoundDoor {
  readonly pid: number
  /** Connects to it; nothing when there is nobody behind it any more. */
  reach(): Promise<Socket | undefined>
}

/** The name of such a door in the folder: a name is never used a second time, and tells whose it is. */
export function socketName(pid: number, unique: string): string {
  return `server.${pid}-${unique}.sock`
}

const named = /^server\.(\d+)-[0-9a-f]+\.sock$/
const pipes = '\\\\.\\pipe\\'

/** What the names of such doors of this user begin with on Windows, before the id of the process. */
export function pipePrefix(): string {
  const user = createHash('sha256').update(userInfo().username).digest('hex').slice(0, 16)
  return `${pipes}ferrule-server-${user}-`
}

/** The doors of all processes of this user that serve a board; some may be of processes that are gone. */
export function findDoors(): FoundDoor[] {
  return process.platform === 'win32' ? pipeDoors() : meetingFolders().flatMap(socketDoors)
}

function socketDoors(folder: string): FoundDoor[] {
  sweep(folder)
  return readdirSync(folder).flatMap(name => {
    const pid = pidOf(name)
    return pid === undefined ? [] : [{ pid, reach: () => reach(join(folder, name)) }]
  })
}

function pipeDoors(): FoundDoor[] {
  const prefix = pipePrefix()
  return readdirSync(pipes).flatMap(name => {
    const path = pipes + name
    if (!path.startsWith(prefix)) return []
    return [{ pid: Number(path.slice(prefix.length)), reach: () => reach(path) }]
  })
}

/** Removes the doors of processes that were killed. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = pidOf(name)
    if (pid !== undefined && !isAlive(pid)) rmSync(join(folder, name), { force: true })
  }
}

function pidOf(name: string): number | undefined {
  const [, pid] = named.exec(name) ?? []
  return pid === undefined ? undefined : Number(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    // It is there, and another user's, which may use the number again.
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
