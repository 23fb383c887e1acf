import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import process from 'node:process'

/** A process that has a port open. */
export interface PortHolder {
  pid: number
  /** Its name, with what it runs where that tells more: `screen`, `node board.ts`. */
  command: string
}

/**
 * Finds the processes that have a port open or locked, as far as this user may see them; this process is among them when
 * it is one.
 */
export async function portHolders(path: string): Promise<PortHolder[]> {
  if (process.platform === 'linux') return linuxHolders(path)
  if (process.platform === 'win32') return []
  return parseLsof(await output('lsof', ['-F', 'pc', path]))
}

/**
 * The same before anything is opened, and only where it costs little: on Linux. Who has it open without a lock counts for
 * real ports only: a pseudo terminal is often kept open by the very program that plays the device behind it.
 */
export function knownHolders(path: string): PortHolder[] {
  if (process.platform !== 'linux') return []
  const device = linkedPath(path)
  const isPort = device !== undefined && linkedPath(`/sys/class/tty/${basename(device)}`) !== undefined
  return described(new Set([...(isPort ? openers(path) : []), ...lockers(path)]))
}

function linuxHolders(path: string): PortHolder[] {
  return described(new Set([...openers(path), ...lockers(path)]))
}

function described(pids: ReadonlySet<number>): PortHolder[] {
  return [...pids].map(pid => ({ pid, command: commandOf(pid) }))
}

/** Who has it open: of other users' processes only root can see that. */
function openers(path: string): number[] {
  const device = linkedPath(path)
  if (device === undefined) return []
  return entries('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => entries(`/proc/${pid}/fd`).some(fd => linkOf(`/proc/${pid}/fd/${fd}`) === device))
    .map(Number)
}

/** Who has locked it: everybody can see that. */
function lockers(path: string): number[] {
  try {
    const { ino, dev } = statSync(path)
    return parseLocks(readFileSync('/proc/locks', 'utf8'), dev, ino)
  } catch {
    return []
  }
}

/** Reads the process ids that hold a lock on one file out of `/proc/locks`. */
export function parseLocks(locks: string, dev: number, ino: number): number[] {
  const major = ((dev >>> 8) & 0xfff).toString(16).padStart(2, '0')
  const minor = ((dev & 0xff) | ((dev >>> 12) & 0xfff00)).toString(16).padStart(2, '0')
  const file = `${major}:${minor}:${ino}`
  return locks
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(fields => fields[5] === file && Number(fields[4]) > 0)
    .map(fields => Number(fields[4]))
}

/** Reads what `lsof -F pc` prints. */
export function parseLsof(printed: string): PortHolder[] {
  const holders: PortHolder[] = []
  for (const line of printed.split('\n')) {
    if (line.startsWith('p')) holders.push({ pid: Number(line.slice(1)), command: 'a program' })
    const last = holders.at(-1)
    if (line.startsWith('c') && last !== undefined) last.command = line.slice(1)
  }
  return holders
}

const mostNamed = 3

/** `screen (process 4711)`, and others after it. */
export function holdersText(holders: readonly PortHolder[]): string {
  const named = holders.slice(0, mostNamed).map(({ pid, command }) => `${command} (process ${pid})`)
  if (holders.length > mostNamed) named.push(`${holders.length - mostNamed} more`)
  return named.join(' and ')
}

function commandOf(pid: number): string {
  const words = read(`/proc/${pid}/cmdline`).split('\0')
  return commandText(words) || read(`/proc/${pid}/comm`).trim() || 'a program'
}

const interpreter = /^(node|bun|deno|tsx|python[\d.]*|ruby|perl|java|sh|bash|dash|zsh)$/

/** The program, and the script where the program is only what runs it. No more: arguments may hold what is secret. */
export function commandText([program = '', ...rest]: readonly string[]): string {
  const name = basename(program)
  if (!interpreter.test(name)) return name
  const script = rest.find(word => /^[^-\s]\S*$/.test(word) && /[./]/.test(word))
  return script === undefined ? name : `${name} ${basename(script)}`
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The device that a path leads to, or nothing. */
function linkedPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise(resolve => {
    execFile(command, args, { timeout: 3000 }, (_error, stdout) => resolve(stdout))
  })
}
