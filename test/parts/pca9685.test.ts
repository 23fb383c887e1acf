import { describe, expect, it } from 'vitest'
import { type PCA9685PWM, type PCA9685Servo, pca9685 } from '../../boards/parts/pca9685.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { PCA9685Model } from './models/pca9685-model.ts'
import { moved } from './move.ts'

function wired<Name extends string>(outputs: Record<Name, PCA9685Servo | PCA9685PWM>, hz?: number) {
  const i2c = new PCA9685Model()
  return { i2c, part: pca9685({ i2c, clock: new JumpingClock(), outputs, ...(hz === undefined ? {} : { hz }) }) }
}

const arm = {
  shoulder: { kind: 'servo', output: 0, safe: 90, pulses: [500, 2500], maxRate: 60 },
  lamp: { kind: 'pwm', output: 15 },
} as const

describe('a PCA9685', () => {
  it("has the prescaler of the datasheet's example: 30 for 200 Hz (section 7.3.5)", async () => {
    const { i2c, part } = wired({}, 200)
    await part.open()
    expect(i2c.registers[0xfe]).toBe(30)
  })

  it.each([
    [24, 253],
    [50, 121],
    [1526, 3],
  ])('can have %i Hz', async (hz, prescale) => {
    const { i2c, part } = wired({}, hz)
    await part.open()
    expect(i2c.registers[0xfe]).toBe(prescale)
  })

  it.each([23, 1527, 0, Number.NaN])('cannot have %f Hz', hz => {
    expect(() => wired({}, hz)).toThrow('A PCA9685 can have 24 to 1526 Hz')
  })

  it.each([
    [0, 500],
    [90, 1500],
    [180, 2500],
  ])('turns a servo to %i degrees by a pulse of %i µs', async (degrees, pulse) => {
    const { i2c, part } = wired(arm)
    await moved(part.actuators.shoulder, { degrees })
    const step = 1e6 / i2c.hz / 4096
    expect(Math.abs((i2c.duty(0) * 1e6) / i2c.hz - pulse)).toBeLessThanOrEqual(step / 2 + 1e-9)
  })

  it.each([
    [0, 0],
    [25, 0.25],
    [0.01, 0],
    [100, 1],
  ])('gives %f percent', async (percent, duty) => {
    const { i2c, part } = wired(arm)
    await moved(part.actuators.lamp, { percent })
    expect(i2c.duty(15)).toBe(duty)
  })

  it('moves nothing when it is opened, and all is off when it is closed', async () => {
    const { i2c, part } = wired(arm)
    await part.open()
    expect([i2c.duty(0), i2c.duty(15)]).toEqual([0, 0])
    await moved(part.actuators.shoulder, part.actuators.shoulder.safe)
    await moved(part.actuators.lamp, { percent: 50 })
    await part.close()
    expect([i2c.duty(0), i2c.duty(15)]).toEqual([0, 0])
    expect(i2c.registers[0]! & 0x10).toBe(0x10)
    expect(i2c.closed).toBe(true)
  })

  it('whose outputs ran on after a crash is switched off and given its own rate when it is opened', async () => {
    const before = wired({ lamp: { kind: 'pwm', output: 15 } }, 200)
    await moved(before.part.actuators.lamp, { percent: 70 })
    const after = pca9685({ i2c: before.i2c, clock: new JumpingClock(), outputs: arm })
    await after.open()
    expect(before.i2c.duty(15)).toBe(0)
    expect(before.i2c.registers[0xfe]).toBe(121)
  })

  it('that lost its power says so once, and is then set again', async () => {
    const { i2c, part } = wired(arm)
    await moved(part.actuators.lamp, { percent: 50 })
    i2c.powerUp()
    await expect(moved(part.actuators.lamp, { percent: 50 })).rejects.toThrow(
      'PCA9685 at 0x40 on i2c-1 lost its power, and all its outputs are off',
    )
    await moved(part.actuators.lamp, { percent: 50 })
    expect(i2c.duty(15)).toBe(0.5)
  })

  it('that did not answer once leaves the other outputs as they were', async () => {
    const { i2c, part } = wired(arm)
    await moved(part.actuators.lamp, { percent: 50 })
    i2c.plugged = false
    await expect(moved(part.actuators.shoulder, { degrees: 0 })).rejects.toThrow(
      'PCA9685 at 0x40 on i2c-1 does not answer',
    )
    i2c.plugged = true
    await moved(part.actuators.shoulder, { degrees: 0 })
    expect(i2c.duty(15)).toBe(0.5)
  })

  it('is switched off when it is closed after it did not answer', async () => {
    const { i2c, part } = wired(arm)
    await moved(part.actuators.lamp, { percent: 50 })
    i2c.plugged = false
    await expect(moved(part.actuators.lamp, { percent: 60 })).rejects.toThrow('does not answer')
    i2c.plugged = true
    await part.close()
    expect(i2c.duty(15)).toBe(0)
  })

  it('another chip is refused', async () => {
    const { i2c, part } = wired(arm)
    i2c.write = async () => {}
    await expect(part.open()).rejects.toThrow('PCA9685 at 0x40 on i2c-1 does not keep its configuration')
  })

  it('refuses outputs that cannot be', () => {
    expect(() => wired({ a: { kind: 'pwm', output: 16 } })).toThrow('A PCA9685 has the outputs 0 to 15: 16 of a is not')
    expect(() => wired({ a: { kind: 'pwm', output: 1 }, b: { kind: 'pwm', output: 1 } })).toThrow('Output 1 of b')
    expect(() => wired({ a: { kind: 'servo', output: 1, safe: 200 } })).toThrow('a turns 0 to 180 degrees: 200')
    expect(() => wired({ a: { kind: 'servo', output: 1, safe: 90 } }, 1000)).toThrow('do not fit into a period')
  })

  it('keeps the rules that an output was given', () => {
    const { shoulder, lamp } = wired(arm).part.actuators
    expect(shoulder).toMatchObject({ title: 'Shoulder', maxRate: 60, safe: { degrees: 90 } })
    expect(lamp.safe).toEqual({ percent: 0 })
    expect(shoulder).not.toHaveProperty('pulses')
  })
})
