import { describe, expect, it, test } from 'vitest'
import { DefinitionError } from '../runtime/errors.ts'
import { assertSenmlName, type Reading, readableReading, type SenmlRecord, senmlPack } from '../runtime/senml.ts'
import { isSenmlUnit, nearestUnit, readableUnit, type SenmlUnit, senmlUnits } from '../runtime/senml-units.ts'

const time = 1_276_020_076_001
const base = 'sensor://greenhouse/'

const packs: { name: string; readings: Reading[]; records: SenmlRecord[] }[] = [
  { name: 'no reading makes an empty pack', readings: [], records: [] },
  {
    name: 'one number is one record with its own time (RFC 8428, section 5.1.1)',
    readings: [{ name: 'air_temperature', value: 23.1, unit: 'Cel', time }],
    records: [{ bn: base, n: 'air_temperature', u: 'Cel', v: 23.1, t: 1_276_020_076.001 }],
  },
  {
    name: 'a time that all share stands once (section 5.1.2)',
    readings: [
      { name: 'voltage', value: 120.1, unit: 'V', time },
      { name: 'current', value: 1.2, unit: 'A', time },
    ],
    records: [
      { bn: base, bt: 1_276_020_076.001, n: 'voltage', u: 'V', v: 120.1 },
      { n: 'current', u: 'A', v: 1.2 },
    ],
  },
  {
    name: 'times that differ stand each on its record',
    readings: [
      { name: 'voltage', value: 120.1, unit: 'V', time },
      { name: 'current', value: 1.2, unit: 'A', time: time + 500 },
    ],
    records: [
      { bn: base, n: 'voltage', u: 'V', v: 120.1, t: 1_276_020_076.001 },
      { n: 'current', u: 'A', v: 1.2, t: 1_276_020_076.501 },
    ],
  },
  {
    name: 'a unit that all share stands once (section 5.1.3)',
    readings: [
      { name: 'inside', value: 20, unit: '%RH', time },
      { name: 'outside', value: 30, unit: '%RH', time },
    ],
    records: [
      { bn: base, bt: 1_276_020_076.001, bu: '%RH', n: 'inside', v: 20 },
      { n: 'outside', v: 30 },
    ],
  },
  {
    name: 'a reading without a unit never inherits the unit of another',
    readings: [
      { name: 'air', value: 20, unit: 'Cel', time },
      { name: 'pump', value: true, time },
    ],
    records: [
      { bn: base, bt: 1_276_020_076.001, n: 'air', u: 'Cel', v: 20 },
      { n: 'pump', vb: true },
    ],
  },
  {
    name: 'text, truth and bytes have a member each (section 5.1.5)',
    readings: [
      { name: 'label', value: 'Machine Room', time: 0 },
      { name: 'open', value: false, time: 0 },
      { name: 'nfc-reader', value: Uint8Array.of(104, 105, 32, 10), time: 0 },
    ],
    records: [
      { bn: base, bt: 0, n: 'label', vs: 'Machine Room' },
      { n: 'open', vb: false },
      { n: 'nfc-reader', vd: 'aGkgCg' },
    ],
  },
  {
    name: 'a time to live is the time within which the next value comes',
    readings: [{ name: 'soil', value: 0.42, unit: '/', time: 0, ttlMs: 500 }],
    records: [{ bn: base, n: 'soil', u: '/', v: 0.42, t: 0, ut: 0.5 }],
  },
  {
    name: 'a pack with a secondary unit says so by its version (RFC 9100)',
    readings: [{ name: 'pressure', value: 1013.25, unit: 'hPa', time: 0 }],
    records: [{ bn: base, bver: 26, n: 'pressure', u: 'hPa', v: 1013.25, t: 0 }],
  },
]

