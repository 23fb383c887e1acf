import { createHash } from 'node:crypto'
import { lutimesSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { uniqueDigits } from '../unique-digits.ts'
import { meetingFolder } from './meeting-folder.ts'

/** The outcome of asking for a key: this process has it, or is connected to the one that has. */
export type Claim = { owner: true; door: Door } | { owner: false; socket: Socket }

/** The open door of an owner. */
export interface Door {
  /** Has those who come in taken, also those who came before. Called once. */
  answer(take: (socket: Socket) => void): void
  /** Gives the key back: whoever asks next has it. */
  close(): void
  /** It does not keep the process alive. */
  unref(): void
}

/**
 * Asks for a key. Of all processes of this user that ask, however close together, exactly one is its owner at a time.
 *
 * @throws Error when there is no way to find out, such as a folder that others could reach into
 */
export function claim(key: string): Promise<Claim> {
  return process.platform === 'win32' ? claimPipe(key) : claimSocket(key)
}

/** Connects to the owner of a key; nothing when nobody owns it. */
export async function findOwner(key: string): Promise<Socket | undefined> {
  if (process.platform === 'win32') return reach(pipeName(key))
  const folder = meetingFolder()
  const last = terms(folder, shortHash(key)).at(-1)
  return last === undefined ? undefined : reach(termPath(folder, shortHash(key), last))
}

/**
 * The owner of each term has a symbolic link with the term's number, which leads to its socket:
 *
 *   3f2a….7 → 3f2a….4711-a1b2c3.sock
 *
 * To make a link that exists already fails, so a term has one owner. A socket without its process refuses connections,
 * and does so for ever, since no process binds a name a second time: then the next term may begin. The link of the last
 * term is never removed while there is no later one, so terms only rise, and whoever comes late with a claim to an
 * earlier one sees it. Nothing is ever removed that could be in use.
 */
async function claimSocket(key: string): Promise<Claim> {
  const folder = meetingFolder()
  const hash = shortHash(key)
  for (let tries = 0; ; tries++) {
    const last = terms(folder, hash).at(-1)
    if (last !== undefined) {
      const socket = await reach(termPath(folder, hash, last))
      if (socket !== undefined) return { owner: false, socket }
    }
    const door = await beginTerm(folder, hash, (last ?? 0) + 1)
    if (door !== undefined) return { owner: true, door }
    if (tries === mostTries) throw new Error(`${folder} changes faster than it can be read`)
  }
}

const mostTries = 100

async function beginTerm(folder: string, hash: string, term: number): Promise<Door | undefined> {
  const name = `${hash}.${process.pid}-${uniqueDigits(6)}.sock`
  // Open before it can be found: a socket that nobody listens on counts as left behind.
  const door = await openDoor(join(folder, name))
  const link = termPath(folder, hash, term)
  try {
    symlinkSync(name, link)
  } catch (thrown) {
    door.close()
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw thrown
  }
  const all = terms(folder, hash)
  if (all.at(-1) !== term) {
    door.close()
    remove(link)
    return undefined
  }
  for (const earlier of all) if (earlier < term) removeTerm(folder, hash, earlier)
  const timer = setInterval(() => refresh(link), refreshMs)
  timer.unref()
  return {
    answer: door.answer,
    unref: door.unref,
    close() {
      clearInterval(timer)
      door.close()
    },
  }
}

/** Systems clean their folder for temporary files of what nobody touched for days. */
const refreshMs = 3_600_000

function refresh(link: string): void {
  const now = new Date()
  try {
    lutimesSync(link, now, now)
  } catch {
    // Without its link the owner is not found, and the port tells that it is taken.
  }
}

function termPath(folder: string, hash: string, term: number): string {
  return join(folder, `${hash}.${term}`)
}

/** The numbers of all terms, rising. */
function terms(folder: string, hash: string): number[] {
  return readdirSync(folder)
    .filter(name => name.startsWith(`${hash}.`) && /^\d+$/.test(name.slice(hash.length + 1)))
    .map(name => Number(name.slice(hash.length + 1)))
    .sort((a, b) => a - b)
}

function removeTerm(folder: string, hash: string, term: number): void {
  const link = termPath(folder, hash, term)
  try {
    remove(join(folder, readlinkSync(link)))
  } catch {
    // Somebody else was faster.
  }
  remove(link)
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone, which is what was wanted.
  }
}

/** On Windows the system itself sees to it that a pipe has one owner, and forgets it with its process. */
async function claimPipe(key: string): Promise<Claim> {
  for (let tries = 0; ; tries++) {
    try {
      return { owner: true, door: await openDoor(pipeName(key)) }
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === mostTries) throw thrown
    }
    const socket = await reach(pipeName(key))
    if (socket !== undefined) return { owner: false, socket }
  }
}

function pipeName(key: string): string {
  return `\\\\.\\pipe\\ferrule-${shortHash(`${userInfo().username}\n${key}`)}`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Opens a door at the path of a socket, or the name of a pipe. */
export async function openDoor(path: string): Promise<Door> {
  const early: Socket[] = []
  let take = (socket: Socket): void => {
    early.push(socket)
  }
  // Half open: whoever has said all that it has to say still hears the answers.
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, socket => take(socket))
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(path, () => {
      listener.off('error', reject)
      // A caller that was gone before it could be let in.
      listener.on('error', () => {})
      resolve()
    })
  })
  return {
    answer(taken) {
      take = taken
      for (const socket of early.splice(0)) taken(socket)
    },
    close() {
      listener.close()
      for (const socket of early.splice(0)) socket.destroy()
    },
    unref: () => void listener.unref(),
  }
}

const retryMs = 20

/** Connects to a socket or pipe; nothing when there is nobody behind it. */
export async function reach(path: string): Promise<Socket | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await connected(path)
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException
      if (code === 'ECONNREFUSED' || code === 'ENOENT') return undefined
      // Too many at once, for one: somebody is there.
      if (tries === mostTries) throw thrown
      await new Promise(resolve => setTimeout(resolve, retryMs))
    }
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
