import { bh1750 as bh1750Part } from '../../../parts/bh1750.ts'
import { bme280 as bme280Part, bmp280 as bmp280Part } from '../../../parts/bme280.ts'
import { ina219 as ina219Part } from '../../../parts/ina219.ts'
import { mpu6050 as mpu6050Part } from '../../../parts/mpu6050.ts'
import { sht3x as sht3xPart } from '../../../parts/sht3x.ts'
import { sht4x as sht4xPart } from '../../../parts/sht4x.ts'
import { range } from '../bus.ts'
import { choice, number } from '../field.ts'
import { i2cSensor } from './i2c-sensor.ts'

/** A BME280. */
export const bme280 = i2cSensor({
  name: 'bme280',
  about: 'BME280: temperature, humidity and air pressure, on I2C',
  addresses: [0x76, 0x77],
  gives: ['temperature', 'humidity', 'pressure'],
  options: {},
  make: io => bme280Part(io),
})

/** A BMP280. */
export const bmp280 = i2cSensor({
  name: 'bmp280',
  about: 'BMP280: temperature and air pressure, on I2C',
  addresses: [0x76, 0x77],
  gives: ['temperature', 'pressure'],
  options: {},
  make: io => bmp280Part(io),
})

/** An SHT30, SHT31 or SHT35. */
export const sht3x = i2cSensor({
  name: 'sht3x',
  about: 'SHT30, SHT31, SHT35: temperature and humidity, on I2C',
  alsoCalled: ['sht30', 'sht31', 'sht35'],
  addresses: [0x44, 0x45],
  gives: ['temperature', 'humidity'],
  options: {},
  make: io => sht3xPart(io),
})

/** An SHT40, SHT41 or SHT45. */
export const sht4x = i2cSensor({
  name: 'sht4x',
  about: 'SHT40, SHT41, SHT45: temperature and humidity, on I2C',
  alsoCalled: ['sht40', 'sht41', 'sht45'],
  addresses: [0x44, 0x45, 0x46],
  gives: ['temperature', 'humidity'],
  options: {},
  make: io => sht4xPart(io),
})

/** A BH1750. */
export const bh1750 = i2cSensor({
  name: 'bh1750',
  about: 'BH1750: light, on I2C',
  alsoCalled: ['gy-30', 'gy-302', 'light'],
  addresses: [0x23, 0x5c],
  gives: ['illuminance'],
  options: {},
  make: io => bh1750Part(io),
})

/** An INA219. */
export const ina219 = i2cSensor({
  name: 'ina219',
  about: 'INA219: voltage, current and power of a load, on I2C',
  addresses: range(0x40, 0x4f),
  gives: ['voltage', 'current', 'power'],
  options: {
    shuntOhms: number(
      'The shunt resistor in ohms; 0.1, that of most modules, when left out',
      { above: 0, maximum: 100 },
      0.1,
    ),
  },
  make: (io, options) => ina219Part({ ...io, ...options }),
})

/** An MPU-6050. */
export const mpu6050 = i2cSensor({
  name: 'mpu6050',
  about: 'MPU-6050: acceleration and rotation, on I2C',
  alsoCalled: ['mpu-6050', 'gy-521', 'gyroscope', 'accelerometer'],
  addresses: [0x68, 0x69],
  gives: [
    ...(['acceleration_x', 'acceleration_y', 'acceleration_z'] as const),
    'temperature',
    ...(['rotation_x', 'rotation_y', 'rotation_z'] as const),
  ],
  options: {
    maximumG: choice('The largest acceleration, in g; 2 when left out', [2, 4, 8, 16]),
    maximumDegrees: choice('The largest rotation, in degrees a second; 250 when left out', [250, 500, 1000, 2000]),
  },
  make: (io, options) => mpu6050Part({ ...io, ...options }),
})
