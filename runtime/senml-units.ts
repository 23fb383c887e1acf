/** What the registry says of a main unit. */
export interface MainUnit {
  /** The unit's name in the registry, in words. */
  readonly name: string
  /** The registry marks it with an asterisk: it may be met, but new programs should not produce it. */
  readonly avoid?: true
  readonly of?: never
}

/** What the registry says of a secondary unit: `value * scale + offset` is the same quantity in the main unit `of`. */
export interface SecondaryUnit {
  /** The unit's name in the registry, in words. */
  readonly name: string
  /** The main unit that it is a multiple of. */
  readonly of: keyof typeof mainUnits
  readonly scale: number
  readonly offset: number
  readonly avoid?: never
}

/** A unit's symbol in the IANA registries "SenML Units" and "Secondary Units", spelled as there: case matters. */
export type SenmlUnit = keyof typeof mainUnits | keyof typeof secondaryUnits

/** Units of RFC 8428, section 12.1, then those of RFC 8798, section 2, then later ones. */
const mainUnits = {
  m: { name: 'meter' },
  kg: { name: 'kilogram' },
  g: { name: 'gram', avoid: true },
  s: { name: 'second' },
  A: { name: 'ampere' },
  K: { name: 'kelvin' },
  cd: { name: 'candela' },
  mol: { name: 'mole' },
  Hz: { name: 'hertz' },
  rad: { name: 'radian' },
  sr: { name: 'steradian' },
  N: { name: 'newton' },
  Pa: { name: 'pascal' },
  J: { name: 'joule' },
  W: { name: 'watt' },
  C: { name: 'coulomb' },
  V: { name: 'volt' },
  F: { name: 'farad' },
  Ohm: { name: 'ohm' },
  S: { name: 'siemens' },
  Wb: { name: 'weber' },
  T: { name: 'tesla' },
  H: { name: 'henry' },
  Cel: { name: 'degrees Celsius' },
  lm: { name: 'lumen' },
  lx: { name: 'lux' },
  Bq: { name: 'becquerel' },
  Gy: { name: 'gray' },
  Sv: { name: 'sievert' },
  kat: { name: 'katal' },
  m2: { name: 'square meter (area)' },
  m3: { name: 'cubic meter (volume)' },
  l: { name: 'liter (volume)', avoid: true },
  'm/s': { name: 'meter per second (velocity)' },
  'm/s2': { name: 'meter per square second (acceleration)' },
  'm3/s': { name: 'cubic meter per second (flow rate)' },
  'l/s': { name: 'liter per second (flow rate)', avoid: true },
  'W/m2': { name: 'watt per square meter (irradiance)' },
  'cd/m2': { name: 'candela per square meter (luminance)' },
  bit: { name: 'bit (information content)' },
  'bit/s': { name: 'bit per second (data rate)' },
  lat: { name: 'degrees latitude' },
  lon: { name: 'degrees longitude' },
  pH: { name: 'pH value (acidity; logarithmic quantity)' },
  dB: { name: 'decibel (logarithmic quantity)' },
  dBW: { name: 'decibel relative to 1 W (power level)' },
  Bspl: { name: 'bel (sound pressure level; logarithmic quantity)', avoid: true },
  count: { name: '1 (counter value)' },
  '/': { name: '1 (ratio, 0 to 1, such as the value of a switch)' },
  // The registry warns of this one: it is the same ratio of 0 to 1 as `/` and no percentage.
  '%': { name: '1 (ratio, 0 to 1, such as the value of a switch)', avoid: true },
  '%RH': { name: 'percentage (relative humidity)' },
  '%EL': { name: 'percentage (remaining battery energy level)' },
  EL: { name: 'seconds (remaining battery energy level)' },
  '1/s': { name: '1 per second (event rate)' },
  '1/min': { name: '1 per minute (event rate, "rpm")', avoid: true },
  'beat/min': { name: '1 per minute (heart rate in beats per minute)', avoid: true },
  beats: { name: '1 (cumulative number of heart beats)', avoid: true },
  'S/m': { name: 'siemens per meter (conductivity)' },
  B: { name: 'byte (information content)' },
  VA: { name: 'volt-ampere (apparent power)' },
  VAs: { name: 'volt-ampere second (apparent energy)' },
  var: { name: 'volt-ampere reactive (reactive power)' },
  vars: { name: 'volt-ampere reactive second (reactive energy)' },
  'J/m': { name: 'joule per meter (energy per distance)' },
  'kg/m3': { name: 'kilogram per cubic meter (mass density, mass concentration)' },
  deg: { name: 'degree (angle)', avoid: true },
  NTU: { name: 'nephelometric turbidity unit' },
} as const satisfies Record<string, MainUnit>

