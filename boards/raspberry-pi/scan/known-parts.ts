/** What a part answers when a register is read. */
export interface Answer {
  register: number
  /** 1, or 2 with the high byte first. */
  byteLength: 1 | 2
  values: readonly number[]
}

/** A part that is common on boards, as data: what it may be, and how it is told. */
export interface KnownPart {
  name: string
  /** What it is, in a few words. */
  what: string
  /** The addresses that it can have. */
  at: readonly number[]
  /** The word for it in a board file, where there is a driver. */
  driver?: string
  /** What it is called in a board file when nothing better is known: `air`. */
  key?: string
  /**
   * What tells it from all others. `sensirion` is an answer with a right checksum. Left out where there is nothing to know it
   * by, or where reading would change something.
   */
  answers?: readonly Answer[] | 'sht3x' | 'sht4x'
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const id = (register: number, ...values: number[]): Answer => ({ register, byteLength: 1, values })
const word = (register: number, ...values: number[]): Answer => ({ register, byteLength: 2, values })

/** Parts by their addresses, those with a driver first. */
export const knownParts: readonly KnownPart[] = [
  {
    ...{ name: 'BME280', what: 'temperature, humidity, air pressure', at: [0x76, 0x77], driver: 'bme280', key: 'air' },
    answers: [id(0xd0, 0x60)],
  },
  {
    ...{ name: 'BMP280', what: 'temperature, air pressure', at: [0x76, 0x77], driver: 'bmp280', key: 'air' },
    // 0x56 and 0x57 are samples, which were sold too.
    answers: [id(0xd0, 0x56, 0x57, 0x58)],
  },
  {
    ...{ name: 'SHT4x', what: 'temperature, humidity', at: [0x44, 0x45, 0x46], driver: 'sht4x', key: 'air' },
    answers: 'sht4x',
  },
  {
    ...{ name: 'SHT3x', what: 'temperature, humidity', at: [0x44, 0x45], driver: 'sht3x', key: 'air' },
    answers: 'sht3x',
  },
  {
    ...{ name: 'ADS1115', what: 'four voltages (or ADS1015)', at: range(0x48, 0x4b), driver: 'ads1115', key: 'adc' },
    // Its thresholds, which nobody sets who only measures.
    answers: [word(0x02, 0x8000), word(0x03, 0x7fff)],
  },
  {
    ...{ name: 'INA219', what: 'voltage, current, power', at: range(0x40, 0x4f), driver: 'ina219', key: 'supply' },
    // As after power-up, and as the driver leaves it.
    answers: [word(0x00, 0x399f, 0x3998, 0x399b)],
  },
  {
    ...{ name: 'MPU-6050', what: 'acceleration, rotation', at: [0x68, 0x69], driver: 'mpu6050', key: 'motion' },
    answers: [id(0x75, 0x68)],
  },
  {
    // It can be made to have any address up to 0x7f.
    ...{ name: 'PCA9685', what: '16 servos or lamps', at: range(0x40, 0x47), driver: 'pca9685' },
    // Its further addresses, as after power-up.
    answers: [id(0x02, 0xe2), id(0x03, 0xe4), id(0x04, 0xe8), id(0x05, 0xe0)],
  },
  { name: 'BH1750', what: 'light', at: [0x23, 0x5c], driver: 'bh1750', key: 'light' },

  { name: 'BME680', what: 'air and gas', at: [0x76, 0x77], answers: [id(0xd0, 0x61)] },
  { name: 'BMP180', what: 'temperature, air pressure', at: [0x77], answers: [id(0xd0, 0x55)] },
  { name: 'INA226', what: 'voltage, current, power', at: range(0x40, 0x4f), answers: [word(0x00, 0x4127)] },
  { name: 'HDC1080', what: 'temperature, humidity', at: [0x40], answers: [word(0x02, 0x1000)] },
  {
    name: 'LM75',
    what: 'thermometer (or TMP102)',
    at: range(0x48, 0x4f),
    answers: [word(0x02, 0x4b00), word(0x03, 0x5000)],
  },
  { name: 'MPU-6500', what: 'acceleration, rotation', at: [0x68, 0x69], answers: [id(0x75, 0x70)] },
  { name: 'MPU-9250', what: 'acceleration, rotation, compass', at: [0x68, 0x69], answers: [id(0x75, 0x71)] },

  { name: 'QMC5883L', what: 'compass', at: [0x0d] },
  { name: 'VEML7700', what: 'light', at: [0x10] },
  { name: 'PiJuice', what: 'power supply', at: [0x14] },
  { name: 'MCP9808', what: 'thermometer', at: range(0x18, 0x1f) },
  { name: 'LIS3DH', what: 'acceleration', at: [0x18, 0x19] },
  { name: 'HMC5883L', what: 'compass', at: [0x1e] },
  { name: 'PCF8574', what: '8 pins, or a display of letters', at: [...range(0x20, 0x27), ...range(0x38, 0x3f)] },
  { name: 'MCP23017', what: '16 pins', at: range(0x20, 0x27) },
  { name: 'VL53L0X', what: 'distance', at: [0x29] },
  { name: 'TSL2561', what: 'light', at: [0x29, 0x39, 0x49] },
  { name: 'TCS34725', what: 'colour', at: [0x29] },
  { name: 'AHT20', what: 'temperature, humidity', at: [0x38] },
  { name: 'APDS-9960', what: 'light, gestures', at: [0x39] },
  { name: 'SSD1306', what: 'small display', at: [0x3c, 0x3d] },
  { name: 'HTU21D', what: 'temperature, humidity (or Si7021)', at: [0x40] },
  { name: 'PCF8591', what: 'four voltages, one output', at: range(0x48, 0x4f) },
  { name: 'AT24C', what: 'EEPROM', at: range(0x50, 0x57) },
  { name: 'PCF8563', what: 'clock', at: [0x51] },
  { name: 'ADXL345', what: 'acceleration', at: [0x1d, 0x53] },
  { name: 'MAX30102', what: 'pulse', at: [0x57] },
  { name: 'SGP30', what: 'gas', at: [0x58] },
  { name: 'MLX90614', what: 'thermometer at a distance', at: [0x5a] },
  { name: 'MPR121', what: 'touch', at: range(0x5a, 0x5d) },
  { name: 'CCS811', what: 'gas', at: [0x5a, 0x5b] },
  { name: 'AM2320', what: 'temperature, humidity', at: [0x5c] },
  { name: 'SCD30', what: 'CO2', at: [0x61] },
  { name: 'SCD40', what: 'CO2', at: [0x62] },
  { name: 'DS3231', what: 'clock (or DS1307)', at: [0x68] },
  { name: 'MCP3421', what: 'voltage (or MCP3424)', at: range(0x68, 0x6f) },
  { name: 'MCP7940N', what: 'clock', at: [0x6f] },
  { name: 'PCA9685', what: 'all of them on the bus at once', at: [0x70] },
  { name: 'TCA9548A', what: 'multiplexer of eight buses', at: range(0x70, 0x77) },
  { name: 'HT16K33', what: 'display of LEDs', at: range(0x70, 0x77) },
  { name: 'MS5611', what: 'air pressure', at: [0x76, 0x77] },
]

/**
 * The addresses at which a register may be read: naming one is a write of one byte, which a port expander puts out at its
 * pins, a multiplexer takes as its channels and a converter as its configuration. By the datasheets of all parts above, at
 * these nothing moves by it.
 */
export const askableAddresses: ReadonlySet<number> = new Set([...range(0x40, 0x4b), 0x68, 0x69, 0x76, 0x77])

/** The parts that can have an address, those that can be told first. */
export function partsAt(address: number): readonly KnownPart[] {
  return knownParts.filter(({ at }) => at.includes(address))
}
