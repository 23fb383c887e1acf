import { describe, expect, it } from 'vitest'
import { DeclarationError, type RaspberryPiOptions, raspberryPi } from '../../../boards/raspberry-pi/board.ts'
import { DefinitionError } from '../../../runtime/index.ts'
import { systemRoot } from '../system-root.ts'

/** What is said of a declaration: `path: text` for each mistake. */
function said(declaration: unknown, options: RaspberryPiOptions = {}): string[] {
  try {
    raspberryPi(declaration as any, { root: systemRoot(), ...options })
  } catch (thrown) {
    if (!(thrown instanceof DeclarationError)) throw thrown
    return thrown.mistakes.map(({ path, text }) => `${path}: ${text}`)
  }
  return []
}

const bme280 = { driver: 'bme280', address: '0x76' }
const relay = { driver: 'relay', pin: 'GPIO17' }
const input = { driver: 'digital-input', pin: 'GPIO23' }
const soil = { driver: 'ads1115', address: '0x48', input: 'A0' }
const sensors = (sensors: object) => ({ name: 'b', sensors })
const actuators = (actuators: object) => ({ name: 'b', actuators })

/** A declaration, and all that is said of it. */
const mistakes: Record<string, [declaration: unknown, ...said: string[]]> = {
  'no object': [[], ': must be an object: { "name": "greenhouse", "sensors": { … } }'],
  'no name': [{}, ': lacks its name: add "name": "greenhouse", or what you want to call it'],
  'a name that is none': [
    { name: 'Grünes Haus!' },
    'name: is "Grünes Haus!": a name is a letter, then letters, digits, _ or -, at most 64 in all. Such as "grunes_haus"',
  ],
  'a key that was meant to be another': [
    { name: 'b', sensor: {} },
    'sensor: is not known here. Did you mean "sensors"?',
  ],
  'a key that nobody knows': [
    { name: 'b', wifi: 1 },
    'wifi: is not known here. A board takes name, title, description, version, sensors or actuators',
  ],
  'sensors that are a list': [
    { name: 'b', sensors: [bme280] },
    'sensors: must be an object with an entry for each: { "air": { "driver": … } }',
  ],
  'an entry that is no object': [
    sensors({ air: 'bme280' }),
    'sensors.air: must be an object: { "driver": … }; there is "bme280"',
  ],
  'a name of an entry that is none': [
    sensors({ '1st': bme280 }),
    'sensors.1st: is "1st": a name is a letter, then letters, digits, _ or -, at most 64 in all. Such as "st"',
  ],
  'a name that a tool of the server has': [
    actuators({ stop_all: relay }),
    'actuators.stop_all: is what every server calls a tool of its own: take another name',
  ],
  'no driver': [
    actuators({ pump: { pin: 'GPIO17' } }),
    'actuators.pump: lacks its "driver". There is relay, digital-output, pwm, servo, pca9685, motor, buzzer, neopixel or led',
  ],
  'a driver that is no text': [
    sensors({ air: { driver: 280 } }),
    'sensors.air.driver: must be the name of a driver, such as "bme280"; there is 280',
  ],
  'an unknown driver that is near to one': [
    sensors({ air: { ...bme280, driver: 'bme820' } }),
    'sensors.air.driver: is "bme820", which is no driver. Did you mean "bme280"?',
  ],
  'a driver by the name that people have for the part': [
    sensors({
      a: { driver: 'button', pin: 'GPIO5' },
      b: { driver: 'AM2302', pin: 'GPIO6' },
      c: { driver: 'Reed switch' },
    }),
    'sensors.a.driver: is "button", which is no driver. Did you mean "digital-input"?',
    'sensors.b.driver: is "AM2302", which is no driver. Did you mean "dht22"?',
    'sensors.c.driver: is "Reed switch", which is no driver. Did you mean "digital-input"?',
  ],
  'a driver like no other': [
    actuators({ a: { driver: 'teleporter' } }),
    'actuators.a.driver: is "teleporter", which is no driver. There is relay, digital-output, pwm, servo, pca9685, motor, buzzer, neopixel or led',
  ],
  'an actuator among the sensors': [
    sensors({ pump: relay }),
    'sensors.pump.driver: is "relay", which belongs to "actuators": move the entry there',
  ],
  'a missing key': [
    sensors({ air: { driver: 'bme280' } }),
    'sensors.air: lacks its "address": the address of the chip on the bus, in hexadecimal as a text. For example "address": "0x76"',
  ],
  'a key with a slip': [
    sensors({ air: { ...bme280, tilte: 'Air' } }),
    'sensors.air.tilte: is not known here. Did you mean "title"?',
  ],
  'a key of the other section': [
    sensors({ air: { ...bme280, holdForMs: 1 } }),
    'sensors.air.holdForMs: is for actuators only: leave it out',
  ],
  'a text in the place of true': [
    actuators({ pump: { ...relay, activeLow: 'true' } }),
    'actuators.pump.activeLow: must be true or false, without quotes; there is "true"',
  ],
  'a text in the place of a number': [
    actuators({ pump: { ...relay, holdForMs: '30000' } }),
    'actuators.pump.holdForMs: must be a number above 0 ms; there is "30000", as a text: leave out the quotes',
  ],
  'a number out of range': [
    sensors({ soil: { driver: 'mcp3008', input: 8 } }),
    'sensors.soil.input: must be a whole number from 0 to 7; there is 8',
  ],
  'one of some words': [
    sensors({ door: { ...input, pull: 'UP' } }),
    'sensors.door.pull: must be "up", "down" or "off"; there is "UP". Write it "up"',
  ],
  'an empty text': [
    sensors({ air: { ...bme280, title: '' } }),
    'sensors.air.title: must be a text, such as "Seed tray"; there is ""',
  ],
  'an address that the chip cannot have': [
    sensors({ air: { ...bme280, address: '0x78' } }),
    'sensors.air.address: must be "0x76" or "0x77", as the part is made or wired; there is "0x78"',
  ],
  'an address without 0x, as a number': [
    sensors({ air: { ...bme280, address: 76 } }),
    'sensors.air.address: must be "0x76" or "0x77", as the part is made or wired; there is 76. Numbers in JSON are decimal: write it as a text, with 0x',
  ],
  'the address of a thermometer': [
    sensors({ water: { driver: 'ds18b20', id: '28-03' } }),
    'sensors.water.id: must be the address of a thermometer, such as "28-0316a2795fff"; there is "28-03". ls /sys/bus/w1/devices shows them',
  ],
  'a pin that is ground': [
    actuators({ pump: { ...relay, pin: 'pin 6' } }),
    'actuators.pump.pin: is pin 6, which is ground: nothing can be read or switched there',
  ],
  'a pin beyond the header': [
    actuators({ pump: { ...relay, pin: 'pin 41' } }),
    'actuators.pump.pin: is "pin 41", and the header has pins 1 to 40',
  ],
  'a line beyond the header': [
    actuators({ pump: { ...relay, pin: 'GPIO28' } }),
    'actuators.pump.pin: is GPIO28, which is not on the header: there is GPIO0 to GPIO27',
  ],
  'a number alone': [
    actuators({ pump: { ...relay, pin: 17 }, lamp: { ...relay, pin: '11' } }),
    'actuators.pump.pin: may mean two things: write "GPIO17" for GPIO17 (pin 11)',
    'actuators.lamp.pin: may mean two things: write "GPIO11" for GPIO11 (pin 23), or "pin 11" for position 11 of the header, which is GPIO17',
  ],
  'a pin in another spelling': [
    sensors({ a: { ...input, pin: 'BCM 17' }, b: { ...input, pin: 'physical 11' }, c: { ...input, pin: 'GPIO1O' } }),
    'sensors.a.pin: must be written "GPIO17"; there is "BCM 17"',
    'sensors.b.pin: must be written "pin 11" where the position on the header is meant; there is "physical 11"',
    'sensors.c.pin: must be a pin, such as "GPIO17" or "pin 11"; there is "GPIO1O"',
  ],
  'a pin without PWM': [
    actuators({ lamp: { driver: 'pwm', pin: 'GPIO17' } }),
    'actuators.lamp.pin: must be a pin with PWM: GPIO12 (pin 32), GPIO13 (pin 33), GPIO18 (pin 12) or GPIO19 (pin 35); there is "GPIO17". Where those are not enough, a PCA9685 has 16 more',
  ],
  'a pin that is used twice': [
    { name: 'b', sensors: { door: { ...input, pin: 'pin 11' } }, actuators: { pump: relay } },
    'actuators.pump: GPIO17 (pin 11) is taken by sensors.door already. Wire one of them to another pin',
  ],
  'a pin that I2C needs': [
    { name: 'b', sensors: { air: bme280 }, actuators: { pump: { ...relay, pin: 'GPIO2' } } },
    'actuators.pump: GPIO2 (pin 3) is taken by sensors.air already, as SDA of i2c-1. Wire one of them to another pin',
  ],
  'a pin that SPI needs, also when the bus comes later': [
    sensors({ door: { ...input, pin: 'GPIO7' }, light: { driver: 'mcp3008', input: 0 } }),
    'sensors.door: GPIO7 (pin 26) is taken by sensors.light already, as CE1 of SPI bus 0. Wire one of them to another pin',
  ],
  "1-Wire's pin": [
    sensors({ water: { driver: 'ds18b20' }, room: { driver: 'dht22', pin: 'GPIO4' } }),
    'sensors.room: GPIO4 (pin 7) is taken by sensors.water already, as the data line of 1-Wire. Wire one of them to another pin',
  ],
  "the UART's pins": [
    sensors({ air: { driver: 'mhz19' }, door: { ...input, pin: 'pin 8' } }),
    'sensors.door: GPIO14 (pin 8) is taken by sensors.air already, as TX of serial0. Wire one of them to another pin',
  ],
  'two chips at one address': [
    sensors({ air: bme280, attic: { ...bme280, driver: 'bmp280' } }),
    'sensors.attic: The address 0x76 on i2c-1 is taken by sensors.air already. Every part of a bus has an address of its own: most have a pin or a jumper for another one',
  ],
  'the same chip twice': [
    sensors({ air: bme280, attic: bme280 }),
    ...['temperature', 'humidity', 'pressure'].map(
      quantity =>
        `sensors.attic: The ${quantity} of the bme280 at 0x76 is taken by sensors.air already. Two chips need two addresses; two entries on one chip need a "quantity" each`,
    ),
  ],
  'an input of a chip twice': [
    sensors({ soil, bed: soil }),
    'sensors.bed: The input A0 of the ads1115 at 0x48 is taken by sensors.soil already. Name another input',
  ],
  'an output of a chip twice, by two drivers': [
    actuators({
      vent: { driver: 'servo', chip: 'pca9685', address: '0x40', output: 3, safe: 0 },
      lamp: { driver: 'pca9685', address: '0x40', output: 3 },
    }),
    'actuators.lamp: The output 3 of the pca9685 at 0x40 is taken by actuators.vent already. Name another output',
  ],
  'one thing of a chip said in two ways': [
    actuators({
      vent: { driver: 'servo', chip: 'pca9685', address: '0x40', output: 0, safe: 0 },
      lamp: { driver: 'pca9685', address: '0x40', output: 1, hz: 1000 },
    }),
    'actuators.lamp.hz: is 1000 here and 50 at actuators.vent, which is on the same part: say the same in both',
  ],
  'a strip of lamps beside a converter': [
    {
      name: 'b',
      sensors: { light: { driver: 'mcp3008', input: 0 } },
      actuators: { strip: { driver: 'neopixel', select: 1, pixels: 8 } },
    },
    'actuators.strip: SPI bus 0 is taken by sensors.light already. A strip of lamps needs a bus of its own',
  ],
  'two entries that give one sensor': [
    sensors({ air: bme280, air_humidity: { driver: 'iio', device: 'hdc', channel: 'humidityrelative' } }),
    'sensors.air_humidity: gives the sensor "air_humidity", and so does sensors.air: rename one of them',
  ],
  'a name that gets too long': [
    sensors({ ['a'.repeat(60)]: bme280 }),
    ...['temperature', 'humidity', 'pressure'].map(
      quantity =>
        `sensors.${'a'.repeat(60)}: gives the sensor "${'a'.repeat(60)}_${quantity}", and a name has 64 letters at most: shorten it`,
    ),
  ],
  'a readback that is no sensor': [
    { name: 'b', sensors: { air: bme280 }, actuators: { fan: { ...relay, readback: 'air_temprature' } } },
    'actuators.fan.readback: is "air_temprature", and there is no such sensor. Did you mean "air_temperature"?',
  ],
  'a readback that names the part': [
    { name: 'b', sensors: { air: bme280 }, actuators: { fan: { ...relay, readback: 'air' } } },
    'actuators.fan.readback: is "air", and there is no such sensor. Did you mean "air_temperature"?',
  ],
  'a readback of an entry that has a mistake: told once': [
    { name: 'b', sensors: { air: { driver: 'bme280' } }, actuators: { fan: { ...relay, readback: 'air_humidity' } } },
    'sensors.air: lacks its "address": the address of the chip on the bus, in hexadecimal as a text. For example "address": "0x76"',
  ],
  'what the readback shows, without a readback': [
    actuators({ pump: { ...relay, safeReading: 0 } }),
    'actuators.pump.safeReading: is what the sensor named by "readback" shows: add that, or leave this out',
  ],
  'a setting of one quantity for several': [
    sensors({ air: { ...bme280, deadBand: 0.1 } }),
    'sensors.air.deadBand: is for one quantity, and the bme280 gives temperature, humidity, pressure: name one of them, as "quantity": "temperature"',
  ],
  'a setting of numbers for a button': [
    sensors({ door: { ...input, unit: 'V' } }),
    'sensors.door.unit: is for numbers, and this is on or off: leave it out',
  ],
  'a calibration of one point': [
    sensors({ soil: { ...soil, unit: '/', calibration: [[2.9, 0]] } }),
    'sensors.soil.calibration: must be two points or more, such as [[2.9, 0], [0.8, 1]]; there is [[2.9,0]]',
  ],
  'a calibration with two points at one place': [
    sensors({
      soil: {
        ...soil,
        unit: '/',
        calibration: [
          [2, 0],
          [1, 1],
          [2, 3],
        ],
      },
    }),
    'sensors.soil.calibration: has two points at 2: one of them is wrong',
  ],
  'a calibration without a unit': [
    sensors({
      soil: {
        ...soil,
        calibration: [
          [2, 0],
          [1, 1],
        ],
      },
    }),
    'sensors.soil.calibration: needs a "unit": what its second numbers are in, such as "unit": "/" for a share of 1',
  ],
  'a unit without a calibration': [
    sensors({ soil: { ...soil, unit: '/' } }),
    'sensors.soil.unit: is what a "calibration" gives, and there is none: the ads1115 has a unit of its own',
  ],
  'a unit that is none': [
    sensors({
      soil: {
        ...soil,
        unit: 'celsius',
        calibration: [
          [2, 0],
          [1, 1],
        ],
      },
    }),
    'sensors.soil.unit: is "celsius", which is no unit of the SenML registry: did you mean "Cel"?',
  ],
  'a range upside down': [
    sensors({ soil: { ...soil, minimum: 2, maximum: 1 } }),
    'sensors.soil.minimum: is 2, which is more than "maximum", 1',
  ],
  'a threshold without a border': [
    sensors({ soil: { ...soil, thresholds: [{ hysteresis: 1 }] } }),
    'sensors.soil.thresholds: must be a list of borders, such as [{ "above": 30, "hysteresis": 1 }, { "below": 5 }]; there is {"hysteresis":1}',
  ],
  'a history that is none': [
    sensors({
      a: { ...soil, history: true },
      b: { ...soil, input: 'A1', history: { every: 1 } },
      c: { ...soil, input: 'A2', history: { everyMs: 0 } },
    }),
    'sensors.a.history: must be false, or such as { "everyMs": 60000 }; there is true',
    'sensors.b.history: takes "samples" and "everyMs"; there is "every"',
    'sensors.c.history: has a "everyMs" that must be a number above 0 ms; there is 0',
  ],
  'a servo nowhere': [
    actuators({ vent: { driver: 'servo', safe: 0 } }),
    'actuators.vent.pin: is missing: name a pin with PWM, such as "GPIO18"',
  ],
  'a servo at an output of nothing': [
    actuators({ vent: { driver: 'servo', output: 3, safe: 0 } }),
    'actuators.vent.output: belongs to a PCA9685: add "chip": "pca9685"',
  ],
  'a servo in two places': [
    actuators({ vent: { driver: 'servo', chip: 'pca9685', pin: 'GPIO18', address: '0x40', output: 0, safe: 0 } }),
    'actuators.vent.pin: does not go with "chip": the servo is at one of the two',
  ],
  'a servo that is safe where it cannot be': [
    actuators({ vent: { driver: 'servo', pin: 'GPIO18', degrees: 90, safe: 91 } }),
    'actuators.vent.safe: must be from 0 to 90 degrees, as far as it turns; there is 91',
  ],
  'a buzzer with a tone at a pin without': [
    actuators({ bell: { driver: 'buzzer', pin: 'GPIO17', hz: 2000 } }),
    'actuators.bell.pin: must be a pin with PWM where "hz" is given: GPIO12, GPIO13, GPIO18 or GPIO19',
  ],
  'a motor with one pin for two things': [
    actuators({ door: { driver: 'motor', forward: 'GPIO5', backward: 'GPIO5', speed: 'GPIO12' } }),
    'actuators.door: GPIO5 (pin 29) is taken by actuators.door already. Wire one of them to another pin',
  ],
  'more than one mistake': [
    {
      name: 'my board',
      sensors: { air: { driver: 'bme280', adress: '0x76' } },
      actuators: { pump: { driver: 'relay' } },
    },
    'name: is "my board": a name is a letter, then letters, digits, _ or -, at most 64 in all. Such as "my_board"',
    'sensors.air.adress: is not known here. Did you mean "address"?',
    'sensors.air: lacks its "address": the address of the chip on the bus, in hexadecimal as a text. For example "address": "0x76"',
    'actuators.pump: lacks its "pin": the pin: "GPIO17", "pin 11", or the name of a line; with "chip" also its number. For example "pin": "GPIO17"',
  ],
}