/** Units of RFC 8798, section 3, then later ones from `ppb` on. */
const secondaryUnits = {
  ms: { name: 'millisecond', of: 's', scale: 1 / 1000, offset: 0 },
  min: { name: 'minute', of: 's', scale: 60, offset: 0 },
  h: { name: 'hour', of: 's', scale: 3600, offset: 0 },
  MHz: { name: 'megahertz', of: 'Hz', scale: 1e6, offset: 0 },
  kW: { name: 'kilowatt', of: 'W', scale: 1000, offset: 0 },
  kVA: { name: 'kilovolt-ampere', of: 'VA', scale: 1000, offset: 0 },
  kvar: { name: 'kilovar', of: 'var', scale: 1000, offset: 0 },
  Ah: { name: 'ampere-hour', of: 'C', scale: 3600, offset: 0 },
  Wh: { name: 'watt-hour', of: 'J', scale: 3600, offset: 0 },
  kWh: { name: 'kilowatt-hour', of: 'J', scale: 3.6e6, offset: 0 },
  varh: { name: 'var-hour', of: 'vars', scale: 3600, offset: 0 },
  kvarh: { name: 'kilovar-hour', of: 'vars', scale: 3.6e6, offset: 0 },
  kVAh: { name: 'kilovolt-ampere-hour', of: 'VAs', scale: 3.6e6, offset: 0 },
  'Wh/km': { name: 'watt-hour per kilometer', of: 'J/m', scale: 3.6, offset: 0 },
  KiB: { name: 'kibibyte', of: 'B', scale: 1024, offset: 0 },
  GB: { name: 'gigabyte', of: 'B', scale: 1e9, offset: 0 },
  'Mbit/s': { name: 'megabit per second', of: 'bit/s', scale: 1e6, offset: 0 },
  'B/s': { name: 'byte per second', of: 'bit/s', scale: 8, offset: 0 },
  'MB/s': { name: 'megabyte per second', of: 'bit/s', scale: 8e6, offset: 0 },
  mV: { name: 'millivolt', of: 'V', scale: 1 / 1000, offset: 0 },
  mA: { name: 'milliampere', of: 'A', scale: 1 / 1000, offset: 0 },
  dBm: { name: 'decibel (milliwatt)', of: 'dBW', scale: 1, offset: -30 },
  'ug/m3': { name: 'microgram per cubic meter', of: 'kg/m3', scale: 1e-9, offset: 0 },
  'mm/h': { name: 'millimeter per hour', of: 'm/s', scale: 1 / 3.6e6, offset: 0 },
  'm/h': { name: 'meter per hour', of: 'm/s', scale: 1 / 3600, offset: 0 },
  ppm: { name: 'parts per million', of: '/', scale: 1e-6, offset: 0 },
  '/100': { name: 'percent', of: '/', scale: 1 / 100, offset: 0 },
  '/1000': { name: 'permille', of: '/', scale: 1 / 1000, offset: 0 },
  hPa: { name: 'hectopascal', of: 'Pa', scale: 100, offset: 0 },
  mm: { name: 'millimeter', of: 'm', scale: 1 / 1000, offset: 0 },
  cm: { name: 'centimeter', of: 'm', scale: 1 / 100, offset: 0 },
  km: { name: 'kilometer', of: 'm', scale: 1000, offset: 0 },
  'km/h': { name: 'kilometer per hour', of: 'm/s', scale: 1 / 3.6, offset: 0 },
  ppb: { name: 'parts per billion', of: '/', scale: 1e-9, offset: 0 },
  ppt: { name: 'parts per trillion', of: '/', scale: 1e-12, offset: 0 },
  VAh: { name: 'volt-ampere-hour', of: 'VAs', scale: 3600, offset: 0 },
  'mg/l': { name: 'milligram per liter', of: 'kg/m3', scale: 1 / 1000, offset: 0 },
  'ug/l': { name: 'microgram per liter', of: 'kg/m3', scale: 1e-6, offset: 0 },
  'g/l': { name: 'gram per liter', of: 'kg/m3', scale: 1, offset: 0 },
} as const satisfies Record<string, SecondaryUnit>

