import { describe, expect, it } from 'vitest'
import { mhz19 } from '../../boards/parts/mhz19.ts'
import { MHZ19Model } from './models/mhz19-model.ts'
import { reading } from './reading.ts'

function wired() {
  const serial = new MHZ19Model()
  const part = mhz19({ serial, title: 'Classroom' })
  return { serial, part, sensor: part.sensors.carbon_dioxide }
}

describe('an MH-Z19', () => {
  it('asks as its manual shows, and gives the two bytes of the concentration', async () => {
    const { serial, part, sensor } = wired()
    expect(sensor).toMatchObject({ title: 'Classroom: carbon dioxide', unit: 'ppm' })
    const sent: string[] = []
    const write = serial.write.bind(serial)
    serial.write = bytes => {
      sent.push(Buffer.from(bytes).toString('hex'))
      return write(bytes)
    }
    // The manual's example: 02 60 is 608 ppm.
    serial.ppm = 608
    await part.open()
    expect(await reading(sensor)).toBe(608)
    expect(new Set(sent)).toEqual(new Set(['ff0186000000000079']))
    await part.close()
    expect(serial.closed).toBe(true)
  })

  it('that is asked by several at once measures once', async () => {
    const { serial, part, sensor } = wired()
    await part.open()
    const before = serial.asked
    await Promise.all([reading(sensor), reading(sensor)])
    expect(serial.asked - before).toBe(1)
  })

  it('what was on the line before is no part of its answer', async () => {
    const { serial, sensor } = wired()
    serial.ppm = 1024
    serial.disturb(0xff, 0x86, 0x13)
    expect(await reading(sensor)).toBe(1024)
  })

  it.each([0, 1, 2, 3, 5, 8])('a bit that flips in byte %i of its answer gives no value', async at => {
    const { serial, sensor } = wired()
    serial.damage = answer => answer.map((byte, i) => (i === at ? byte ^ 0x10 : byte))
    await expect(reading(sensor)).rejects.toThrow('MH-Z19 at serial0 gave an answer')
    serial.damage = answer => answer
    expect(await reading(sensor)).toBe(0)
  })

  it('that is not there is told with its name and its place', async () => {
    const { serial, part } = wired()
    serial.plugged = false
    await expect(part.open()).rejects.toThrow('MH-Z19 at serial0 does not answer within 500 ms')
  })
})
