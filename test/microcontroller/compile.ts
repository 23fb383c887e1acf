import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectDir } from '../child.ts'

/** The library's sources. */
export const library = join(projectDir, 'boards/microcontroller/src')
const here = join(projectDir, 'test/microcontroller')

const packages: Record<string, string> = {
  gcc: 'gcc',
  clang: 'clang',
  'avr-gcc': 'gcc-avr and avr-libc',
  'avr-g++': 'gcc-avr and avr-libc',
  'arm-none-eabi-gcc': 'gcc-arm-none-eabi and libnewlib-arm-none-eabi',
}

/**
 * Whether a compiler is there. Where it is not, the tests that need it are skipped, with what to install; under CI they
 * fail, so that nobody believes that they ran.
 */
export function isMissing(compiler: string): boolean {
  if (spawnSync(compiler, ['--version']).status === 0) return false
  const text = `${compiler} is missing: install ${packages[compiler] ?? compiler}`
  if (process.env.CI) throw new Error(text)
  process.stderr.write(`skipped: ${text}\n`)
  return true
}

/** The C files of the library. */
export function librarySources(): string[] {
  return readdirSync(join(library, 'ferrule'))
    .filter(file => file.endsWith('.c'))
    .map(file => join(library, 'ferrule', file))
}

/** Runs a compiler, and throws with all that it said when it fails or warns. */
export function compile(compiler: string, args: readonly string[], cwd = projectDir): void {
  const { status, stderr, error } = spawnSync(compiler, args, { cwd, encoding: 'utf8' })
  if (status !== 0 || stderr !== '') throw error ?? new Error(`${compiler} ${args.join(' ')}\n${stderr}`)
}

/** A folder for what is built, gone when the process ends. */
export function buildFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-c-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Builds a board with the driver for this machine, with every check that the compiler can add. Returns its path. */
export function buildNative(board: string, into: string): string {
  const made = join(into, board)
  compile('gcc', [
    ...['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-g', '-O1'],
    ...['-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
    ...['-I', library, '-o', made],
    ...[join(here, `${board}.c`), join(here, 'driver.c')],
    ...librarySources(),
  ])
  return made
}

/** What a program prints. */
export function outputOf(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' })
}