/**
 * The IANA registries "SenML Units" and "Secondary Units" (RFC 8428, RFC 8798 and what was added since), by symbol.
 * A secondary unit has `of`, `scale` and `offset`; a unit with `avoid` is one that new programs should not produce.
 */
export const senmlUnits: ReadonlyMap<string, MainUnit | SecondaryUnit> = new Map<string, MainUnit | SecondaryUnit>([
  ...Object.entries(mainUnits),
  ...Object.entries(secondaryUnits),
])

/** Whether a text is a unit's symbol in the registry, letter for letter. */
export function isSenmlUnit(text: string): text is SenmlUnit {
  return senmlUnits.has(text)
}

const readable = new Map<SenmlUnit, string>([
  ['Cel', '°C'],
  ['Ohm', 'Ω'],
  ['lat', '° latitude'],
  ['lon', '° longitude'],
  ['deg', '°'],
  ['Bspl', 'B sound pressure level'],
  ['/', 'ratio'],
  ['%', 'ratio'],
  ['%RH', '% relative humidity'],
  ['%EL', '% battery left'],
  ['EL', 's of battery left'],
  ['1/s', 'per second'],
  ['1/min', 'per minute'],
  ['beat/min', 'beats per minute'],
  ['VAs', 'VA·s'],
  ['vars', 'var·s'],
  ['/100', '%'],
  ['/1000', '‰'],
])

/** A unit as a person reads it: `°C` for `Cel`, `% relative humidity` for `%RH`, `ratio` for `/`, `m/s²` for `m/s2`. */
export function readableUnit(unit: SenmlUnit): string {
  return readable.get(unit) ?? unit.replace(/m2\b/, 'm²').replace(/m3\b/, 'm³').replace(/s2\b/, 's²').replace(/^u/, 'µ')
}

