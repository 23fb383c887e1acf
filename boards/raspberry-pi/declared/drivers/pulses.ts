import { type Actuator, actuator } from '../../../../runtime/index.ts'
import { type PCA9685PWM, type PCA9685Servo, pca9685 as pca9685Part } from '../../../parts/pca9685.ts'
import { servoDuty, servo as servoPart } from '../../../parts/servo.ts'
import { address, hex, i2cBus, i2cClaims, range } from '../bus.ts'
import { driver, type PartPlan } from '../driver.ts'
import { choice, type Field, field, integer, isThere, needed, number, Wrong } from '../field.ts'
import { channelClaims, pinClaim, pwmPin } from '../pin.ts'

const chipAddress = () => address('The address of the PCA9685 on the bus', ...range(0x40, 0x77))
const output = () => integer('The output of the PCA9685', { minimum: 0, maximum: 15 }, 0)
const servoHz = 50
/** The shortest and the longest pulse of any servo, in microseconds, with room. */
const pulseRange = [200, 4000] as const
const percent = {
  type: 'object',
  properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
  required: ['percent'],
  additionalProperties: false,
} as const

/** A pin with PWM. */
export const pwm = driver({
  name: 'pwm',
  does: 'moves',
  about: 'a lamp, a fan or another load at a pin with PWM: some percent of the time',
  alsoCalled: ['dimmer', 'lamp', 'fan', 'pwm-led', 'dimmable'],
  fields: {
    pin: needed(pwmPin('The pin: GPIO12, GPIO13, GPIO18 or GPIO19')),
    hz: number(
      'Pulses a second; 1000 when left out, 25000 for a fan of a computer',
      { minimum: 1, maximum: 1_000_000 },
      1000,
    ),
    safe: number('The percentage that is safe; 0 when left out', { minimum: 0, maximum: 100, unit: ' percent' }, 0),
  },
  claims: ({ pin }) => [pinClaim(pin), ...channelClaims(pin.line)],
  part: ({ pin: { pin }, hz = 1000, safe = 0 }): PartPlan => ({
    key: `pwm ${pin}`,
    member: undefined,
    make(members, { wiring }) {
      const pulses = wiring.pwm({ pin: String(pin), hz, initial: safe / 100 })
      const dimmer = actuator({
        description: 'Sets it to a percentage: 0 is off, 100 is full.',
        inputSchema: percent,
        absolute: true,
        reversible: true,
        safe: { percent: safe },
        set: ({ percent }) => pulses.write(percent / 100),
      })
      return {
        actuators: Object.fromEntries(Object.keys(members).map(member => [member, dimmer as Actuator<any>])),
        close: () => pulses.close(),
      }
    },
  }),
})

/** An output of a PCA9685. */
export const pca9685 = driver({
  name: 'pca9685',
  does: 'moves',
  about: 'a lamp, a fan or another load at an output of a PCA9685, on I2C: some percent of the time',
  alsoCalled: ['servo-hat', 'pwm-driver'],
  fields: {
    address: needed(chipAddress()),
    bus: i2cBus(),
    output: needed(output()),
    hz: number('Pulses a second of all its outputs; 50 when left out', { minimum: 24, maximum: 1526 }, 1000),
    safe: number('The percentage that is safe; 0 when left out', { minimum: 0, maximum: 100, unit: ' percent' }, 0),
  },
  claims: ({ address, bus = 1, output }) => outputClaims(address, bus, output),
  part: ({ address, bus = 1, output, hz = servoHz, safe = 0 }) =>
    onChip(address, bus, hz, { kind: 'pwm', output, safe }),
})

