import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import process from 'node:process'
import { commandLine } from './hosts.ts'

/** The machine, as far as finding and starting programs depends on it. */
export interface ProgramPlace {
  platform: NodeJS.Platform
  /** The folders in which programs are looked for, as the variable `PATH` has them. */
  path: string
  /** Whether a file is there that may be run. */
  isProgram(path: string): boolean
}

const here: ProgramPlace = {
  platform: process.platform,
  get path() {
    return process.env.PATH ?? ''
  },
  isProgram(path) {
    try {
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  },
}

/**
 * The program that a command means, as the system looks for it. On Windows a name without an ending means one with: beside
 * `npx.cmd` lies an `npx` that is for other shells.
 */
export function findProgram(command: string, place: ProgramPlace = here): string | undefined {
  const isWindows = place.platform === 'win32'
  const { delimiter, join } = isWindows ? win32 : posix
  const endings = isWindows && !/\.(exe|com|cmd|bat)$/i.test(command) ? ['.com', '.exe', '.bat', '.cmd'] : ['']
  const isPath = (isWindows ? /[\\/]/ : /\//).test(command)
  const folders = isPath ? [undefined] : place.path.split(delimiter)
  return folders
    .flatMap(folder => endings.map(ending => (folder === undefined ? command : join(folder, command)) + ending))
    .find(path => place.isProgram(path))
}

/** What `spawn` is given. */
export interface Spawning {
  file: string
  args: readonly string[]
  shell: boolean
}

/** How a program is started: on Windows, scripts such as `npx.cmd` are started by the command shell and by nothing else. */
export function spawning(command: string, args: readonly string[], place: ProgramPlace = here): Spawning {
  if (place.platform !== 'win32') return { file: command, args, shell: false }
  const program = findProgram(command, place) ?? command
  if (!/\.(cmd|bat)$/i.test(program)) return { file: program, args, shell: false }
  return { file: commandLine([program, ...args], 'win32'), args: [], shell: true }
}