/** What people write, in lower case and without blanks, where the registry's symbol or name does not tell by itself. */
function mistakes(): (readonly [string, SenmlUnit])[] {
  return Object.entries({
    Cel: ['c', '°c', '℃', 'degc', 'deg_c', 'degreec', 'degreesc', 'celsius', 'centigrade', 'degreecelsius'],
    K: ['°k', 'degk', 'kelvins'],
    '/100': ['%', 'percent', 'percentage', 'pct', 'per-cent'],
    '/1000': ['‰', 'permille', 'permil'],
    '%RH': ['rh', 'rh%', '%r.h.', '%rel', 'humidity', 'relativehumidity', 'percentrh', '%humidity'],
    '%EL': ['battery', 'battery%', '%battery', 'soc', '%soc'],
    '/': ['bool', 'boolean', 'onoff', 'on/off', 'switch', 'ratio', 'fraction', '0..1', '0-1', 'none', ''],
    count: ['counts', 'counter', 'n', '#', 'pcs', 'pulses', 'steps', 'number'],
    lx: ['lux', 'luxes'],
    lm: ['lumens'],
    Ohm: ['ohms', 'ω', 'Ω'],
    Pa: ['pascals', 'kpa', 'psi', 'bar', 'atm', 'mmhg'],
    hPa: ['mbar', 'millibar', 'mb'],
    A: ['amp', 'amps', 'amperes'],
    mA: ['milliamp', 'milliamps', 'milliamperes'],
    V: ['volts'],
    mV: ['millivolts'],
    W: ['watts', 'mw'],
    Hz: ['cps', 'khz'],
    s: ['sec', 'secs', 'seconds', 'us', 'µs'],
    ms: ['msec', 'millis', 'milliseconds'],
    min: ['mins', 'minutes'],
    h: ['hr', 'hrs', 'hours'],
    m: ['metre', 'metres', 'meters', 'ft', 'feet'],
    cm: ['centimetre', 'centimetres', 'centimeters', 'inch', 'inches'],
    mm: ['millimetre', 'millimetres', 'millimeters'],
    km: ['kilometre', 'kilometres', 'kilometers', 'mile', 'miles'],
    m2: ['m²', 'm^2', 'sqm'],
    m3: ['m³', 'm^3', 'l', 'liter', 'liters', 'litre', 'litres', 'ml'],
    'm3/s': ['m³/s', 'm^3/s', 'l/s', 'l/min', 'lpm', 'l/h'],
    'm/s': ['mps', 'm/sec', 'mph'],
    'km/h': ['kmh', 'kph', 'kmph'],
    'm/s2': ['m/s²', 'm/s^2', 'm/s/s', 'ms2', 'gforce'],
    '1/min': ['rpm', '/min'],
    'beat/min': ['bpm'],
    '1/s': ['/s', 'persecond'],
    deg: ['°', 'degree', 'degrees'],
    rad: ['radians'],
    kg: ['g', 'gram', 'grams', 'kgs', 'kilo', 'kilograms', 'mg', 'lb', 'lbs'],
    dB: ['decibel', 'decibels', 'db(a)', 'dba', 'bspl'],
    dBm: ['rssi'],
    T: ['ut', 'µt', 'gauss', 'microtesla'],
    pH: ['acidity'],
    ppm: ['partspermillion', 'co2'],
    'ug/m3': ['µg/m3', 'µg/m³', 'μg/m³', 'ug/m³', 'pm2.5'],
    'W/m2': ['w/m²', 'w/m^2'],
    'S/m': ['us/cm', 'µs/cm', 'ms/cm'],
    B: ['bytes'],
    bit: ['bits'],
    'bit/s': ['bps', 'baud'],
    lat: ['latitude'],
    lon: ['long', 'lng', 'longitude'],
    NTU: ['turbidity'],
  } satisfies Partial<Record<SenmlUnit, string[]>>).flatMap(([unit, texts]) =>
    texts.map(text => [text, unit as SenmlUnit] as const),
  )
}

/**
 * The registered unit that somebody probably meant: `Cel` for `C`, `°C` or `celsius`, `lx` for `lux`, `/100` for `%`.
 * The number may have to be converted to it (`Pa` for `bar`). Also answers for registered units that mostly stand for
 * something else (`C` is the coulomb, `%` a ratio of 0 to 1) or should be avoided. Nothing when there is no good guess.
 */
export function nearestUnit(wrong: string): SenmlUnit | undefined {
  const text = wrong.replace(/\s+/g, '')
  const lower = text.toLowerCase()
  // Letter for letter first, or `S` would be the second and `MHz` something else than itself.
  if (isSenmlUnit(text) && text !== 'C' && !senmlUnits.get(text)?.avoid) return text
  guesses ??= new Map([...spellings(), ...mistakes()])
  return guesses.get(lower) ?? (isSenmlUnit(text) ? text : undefined)
}

/** Made at the first mistake: made while the module loads, it took a fiftieth of a cold start. */
let guesses: ReadonlyMap<string, SenmlUnit> | undefined

/** Symbols and names in lower case; where two differ only in case, neither is a good guess. */
function spellings(): ReadonlyMap<string, SenmlUnit> {
  const found = new Map<string, SenmlUnit>()
  const twice = new Set<string>()
  for (const [unit, { name }] of senmlUnits) {
    for (const spelling of [unit.toLowerCase(), name.replace(/\(.*\)|\s+/g, '').toLowerCase()]) {
      if (found.has(spelling) && found.get(spelling) !== unit) twice.add(spelling)
      found.set(spelling, unit as SenmlUnit)
    }
  }
  for (const spelling of twice) found.delete(spelling)
  return found
}
