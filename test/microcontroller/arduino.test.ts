import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Atmega328p, flashBytes, readIntelHex } from '../../boards/microcontroller/emulator/index.ts'
import { projectDir } from '../child.ts'
import { ChipRig } from './chip-rig.ts'
import { buildFolder, compile, isMissing, library, librarySources, outputOf } from './compile.ts'

const core = '/usr/share/arduino/hardware/arduino/avr'
const examples = join(projectDir, 'boards/microcontroller/examples')

/** Whether the Arduino core of Debian is there. */
function isCoreMissing(): boolean {
  if (isMissing('avr-g++')) return true
  if (existsSync(core)) return false
  const text = 'the Arduino core is missing: install arduino-core-avr'
  if (process.env.CI) throw new Error(text)
  process.stderr.write(`skipped: ${text}\n`)
  return true
}

// As platform.txt of the core has them for the Uno. The compiler of Debian lacks DECIMAL_DIG in C++.
const flags = [
  ...['-Os', '-mmcu=atmega328p', '-DF_CPU=16000000L', '-DARDUINO=10819', '-DARDUINO_AVR_UNO', '-DARDUINO_ARCH_AVR'],
  ...['-DDECIMAL_DIG=17', '-ffunction-sections', '-fdata-sections', '-flto'],
  ...['-I', join(core, 'cores/arduino'), '-I', join(core, 'variants/standard')],
  ...['-I', join(core, 'libraries/Wire/src')],
]
const c = ['-std=gnu11', ...flags]
const cpp = ['-std=gnu++11', '-fno-exceptions', '-fno-threadsafe-statics', '-fpermissive', ...flags]

describe.skipIf(isCoreMissing())('a sketch for the Uno', () => {
  const folder = buildFolder()
  const objects: string[] = []

  /** Compiles one file. What is ours must not warn. */
  function object(file: string, isOurs: boolean): string {
    const into = join(folder, `${basename(file)}.o`)
    const isC = file.endsWith('.c')
    compile(isC ? 'avr-gcc' : 'avr-g++', [
      ...(isC ? c : cpp),
      ...(isOurs ? ['-Wall', '-Wextra', '-Werror'] : ['-w']),
      ...['-I', library, '-c', file, '-o', into],
    ])
    return into
  }

  beforeAll(() => {
    const sources = (part: string) =>
      readdirSync(join(core, part))
        .filter(file => /\.(c|cpp)$/.test(file))
        .map(file => join(core, part, file))
    for (const file of [
      ...sources('cores/arduino'),
      ...sources('libraries/Wire/src'),
      ...sources('libraries/Wire/src/utility'),
    ]) {
      objects.push(object(file, false))
    }
    for (const file of [...librarySources(), join(library, 'Ferrule.cpp')]) objects.push(object(file, true))
  })

  const shipped = readdirSync(examples).map(name => [name, join(examples, name, `${name}.ino`)] as const)
  const page = readFileSync(join(projectDir, 'docs/first-board.md'), 'utf8')
  const printed = [...page.matchAll(/^```cpp\n([\s\S]*?)^```/gm)].map(([, text], at) => {
    const file = join(folder, `first-board-${at}.ino`)
    writeFileSync(file, text!)
    return [`sketch ${at} of docs/first-board.md`, file] as const
  })

  it.each([...shipped, ...printed])(
    '%s compiles without a warning, fits, and says hello on an emulated chip',
    async (name, source) => {
      const sketch = join(folder, name.replace(/\W+/g, '-'))
      mkdirSync(sketch)
      // What the Arduino program does to a sketch: it includes Arduino.h.
      const file = join(sketch, 'sketch.cpp')
      writeFileSync(file, `#include <Arduino.h>\n#include "${source}"\n`)
      const made = join(sketch, 'sketch.elf')
      const linked = ['-fuse-linker-plugin', '-Wl,--gc-sections', '-o', made, object(file, true), ...objects, '-lm']
      compile('avr-gcc', [...flags, ...linked])
      const [text, data, bss] = outputOf('avr-size', [made]).split('\n')[1]!.trim().split(/\s+/).map(Number)
      expect(text! + data!).toBeLessThan(32_256)
      expect(data! + bss!).toBeLessThan(1024)
      const image = join(sketch, 'sketch.hex')
      compile('avr-objcopy', ['-O', 'ihex', '-R', '.eeprom', made, image])
      const program = readIntelHex(readFileSync(image, 'latin1'), flashBytes)
      const rig = new ChipRig(await Atmega328p.create({ program }))
      rig.host.start()
      await rig.until(() => rig.host.hello !== undefined, 8000)
      const { sensors, actuators } = await rig.settle(rig.host.describe())
      expect(sensors.length + actuators.length).toBeGreaterThan(0)
    },
  )
})
