import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firmwareDir } from './chip-rig.ts'
import { avrGccVersion, type BuiltFirmware, buildFirmware, sizeOf } from './firmware-size.ts'

/** What two sensors and two actuators take of a chip, all that runs on it included. More is a decision. */
const most = { flash: 11_520, ram: 512 }
/** Debian's. Another one makes other bytes, which are as good. */
const usualVersion = '5.4.0'

const version = avrGccVersion()
if (version === undefined && process.env.CI) throw new Error('avr-gcc is missing: apt-get install gcc-avr avr-libc')

describe.skipIf(version === undefined)('the firmware, built from its sources (needs avr-gcc)', () => {
  let built: BuiltFirmware
  beforeAll(() => {
    built = buildFirmware()
  })
  afterAll(() => built.remove())

  it.skipIf(version !== usualVersion).each(['greenhouse', 'minimal', 'safety'])(
    '%s lies in the repository, byte for byte',
    name => {
      const isSame = readFileSync(built.file(`${name}.hex`)).equals(readFileSync(join(firmwareDir, `${name}.hex`)))
      expect(isSame, 'run boards/microcontroller/firmware/build.sh, and commit what it makes').toBe(true)
    },
  )

  it('two sensors and two actuators take a third of the flash, and a quarter of the memory', () => {
    const { flash, ram } = sizeOf(built.file('minimal.elf'))
    expect(flash).toBeLessThanOrEqual(most.flash)
    expect(ram).toBeLessThanOrEqual(most.ram)
  })

  it('the greenhouse leaves half of the memory to the stack', () => {
    expect(sizeOf(built.file('greenhouse.elf')).ram).toBeLessThanOrEqual(1024)
  })
})