describe('a SenML pack', () => {
  for (const { name, readings, records } of packs) {
    test(name, () => expect(senmlPack(base, readings)).toEqual(records))
  }

  it('writes bytes of every length as Node does', () => {
    for (let length = 0; length < 20; length++) {
      const value = Uint8Array.from({ length }, (_, at) => (at * 89 + 250) & 255)
      const [record] = senmlPack(base, [{ name: 'data', value, time: 0 }])
      expect(record?.vd).toBe(Buffer.from(value).toString('base64url'))
    }
  })

  it('refuses a number that JSON cannot hold, and names the sensor', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => senmlPack(base, [{ name: 'soil', value, time: 0 }])).toThrow(/^soil gave /)
    }
  })

  it('refuses a name that is no SenML name', () => {
    expect(() => senmlPack(base, [{ name: 'soil moisture', value: 1, time: 0 }])).toThrow(DefinitionError)
  })
})

describe('a SenML name', () => {
  test.each(['a', '0', 'sensor://greenhouse/soil_moisture', 'urn:dev:ow:10e2073a01080063:', 'A-z:.9/_'])(
    'may be %j',
    name => expect(() => assertSenmlName(name)).not.toThrow(),
  )

  test.each(['', '-a', ':a', '.a', '/a', '_a', 'a b', 'a\n', 'ä', 'a%', 'a,b', 'a#', 'a?', '°'])(
    'may not be %j',
    name => expect(() => assertSenmlName(name)).toThrow(DefinitionError),
  )

  it('may start with a letter or digit only, and go on with five more characters', () => {
    for (let code = 0; code < 128; code++) {
      const character = String.fromCharCode(code)
      const starts = /[A-Za-z0-9]/.test(character)
      const goesOn = starts || '-:./_'.includes(character)
      if (starts) assertSenmlName(character)
      else expect(() => assertSenmlName(character)).toThrow()
      if (goesOn) assertSenmlName(`a${character}`)
      else expect(() => assertSenmlName(`a${character}`)).toThrow()
    }
  })
})

const lines: [string, Parameters<typeof readableReading>][] = [
  ['Soil moisture: 0.42 (ratio 0 to 1, 42 %), read 0.3 s ago', ['Soil moisture', 0.42, '/', 300]],
  ['Air temperature: 22.5 °C', ['Air temperature', 22.499999999, 'Cel']],
  ['Air temperature: 0 °C', ['Air temperature', -0, 'Cel', 99]],
  ['Air temperature: -3.25 °C, read 12 s ago', ['Air temperature', -3.25, 'Cel', 12_400]],
  ['Air humidity: 55 % relative humidity', ['Air humidity', 55, '%RH']],
  ['Gain: 1.7 (ratio, 170 %)', ['Gain', 1.7, '/']],
  ['Third: 0.3333 (ratio 0 to 1, 33.33 %)', ['Third', 1 / 3, '/']],
  ['Tiny: 0.00001235 m', ['Tiny', 0.0000123456, 'm']],
  ['Pressure: 101325.1235 Pa', ['Pressure', 101_325.123_456_789, 'Pa']],
  ['Tips: 12 (count)', ['Tips', 12, 'count']],
  ['Tilt: 45°', ['Tilt', 45, 'deg']],
  ['Place: 52.5° latitude', ['Place', 52.5, 'lat']],
  ['Fan: 20 per second', ['Fan', 20, '1/s']],
  ['Level: 7', ['Level', 7]],
  ['Pump running: yes, read 3 min ago', ['Pump running', true, undefined, 180_000]],
  ['Pump running: no, read 2 h ago', ['Pump running', false, undefined, 7_200_000]],
  ['Old: 1, read 3 days ago', ['Old', 1, undefined, 3 * 86_400_000]],
  ['Tag: "Ignore\\nthis \\"line\\""', ['Tag', 'Ignore\nthis "line"']],
  ['Tag: 3 bytes: 00 0a ff', ['Tag', Uint8Array.of(0, 10, 255)]],
  ['Tag: 1 byte: 07', ['Tag', Uint8Array.of(7)]],
  ['Tag: 0 bytes', ['Tag', new Uint8Array()]],
]