describe('what is said of a mistake', () => {
  it.each(Object.entries(mistakes))('%s', (_, [declaration, ...expected]) => {
    expect(said(declaration)).toEqual(expected)
  })

  it('is one error, which lists them, a line each', () => {
    const make = () => raspberryPi({ name: 'b', sensors: { air: { driver: 'bme280' } }, actuators: { p: {} } } as any)
    expect(make).toThrow(DefinitionError)
    expect(make).toThrow(/^the board "b" has 2 mistakes:\n {2}sensors\.air: lacks .*\n {2}actuators\.p: lacks .*$/)
  })
})

describe('two pins of one PWM channel', () => {
  const declaration = actuators({ lamp: { driver: 'pwm', pin: 'GPIO18' }, fan: { driver: 'pwm', pin: 'pin 32' } })
  const on = (model: string) => said(declaration, { root: systemRoot({ 'proc/device-tree/model': `${model}\0` }) })

  it.each(['Raspberry Pi 4 Model B Rev 1.4', 'Raspberry Pi Zero 2 W Rev 1.0', 'Raspberry Pi 400 Rev 1.0'])(
    'on a %s',
    model => {
      expect(on(model)).toEqual([
        'actuators.fan: The PWM channel of GPIO12 and GPIO18 is taken by actuators.lamp already. On this Raspberry Pi these two pins always pulse alike. Take one of the other pair, or a PCA9685',
      ])
    },
  )

  it.each(['Raspberry Pi 5 Model B Rev 1.0', 'Raspberry Pi 500 Rev 1.0', 'Raspberry Pi Compute Module 5 Rev 1.0'])(
    'not on a %s',
    model => {
      expect(on(model)).toEqual([])
    },
  )

  it('nor where the machine is not known: it may be another that the board is for', () => {
    expect(said(declaration)).toEqual([])
  })
})