/** A servo, at a pin with PWM or at an output of a PCA9685. */
export const servo = driver({
  name: 'servo',
  does: 'moves',
  about: 'a servo at a pin with PWM or, with "chip": "pca9685", at an output of a PCA9685',
  fields: {
    pin: pwmPin('The pin: GPIO12, GPIO13, GPIO18 or GPIO19'),
    chip: choice('What its pulses come from, where it is not a pin', ['pca9685']),
    address: chipAddress(),
    bus: i2cBus(),
    output: output(),
    safe: needed(
      number(
        'Where it is safe, in degrees: it goes there at the start and at every stop',
        { minimum: 0, maximum: 360, unit: ' degrees' },
        90,
      ),
    ),
    degrees: number(
      'How far it turns, in degrees; 180 when left out',
      { above: 0, maximum: 360, unit: ' degrees' },
      180,
    ),
    pulses: pulseLengths(),
  },
  check({ pin, chip, address, output, bus, safe, degrees = 180 }) {
    if (safe > degrees)
      return { key: 'safe', text: `must be from 0 to ${degrees} degrees, as far as it turns; there is ${safe}` }
    if (chip === undefined) {
      const [stray] = Object.entries({ address, output, bus }).flatMap(([key, value]) =>
        value === undefined ? [] : [key],
      )
      if (stray !== undefined) return { key: stray, text: 'belongs to a PCA9685: add "chip": "pca9685"' }
      return pin === undefined ? { key: 'pin', text: 'is missing: name a pin with PWM, such as "GPIO18"' } : undefined
    }
    if (pin !== undefined) return { key: 'pin', text: 'does not go with "chip": the servo is at one of the two' }
    if (address === undefined) return { key: 'address', text: 'is missing: the address of the PCA9685, such as "0x40"' }
    return output === undefined ? { key: 'output', text: 'is missing: the output of the PCA9685, 0 to 15' } : undefined
  },
  claims: ({ pin, address = 0x40, bus = 1, output = 0 }) =>
    pin === undefined ? outputClaims(address, bus, output) : [pinClaim(pin), ...channelClaims(pin.line)],
  part({ pin, address = 0x40, bus = 1, output = 0, safe, degrees, pulses }) {
    if (pin === undefined)
      return onChip(address, bus, servoHz, {
        kind: 'servo',
        output,
        safe,
        ...(degrees !== undefined && { degrees }),
        ...(pulses !== undefined && { pulses }),
      })
    return onPin(String(pin.pin), safe, degrees, pulses)
  },
})

type Pulses = readonly [from: number, to: number]

function onPin(pin: string, safe: number, degrees?: number, pulses?: Pulses): PartPlan {
  const range = { ...(degrees !== undefined && { degrees }), ...(pulses !== undefined && { pulses }) }
  return {
    key: `pwm ${pin}`,
    member: undefined,
    make(members, { wiring }) {
      const pwm = wiring.pwm({ pin, hz: servoHz, initial: servoDuty(safe, servoHz, range) })
      const { actuators, close } = servoPart({ pwm, safe, ...range })
      return { actuators: Object.fromEntries(Object.keys(members).map(member => [member, actuators.servo])), close }
    },
  }
}

function onChip(
  address: number,
  bus: number | string,
  hz: number,
  member: PCA9685Servo | PCA9685PWM,
): PartPlan<PCA9685Servo | PCA9685PWM> {
  return {
    key: `pca9685 ${bus} ${address}`,
    member,
    alike: { hz },
    make(outputs, { wiring, ...context }) {
      const part = pca9685Part({ i2c: wiring.i2c({ address, bus }), hz, outputs, ...context })
      return { actuators: part.actuators, open: part.open, close: part.close }
    },
  }
}

function outputClaims(address: number, bus: number | string, output: number) {
  return [
    ...i2cClaims('pca9685', bus, address),
    {
      what: `pca9685 ${bus} ${address} ${output}`,
      title: `The output ${output} of the pca9685 at ${hex(address)}`,
      advice: 'Name another output',
    },
  ]
}

function pulseLengths(): Field<Pulses> {
  const [minimum, maximum] = pulseRange
  const description =
    'The pulses at 0 degrees and at the end, in microseconds, from its datasheet; [1000, 2000] when left out'
  const schema = { type: 'array', items: { type: 'number', minimum, maximum }, minItems: 2, maxItems: 2, description }
  return field(schema, [500, 2500] as Pulses, written =>
    Array.isArray(written) &&
    written.length === 2 &&
    written.every(us => typeof us === 'number' && us >= minimum && us <= maximum)
      ? (written as unknown as Pulses)
      : new Wrong(
          `must be two pulses in microseconds, from ${minimum} to ${maximum}, such as [1000, 2000]; ${isThere(written)}`,
        ),
  )
}