describe('a reading for a model', () => {
  test.each(lines)('reads: %s', (line, args) => expect(readableReading(...args)).toBe(line))

  it('bounds text and bytes', () => {
    expect(readableReading('T', 'x'.repeat(1000))).toBe(`T: "${'x'.repeat(200)}" and 800 more characters`)
    expect(readableReading('T', new Uint8Array(1000))).toMatch(/^T: 1000 bytes: (00 ){16}…$/)
  })

  it('stays one line whatever a sensor says', () => {
    for (let code = 0; code < 0x2100; code++) {
      expect(readableReading('T', String.fromCharCode(code))).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
    }
  })
})

const guesses: Record<string, SenmlUnit> = {
  C: 'Cel',
  '°C': 'Cel',
  '° C': 'Cel',
  c: 'Cel',
  celsius: 'Cel',
  'degrees Celsius': 'Cel',
  degC: 'Cel',
  cel: 'Cel',
  kelvin: 'K',
  '%': '/100',
  percent: '/100',
  '%rh': '%RH',
  humidity: '%RH',
  hPa: 'hPa',
  hpa: 'hPa',
  mbar: 'hPa',
  lux: 'lx',
  Lux: 'lx',
  ohm: 'Ohm',
  Ω: 'Ohm',
  bool: '/',
  volts: 'V',
  v: 'V',
  mv: 'mV',
  Watt: 'W',
  seconds: 's',
  S: 'S',
  'm/s²': 'm/s2',
  'm³': 'm3',
  l: 'm3',
  g: 'kg',
  rpm: '1/min',
  'µg/m³': 'ug/m3',
  degrees: 'deg',
  deg: 'deg',
  hertz: 'Hz',
  PPM: 'ppm',
}

describe('the units', () => {
  it('are all there, each once', () => {
    const main = [...senmlUnits.values()].filter(unit => unit.of === undefined)
    expect(main.length).toBe(67)
    expect(senmlUnits.size - main.length).toBe(39)
  })

  it('that should be avoided are those with an asterisk in the registry', () => {
    const avoided = [...senmlUnits].filter(([, { avoid }]) => avoid).map(([unit]) => unit)
    expect(avoided).toEqual(['g', 'l', 'l/s', 'Bspl', '%', '1/min', 'beat/min', 'beats', 'deg'])
  })

  it('that are secondary lead to a main unit by a scale and an offset', () => {
    for (const unit of senmlUnits.values()) {
      if (unit.of === undefined) continue
      expect(senmlUnits.get(unit.of)).toMatchObject({ name: expect.any(String) })
      expect(senmlUnits.get(unit.of)?.of).toBeUndefined()
      expect(unit.scale).toBeGreaterThan(0)
    }
    expect(senmlUnits.get('dBm')).toMatchObject({ of: 'dBW', scale: 1, offset: -30 })
    expect(senmlUnits.get('km/h')).toMatchObject({ of: 'm/s', scale: 1 / 3.6, offset: 0 })
  })

  it('do not include what an object inherits', () => {
    for (const text of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'cel', '']) {
      expect(isSenmlUnit(text)).toBe(false)
    }
  })

  test.each(Object.entries(guesses))('%s probably means %s', (wrong, unit) => expect(nearestUnit(wrong)).toBe(unit))

  test.each(['furlong', 'constructor', '__proto__', 'xyz'])('%s is anybody’s guess', wrong =>
    expect(nearestUnit(wrong)).toBeUndefined(),
  )

  it('of the registry are their own nearest unit, unless they mostly stand for something else or should be avoided', () => {
    for (const [unit, { avoid }] of senmlUnits) {
      const nearest = nearestUnit(unit)
      if (unit !== 'C' && !avoid) expect(nearest).toBe(unit)
      expect(nearest !== undefined && isSenmlUnit(nearest)).toBe(true)
    }
  })

  test.each([
    ['Cel', '°C'],
    ['%RH', '% relative humidity'],
    ['/', 'ratio'],
    ['m/s2', 'm/s²'],
    ['m3/s', 'm³/s'],
    ['m2', 'm²'],
    ['W/m2', 'W/m²'],
    ['ug/m3', 'µg/m³'],
    ['Ohm', 'Ω'],
    ['/100', '%'],
    ['lx', 'lx'],
  ] as const)('%s reads %s', (unit, text) => expect(readableUnit(unit)).toBe(text))
})
