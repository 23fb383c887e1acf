import { describe, expect, it } from 'vitest'
import { buildFolder, isMissing } from './compile.ts'
import { armSize, avrFrames, avrSize, boards } from './library-size.ts'

describe.skipIf(isMissing('avr-gcc'))('on the ATmega328P, with two sensors and two actuators', () => {
  it.each([
    ['whole numbers and truth values', 8192, 400],
    ['one of the sensors with a decimal', 9600, 400],
    ['all five rules at one of the actuators', 9600, 400],
    ['both of these', 10_750, 400],
  ] as const)('%s: no warning, no more than %i bytes of flash and %i of RAM', (name, flash, ram) => {
    const size = avrSize(boards[name], buildFolder())
    expect(size.flash).toBeLessThanOrEqual(flash)
    expect(size.ram).toBeLessThanOrEqual(ram)
  })

  it('no function takes more than 70 bytes of the stack', () => {
    expect(avrFrames(buildFolder())[0]![1]).toBeLessThanOrEqual(70)
  })
})

describe.skipIf(isMissing('arm-none-eabi-gcc'))('on a Cortex-M0', () => {
  it('the library compiles without a warning', () => {
    expect(armSize(buildFolder())).toBeLessThan(12_000)
  })
})
