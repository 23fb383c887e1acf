import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firmwareDir } from './chip-rig.ts'

/** What a firmware takes of the chip, in bytes. */
export interface FirmwareSize {
  flash: number
  /** Of variables; the stack comes on top. */
  ram: number
}

/** The version of avr-gcc; nothing when it is not installed. */
export function avrGccVersion(): string | undefined {
  try {
    return execFileSync('avr-gcc', ['-dumpversion'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

/** Firmware in a folder of its own. */
export interface BuiltFirmware {
  file(name: string): string
  remove(): void
}

/** Builds the firmwares from their sources. */
export function buildFirmware(): BuiltFirmware {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-firmware-'))
  execFileSync('sh', [join(firmwareDir, 'build.sh'), folder], { stdio: 'pipe' })
  return { file: name => join(folder, name), remove: () => rmSync(folder, { recursive: true }) }
}

/** What `avr-size` says of a program. */
export function sizeOf(elf: string): FirmwareSize {
  const [, numbers = ''] = execFileSync('avr-size', [elf], { encoding: 'utf8' }).split('\n')
  const [text = 0, data = 0, bss = 0] = numbers.trim().split(/\s+/).map(Number)
  return { flash: text + data, ram: data + bss }
}
