import { describe, expect, it } from 'vitest'
import { buzzer } from '../../boards/parts/buzzer.ts'
import { motor } from '../../boards/parts/motor.ts'
import { relay } from '../../boards/parts/relay.ts'
import { servo, servoDuty } from '../../boards/parts/servo.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { Pins } from './models/pins.ts'
import { move, moved } from './move.ts'

/** A clock that stands still until it is told. */
class StandingClock {
  readonly waiting: { callback: () => void; ms: number }[] = []
  now = () => 0
  setTimeout = (callback: () => void, ms: number) => this.waiting.push({ callback, ms })
  clearTimeout = (timer: unknown) => void this.waiting.splice(Number(timer) - 1, 1)

  async armed(): Promise<{ callback: () => void; ms: number }> {
    while (this.waiting.length === 0) await Promise.resolve()
    return this.waiting[0]!
  }
}

describe('a relay', () => {
  it('is off when opened, switches, and is off when closed', async () => {
    const pins = new Pins()
    const part = relay({ digital: pins.digital('relay'), title: 'Pump', holdForMs: 5000 })
    await part.open()
    await moved(part.actuators.relay, { on: true })
    await moved(part.actuators.relay, part.actuators.relay.safe)
    await part.close()
    expect(pins.take()).toEqual(['relay off', 'relay on', 'relay off', 'relay off', 'relay closed'])
    expect(part.actuators.relay).toMatchObject({ title: 'Pump', holdForMs: 5000, safe: { on: false } })
    expect(part.actuators.relay).not.toHaveProperty('digital')
  })

  it('whose pin fails is given back all the same', () => {
    const pins = new Pins()
    const part = relay({ digital: pins.digital('relay') })
    pins.failures.set('relay', new Error('GPIO17 is gone'))
    expect(() => part.close()).toThrow('GPIO17 is gone')
    expect(pins.take()).toEqual(['relay closed'])
  })
})

describe('a servo', () => {
  it('has a pulse of 1.5 ms of 20 ms half-way', () => {
    expect(servoDuty(90, 50, {})).toBeCloseTo(1.5 / 20, 12)
    expect(servoDuty(0, 50, { pulses: [500, 2500] })).toBeCloseTo(0.5 / 20, 12)
    expect(servoDuty(270, 50, { degrees: 270, pulses: [500, 2500] })).toBeCloseTo(2.5 / 20, 12)
  })

  it('stands at its safe angle when opened, and turns within its range', async () => {
    const pins = new Pins()
    const part = servo({ pwm: { ...pins.pwm('arm'), hz: 50 }, safe: 45, degrees: 90, title: 'Arm' })
    await part.open()
    await moved(part.actuators.servo, { degrees: 90 })
    await part.close()
    expect(pins.take()).toEqual(['arm 0.075', 'arm 0.1', 'arm closed'])
    expect(part.actuators.servo).toMatchObject({
      title: 'Arm',
      safe: { degrees: 45 },
      inputSchema: { properties: { degrees: { maximum: 90 } } },
    })
    expect(part.actuators.servo).not.toHaveProperty('pwm')
  })
})

function wiredMotor(clock: JumpingClock | StandingClock = new JumpingClock()) {
  const pins = new Pins()
  const part = motor({
    forward: pins.digital('forward'),
    backward: pins.digital('backward'),
    speed: pins.pwm('speed'),
    clock,
  })
  return { pins, part, actuator: part.actuators.motor }
}

const still = ['speed 0', 'forward off', 'backward off']

