import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LineFlag } from '../../boards/raspberry-pi/gpio/uapi.ts'
import { projectDir } from '../child.ts'
import { compile, isMissing } from '../microcontroller/compile.ts'

const here = join(projectDir, 'test/raspberry-pi')
const sources = ['gpio/uapi.ts', 'bus/i2c.ts', 'bus/smbus.ts', 'bus/spi.ts']

/** The numbers that the sources write down under the kernel's own names, as they are written. */
const written = sources.flatMap(file => {
  const text = readFileSync(join(projectDir, 'boards/raspberry-pi', file), 'utf8')
  return [...text.matchAll(/^const ([A-Z][A-Z0-9_]+) = (\w+)$/gm)].map(([, name, value]) => [name!, value!] as const)
})
const flags = Object.entries(LineFlag).map(([name, value]) => [`GPIO_V2_LINE_FLAG_${name}`, String(value)] as const)

/** How C has what is named otherwise. */
const inC = (name: string) => (name === 'SPI_IOC_MESSAGE_1' ? 'SPI_IOC_MESSAGE(1)' : name)

describe.skipIf(process.platform !== 'linux' || isMissing('clang'))('what the kernel is called with', () => {
  it.each([
    ['64 bits', 'aarch64-linux-gnu'],
    ['32 bits', 'armv7-linux-gnueabihf'],
    ['a computer', 'x86_64-linux-gnu'],
  ])('is what its headers say, on %s', (_, target) => {
    expect(written.map(([name]) => name)).toContain('GPIO_V2_GET_LINE_IOCTL')
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-c-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'numbers.c')
    const checks = [...written, ...flags].map(([name, value]) => `IS(${inC(name)}, ${value});`)
    writeFileSync(file, [`#include "${join(here, 'layouts.c')}"`, ...checks, ''].join('\n'))
    // The headers of the kernel's interface are the same for all processors, but for a folder that each of them has.
    const headers = [
      '-isystem',
      '/usr/include',
      '-isystem',
      `/usr/include/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
    ]
    compile('clang', [`--target=${target}`, '-fsyntax-only', '-Wall', ...headers, file])
  })
})
