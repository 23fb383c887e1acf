import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { flashBytes, readIntelHex } from '../../boards/microcontroller/emulator/index.ts'
import { Failure } from '../failure.ts'
import { packageFile } from '../place.ts'

/** A program for the chip. */
export interface Image {
  /** What people call it. */
  name: string
  program: Uint8Array
}

const builtIn = 'boards/microcontroller/firmware/greenhouse.hex'

/** Reads a program; the built-in one for the greenhouse when no file is named. Throws a {@link Failure} that says why not. */
export function loadImage(file: string | undefined): Image {
  const path = file ?? packageFile(builtIn)
  try {
    return {
      name: basename(path).replace(/\.hex$/i, ''),
      program: readIntelHex(readFileSync(path, 'latin1'), flashBytes),
    }
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Failure(`there is no file ${path}`)
    const elf = /\.elf$/i.test(path) ? '. It takes Intel HEX: avr-objcopy -O ihex makes it of an ELF file' : ''
    throw new Failure(`${path} cannot be loaded: ${message}${elf}`)
  }
}
