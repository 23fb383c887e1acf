import { describe, expect, it } from 'vitest'
import { checkedWords, crc8 } from '../../boards/parts/crc8.ts'
import { sht3x } from '../../boards/parts/sht3x.ts'
import { sht4x } from '../../boards/parts/sht4x.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { SHTModel } from './models/sht-model.ts'
import { reading } from './reading.ts'

const families = {
  SHT3x: {
    make: sht3x,
    measure: '2400',
    commands: (words: number[]) => ({
      '3093': { ms: 1 },
      f32d: { ms: 0, words: [0x8010] },
      '2400': { ms: 15.5, words },
    }),
  },
  SHT4x: {
    make: sht4x,
    measure: 'fd',
    commands: (words: number[]) => ({
      '94': { ms: 1 },
      '89': { ms: 0, words: [0x1234, 0x5678] },
      fd: { ms: 8.3, words },
    }),
  },
}

function wired(family: keyof typeof families, ...words: number[]) {
  const clock = new JumpingClock()
  const { make, commands } = families[family]
  const i2c = new SHTModel({ clock, commands: commands(words) })
  return { i2c, part: make({ i2c, clock }) }
}

describe('the checksum', () => {
  it("of 0xBEEF is 0x92, as in the datasheet's table (SHT3x-DIS, section 4.12)", () => {
    expect(crc8([0xbe, 0xef])).toBe(0x92)
  })

  it('belongs to the word before it', () => {
    const answer = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer)
    expect(checkedWords(answer(0xbe, 0xef, 0x92, 0xbe, 0xef, 0x92))).toEqual([0xbeef, 0xbeef])
    expect(checkedWords(answer(0xbe, 0xef, 0x92, 0xbe, 0xef, 0x93))).toBeUndefined()
    expect(checkedWords(answer(0xbf, 0xef, 0x92))).toBeUndefined()
    expect(checkedWords(answer(0, 0, 0))).toBeUndefined()
  })
})

describe.each(['SHT3x', 'SHT4x'] as const)('an %s', family => {
  it('is found by its answer, and measures both quantities at once', async () => {
    const { i2c, part } = wired(family, 0x6666, 0x8000)
    await part.open()
    const both = await Promise.all([reading(part.sensors.temperature), reading(part.sensors.humidity)])
    // 0x6666 is two fifths of 65535.
    expect(both).toEqual([25, family === 'SHT3x' ? 50 : 56.5])
    expect(i2c.taken.filter(command => command === families[family].measure)).toHaveLength(1)
    await part.close()
    expect(i2c.closed).toBe(true)
  })

  it.each([0, 1])('with a wrong checksum of word %i gives no value', async word => {
    const { i2c, part } = wired(family, 0x6666, 0x8000)
    await part.open()
    i2c.damaged = word
    await expect(reading(part.sensors.temperature)).rejects.toThrow(
      `${family} at 0x44 on i2c-1 gave an answer with a wrong checksum`,
    )
    i2c.damaged = undefined
    expect(await reading(part.sensors.temperature)).toBe(25)
  })

  it('that has not measured in its time gives no value', async () => {
    const { i2c, part } = wired(family, 0x6666, 0x8000)
    i2c.commands[families[family].measure]!.ms = 30
    await expect(reading(part.sensors.humidity)).rejects.toThrow(`${family} at 0x44 on i2c-1 does not answer`)
  })

  it('that is not there is told with its name and its place', async () => {
    const { i2c, part } = wired(family)
    i2c.plugged = false
    await expect(part.open()).rejects.toThrow(`${family} at 0x44 on i2c-1 does not answer: check its wiring`)
  })
})

describe('another chip at the address', () => {
  it('that does not know the commands is told as no answer', async () => {
    const clock = new JumpingClock()
    const i2c = new SHTModel({ clock, commands: families.SHT4x.commands([]) })
    await expect(sht3x({ i2c, clock }).open()).rejects.toThrow('SHT3x at 0x44 on i2c-1 does not answer')
  })
})

describe('the ends of the scale', () => {
  it('of an SHT3x are told apart from what it can measure', async () => {
    const { part } = wired('SHT3x', 0, 0)
    expect(await reading(part.sensors.temperature)).toBe(-45)
    expect(part.sensors.temperature.minimum).toBe(-40)
    expect(await reading(part.sensors.humidity)).toBe(0)
    const top = wired('SHT3x', 0xffff, 0xffff)
    expect(await reading(top.part.sensors.temperature)).toBe(130)
    expect(await reading(top.part.sensors.humidity)).toBe(100)
  })

  it('of an SHT4x are cropped for humidity, as its datasheet says', async () => {
    expect(await reading(wired('SHT4x', 0x6666, 0).part.sensors.humidity)).toBe(0)
    expect(await reading(wired('SHT4x', 0x6666, 0xffff).part.sensors.humidity)).toBe(100)
  })
})