describe('a motor', () => {
  it('stands still when opened, turns both ways, and rests in between', async () => {
    const { pins, part, actuator } = wiredMotor()
    await part.open()
    expect(pins.take()).toEqual(still)
    await moved(actuator, { percent: 40 })
    expect(pins.take()).toEqual([...still, 'forward on', 'speed 0.4'])
    await moved(actuator, { percent: 80 })
    expect(pins.take()).toEqual(['forward on', 'speed 0.8'])
    await moved(actuator, { percent: -100 })
    expect(pins.take()).toEqual([...still, 'backward on', 'speed 1'])
    await part.close()
    expect(pins.take()).toEqual([...still, 'speed closed', 'forward closed', 'backward closed'])
  })

  it('never has both inputs on, whatever follows what', async () => {
    const { pins, actuator } = wiredMotor()
    for (const percent of [10, -10, 0, -50, 50, 50, -1, 0, 1]) {
      await moved(actuator, { percent })
      expect([pins.levels.get('forward'), pins.levels.get('backward')]).toEqual([
        Number(percent > 0),
        Number(percent < 0),
      ])
    }
    const levels = { forward: false, backward: false }
    for (const event of pins.take()) {
      const [name, told] = event.split(' ')
      if (name === 'forward' || name === 'backward') levels[name] = told === 'on'
      expect(levels.forward && levels.backward).toBe(false)
    }
  })

  it('that is cancelled while it rests stands still', async () => {
    const clock = new StandingClock()
    const { pins, actuator } = wiredMotor(clock)
    await moved(actuator, { percent: 100 })
    const turning = move(actuator, { percent: -100 })
    expect((await clock.armed()).ms).toBeGreaterThanOrEqual(200)
    pins.take()
    turning.cancel(new Error('cancelled'))
    await expect(turning.done).rejects.toThrow('cancelled')
    expect(clock.waiting).toEqual([])
    expect(pins.take()).toEqual([])
    expect([...pins.levels.values()]).toEqual([0, 0, 0])
  })

  it('whose speed cannot be set stands still', async () => {
    const { pins, actuator } = wiredMotor()
    await moved(actuator, { percent: 50 })
    pins.take()
    pins.failures.set('speed', new Error('pwm0 is gone'))
    await expect(moved(actuator, { percent: 60 })).rejects.toThrow('pwm0 is gone')
    expect(pins.take()).toEqual(['forward on', ...still])
  })

  it('is stopped at its direction inputs when its speed cannot be', async () => {
    const { pins, actuator } = wiredMotor()
    await moved(actuator, { percent: 50 })
    pins.take()
    pins.failures.set('speed', new Error('pwm0 is gone'))
    await expect(moved(actuator, { percent: 0 })).rejects.toThrow('pwm0 is gone')
    expect(pins.take()).toEqual(['forward off', 'backward off'])
  })
})

describe('a buzzer', () => {
  it('sounds for its time and is silent', async () => {
    const pins = new Pins()
    const clock = new StandingClock()
    const part = buzzer({ output: pins.digital('buzzer'), clock })
    const sounding = move(part.actuators.buzzer, { seconds: 2 })
    const timer = await clock.armed()
    expect(timer.ms).toBeGreaterThanOrEqual(2000)
    expect(pins.take()).toEqual(['buzzer off', 'buzzer on'])
    timer.callback()
    await sounding.done
    expect(pins.take()).toEqual(['buzzer off'])
  })

  it('that is cancelled is silent at once', async () => {
    const pins = new Pins()
    const clock = new StandingClock()
    const part = buzzer({ output: pins.digital('buzzer'), clock })
    const sounding = move(part.actuators.buzzer, { seconds: 2 })
    await clock.armed()
    sounding.cancel(new Error('cancelled'))
    await expect(sounding.done).rejects.toThrow('cancelled')
    expect(pins.levels.get('buzzer')).toBe(0)
  })

  it('that does not sound by itself is given a tone', async () => {
    const pins = new Pins()
    const part = buzzer({ output: pins.pwm('tone'), clock: new JumpingClock(), maximumSeconds: 1 })
    await part.open()
    await moved(part.actuators.buzzer, { seconds: 1 })
    await part.close()
    expect(pins.take()).toEqual(['tone 0', 'tone 0', 'tone 0.5', 'tone 0', 'tone 0', 'tone closed'])
    expect(part.actuators.buzzer.inputSchema).toMatchObject({ properties: { seconds: { maximum: 1 } } })
  })

  it('is made safe without a sound', async () => {
    const pins = new Pins()
    const { buzzer: actuator } = buzzer({ output: pins.digital('buzzer') }).actuators
    await moved(actuator, actuator.safe)
    expect(pins.take()).toEqual(['buzzer off'])
  })
})
