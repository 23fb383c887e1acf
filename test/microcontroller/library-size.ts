// Prints what the library takes of a chip: npx tsx test/microcontroller/library-size.ts
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { projectDir } from '../child.ts'
import { buildFolder, compile, library, librarySources, outputOf } from './compile.ts'

const board = join(projectDir, 'test/microcontroller/small-board.c')
const warnings = ['-std=c99', '-Wall', '-Wextra', '-Werror']

/** What avr-gcc 5.4 makes the fewest bytes with. */
const smallest = `@${join(projectDir, 'boards/microcontroller/firmware/smallest.flags')}`

/** The boards that are measured: two sensors and two actuators each, and what they declare beyond whole numbers. */
export const boards = {
  'whole numbers and truth values': [],
  'one of the sensors with a decimal': ['-DDECIMALS'],
  'all five rules at one of the actuators': ['-DRULES'],
  'both of these': ['-DDECIMALS', '-DRULES'],
}

/** What a program takes, in bytes. */
export interface Size {
  flash: number
  /** Of variables and buffers; the stack comes on top. */
  ram: number
}

/** The measured board on the ATmega328P, with all that it needs to run. */
export function avrSize(defines: readonly string[], into: string): Size {
  const made = join(into, 'board.elf')
  compile('avr-gcc', [
    ...[...warnings, '-mmcu=atmega328p', '-ffunction-sections', '-fdata-sections', '-Wl,--gc-sections'],
    ...[smallest, ...defines, '-I', library, '-o', made, board, ...librarySources()],
  ])
  const [text, data, bss] = outputOf('avr-size', [made]).split('\n')[1]!.trim().split(/\s+/).map(Number)
  return { flash: text! + data!, ram: data! + bss! }
}

/** The frames of the library's functions on the stack of the ATmega328P, in bytes, the largest first. */
export function avrFrames(into: string): [name: string, bytes: number][] {
  for (const file of librarySources()) {
    const object = join(into, `${basename(file)}.o`)
    compile('avr-gcc', [
      ...warnings,
      '-mmcu=atmega328p',
      '-Os',
      '-fstack-usage',
      '-I',
      library,
      '-c',
      file,
      '-o',
      object,
    ])
  }
  return readdirSync(into)
    .filter(file => file.endsWith('.su'))
    .flatMap(file => readFileSync(join(into, file), 'utf8').trim().split('\n'))
    .map(line => line.split('\t'))
    .map(([where, bytes]): [string, number] => [where!.split(':').at(-1)!, Number(bytes)])
    .sort(([, a], [, b]) => b - a)
}

/** Compiles the library for a Cortex-M0, and throws when anything warns. Returns its code in bytes, all of it. */
export function armSize(into: string): number {
  let all = 0
  for (const file of librarySources()) {
    const object = join(into, `${basename(file)}.o`)
    compile('arm-none-eabi-gcc', [
      ...[...warnings, '-pedantic', '-mcpu=cortex-m0', '-mthumb', '-Os', '-I', library, '-c', file, '-o', object],
    ])
    all += Number(outputOf('arm-none-eabi-size', [object]).split('\n')[1]!.trim().split(/\s+/)[0])
  }
  return all
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = buildFolder()
  console.log('ATmega328P, two sensors and two actuators, bytes of flash and of RAM without stack:')
  for (const [name, defines] of Object.entries(boards)) {
    const { flash, ram } = avrSize(defines, folder)
    console.log(`  ${name}: ${flash}, ${ram}`)
  }
  const frames = avrFrames(folder).slice(0, 5)
  console.log(`largest frames on its stack: ${frames.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`)
  console.log(`Cortex-M0, the whole library: ${armSize(folder)} bytes of flash`)
}
