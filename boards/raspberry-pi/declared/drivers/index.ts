import { buzzer } from './buzzer.ts'
import { ads1115, mcp3008 } from './converters.ts'
import { dht11, dht22 } from './dht.ts'
import { digitalInput } from './digital-input.ts'
import { bh1750, bme280, bmp280, ina219, mpu6050, sht3x, sht4x } from './i2c-sensors.ts'
import { ds18b20, hwmon, iio, thermalZone } from './kernel-sensors.ts'
import { mhz19 } from './mhz19.ts'
import { motor } from './motor.ts'
import { neopixel } from './neopixel.ts'
import { pca9685, pwm, servo } from './pulses.ts'
import { digitalOutput, led, relay } from './switches.ts'

/** The drivers that an entry of `sensors` may name. */
export const sensorDrivers = [
  ...[bme280, bmp280, sht3x, sht4x, bh1750, ina219, ads1115, mcp3008, mpu6050],
  ...[ds18b20, dht22, dht11, mhz19, digitalInput, thermalZone, iio, hwmon],
] as const

/** The drivers that an entry of `actuators` may name. */
export const actuatorDrivers = [relay, digitalOutput, pwm, servo, pca9685, motor, buzzer, neopixel, led] as const
