import { type Actuator, actuator } from '../../runtime/board.ts'
import type { I2C } from '../io.ts'
import { Chip } from './chip.ts'
import { type ActuatorPart, type ActuatorSettings, type PartOptions, titled } from './part.ts'
import { I2CPlace } from './place.ts'
import { turning } from './servo.ts'
import { type WaitOptions, wait } from './wait.ts'

// NXP "PCA9685 16-channel, 12-bit PWM Fm+ I2C-bus LED controller", Rev. 4, section 7.3.
const register = Object.freeze({
  MODE1: 0x00,
  MODE2: 0x01,
  LED0_ON_L: 0x06,
  ALL_LED_OFF_H: 0xfd,
  PRE_SCALE: 0xfe,
})
const MODE1 = Object.freeze({ AI: 0x20, SLEEP: 0x10 })
const OUTDRV = 0x04
/** In LEDn_ON_H and LEDn_OFF_H: on, or off, for good. Off wins. */
const full = 0x10
const oscillatorHz = 25e6
const steps = 4096
/** Until the oscillator runs, after SLEEP was cleared. */
const oscillatorMs = 0.5

/** A servo at an output of a PCA9685. */
export interface PCA9685Servo extends ActuatorSettings {
  kind: 'servo'
  /** LED0 to LED15. */
  output: number
  /** Where it is safe, in degrees. It goes there at the start. */
  safe: number
  /** How far it turns, in degrees; 180 when left out. */
  degrees?: number
  /** The pulses at 0 degrees and at the end, in microseconds, from the servo's datasheet; 1000 and 2000 when left out. */
  pulses?: readonly [number, number]
}

/** A lamp, a fan or another load, through what switches it, at an output of a PCA9685. */
export interface PCA9685PWM extends ActuatorSettings {
  kind: 'pwm'
  /** LED0 to LED15. */
  output: number
  /** The percentage that is safe; 0 when left out. */
  safe?: number
}

/** Where a PCA9685 is, and what is wired to it. */
export interface PCA9685Options<Name extends string> extends PartOptions, WaitOptions {
  /** At 0x40 to 0x7f, as A0 to A5 are wired. */
  i2c: I2C
  /** How often a second all its outputs begin a period, 24 to 1526; 50, what servos want, when left out. */
  hz?: number
  /** What is wired to it: an actuator for each, by name. */
  outputs: Record<Name, PCA9685Servo | PCA9685PWM>
}

/** A PCA9685: servos and outputs of some percent. All outputs are off until they are set, and when it is closed. */
export function pca9685<Name extends string>(options: PCA9685Options<Name>): ActuatorPart<Name> {
  const { hz = 50 } = options
  const prescale = prescaleOf(hz)
  const microsecondsAStep = ((prescale + 1) / oscillatorHz) * 1e6
  const place = new I2CPlace('PCA9685', options.i2c)
  const awake = MODE1.AI
  const asleep = MODE1.AI | MODE1.SLEEP

  let started = false

  const allOff = () => place.write(register.ALL_LED_OFF_H, full)

  async function start(): Promise<void> {
    await allOff()
    // The prescaler can be set in sleep only.
    await place.write(register.MODE1, asleep)
    await place.write(register.PRE_SCALE, prescale)
    await place.write(register.MODE2, OUTDRV)
    await place.write(register.MODE1, awake)
    await wait(oscillatorMs, options)
    // It has no id: what tells is that it keeps what was written.
    if ((await place.byte(register.PRE_SCALE)) !== prescale || !(await isAwake()))
      throw place.failure('does not keep its configuration: it is another chip, or its wiring is bad')
    started = true
  }

  async function isAwake(): Promise<boolean> {
    return ((await place.byte(register.MODE1)) & 0x7f) === awake
  }

  async function stillRuns(): Promise<void> {
    if (await isAwake()) return
    await start()
    throw place.failure('lost its power, and all its outputs are off: set them again, and check its supply')
  }

  /** @param on steps of 4096 */
  async function write(output: number, on: number): Promise<void> {
    const [ON, OFF] = on >= steps ? [full << 8, 0] : on <= 0 ? [0, full << 8] : [0, on]
    await chip.use(async () => {
      await stillRuns()
      await place.write(register.LED0_ON_L + 4 * output, ON & 0xff, ON >> 8, OFF & 0xff, OFF >> 8)
    })
  }

  function servo(name: string, definition: PCA9685Servo): Actuator<any> {
    const { kind, output, safe, degrees: most = 180, pulses: [from, to] = [1000, 2000], ...settings } = definition
    if (!(safe >= 0 && safe <= most))
      throw new RangeError(`${name} turns 0 to ${most} degrees: ${safe} is not among them`)
    if (!(from > 0 && to > 0 && Math.max(from, to) < steps * microsecondsAStep))
      throw new RangeError(`${name} has pulses of ${from} to ${to} µs, which do not fit into a period of ${hz} Hz`)
    return turning({
      title: titled(options, name.replaceAll('_', ' ')),
      safe,
      degrees: most,
      ...settings,
      turn: angle => write(output, Math.round((from + ((to - from) * angle) / most) / microsecondsAStep)),
    })
  }

  function pulsed(name: string, definition: PCA9685PWM): Actuator<any> {
    const { kind, output, safe = 0, ...settings } = definition
    return actuator({
      title: titled(options, name.replaceAll('_', ' ')),
      description: 'Sets an output to a percentage of the time.',
      inputSchema: {
        type: 'object',
        properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
        required: ['percent'],
        additionalProperties: false,
      },
      absolute: true,
      reversible: true,
      safe: { percent: safe },
      ...settings,
      set: ({ percent }) => write(output, Math.round((percent / 100) * steps)),
    })
  }

  const chip = new Chip({
    // After a transfer that failed the other outputs are as they were: a new start would switch them off.
    configure: () => (started ? stillRuns() : start()),
    sleep: async () => {
      await allOff()
      await place.write(register.MODE1, asleep)
    },
    io: options.i2c,
  })
  const taken = new Set<number>()
  const actuatorOf = (name: string, definition: PCA9685Servo | PCA9685PWM): Actuator<any> => {
    const { output } = definition
    if (!Number.isInteger(output) || output < 0 || output > 15)
      throw new RangeError(`A PCA9685 has the outputs 0 to 15: ${output} of ${name} is not among them`)
    if (taken.has(output)) throw new RangeError(`Output ${output} of ${name} has something else on it already`)
    taken.add(output)
    return definition.kind === 'servo' ? servo(name, definition) : pulsed(name, definition)
  }
  const outputs = Object.entries<PCA9685Servo | PCA9685PWM>(options.outputs)
  return {
    actuators: Object.fromEntries(
      outputs.map(([name, definition]) => [name, actuatorOf(name, definition)]),
    ) as ActuatorPart<Name>['actuators'],
    open: () => chip.open(),
    close: () => chip.close(),
  }
}

/** Equation 1 of section 7.3.5. */
function prescaleOf(hz: number): number {
  if (!(hz >= 24 && hz <= 1526)) throw new RangeError(`A PCA9685 can have 24 to 1526 Hz, not ${hz}`)
  return Math.round(oscillatorHz / (steps * hz)) - 1
}
