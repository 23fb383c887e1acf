import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boardModel } from '../../boards/raspberry-pi/model.ts'
import { hwmon } from '../../boards/raspberry-pi/sysfs/hwmon.ts'
import { analog, iio } from '../../boards/raspberry-pi/sysfs/iio.ts'
import { led } from '../../boards/raspberry-pi/sysfs/led.ts'
import { pwm } from '../../boards/raspberry-pi/sysfs/pwm.ts'
import { thermalZone, thermalZones } from '../../boards/raspberry-pi/sysfs/thermal-zone.ts'
import { addFiles, systemRoot } from './system-root.ts'

it('the model of the board', () => {
  const root = systemRoot({ 'proc/device-tree/model': 'Raspberry Pi 5 Model B Rev 1.0\0' })
  expect(boardModel({ root })).toBe('Raspberry Pi 5 Model B Rev 1.0')
  expect(boardModel({ root: systemRoot() })).toBeUndefined()
})

describe('thermal zones', () => {
  const root = () =>
    systemRoot({
      'sys/class/thermal/thermal_zone0/type': 'gpu-thermal\n',
      'sys/class/thermal/thermal_zone0/temp': '1\n',
      'sys/class/thermal/thermal_zone1/type': 'cpu-thermal\n',
      'sys/class/thermal/thermal_zone1/temp': '48312\n',
      'sys/class/thermal/cooling_device0/type': 'pwm-fan\n',
    })

  it('are found by their type, not by their number', async () => {
    const zone = thermalZone({ root: root() })
    expect(zone.unit).toBe('Cel')
    expect(await zone.read()).toBe(48.312)
    expect(thermalZones({ root: root() })).toEqual(['gpu-thermal', 'cpu-thermal'])
  })

  it('what is not there is said with what is', async () => {
    expect(() => thermalZone({ type: 'soc', root: root() })).toThrow(
      'there is no thermal zone soc in /sys/class/thermal; there is gpu-thermal (thermal_zone0), cpu-thermal (thermal_zone1)',
    )
    expect(() => thermalZone({ root: systemRoot() })).toThrow('there is none')
    const system = root()
    const zone = thermalZone({ root: system })
    writeFileSync(join(system, 'sys/class/thermal/thermal_zone1/temp'), '\n')
    await expect(zone.read()).rejects.toThrow('thermal zone cpu-thermal gave no number: ""')
    rmSync(join(system, 'sys/class/thermal/thermal_zone1'), { recursive: true })
    await expect(zone.read()).rejects.toThrow('thermal zone cpu-thermal is gone: its driver or its device was removed')
  })
})

describe('hwmon', () => {
  const root = () =>
    systemRoot({
      'sys/class/hwmon/hwmon0/name': 'cpu_thermal\n',
      'sys/class/hwmon/hwmon3/name': 'ina219\n',
      'sys/class/hwmon/hwmon3/in1_input': '5012\n',
      'sys/class/hwmon/hwmon3/curr1_input': '-230\n',
      'sys/class/hwmon/hwmon3/power1_input': '1152000\n',
      'sys/class/hwmon/hwmon4/name': 'twin\n',
      'sys/class/hwmon/hwmon5/name': 'twin\n',
      'sys/class/hwmon/hwmon5/temp1_input': '-62\n',
    })

  it.each([
    ['ina219', 'in1', 5.012, 'V'],
    ['ina219', 'curr1', -0.23, 'A'],
    ['hwmon3', 'power1', 1.152, 'W'],
    ['hwmon5', 'temp1', -0.062, 'Cel'],
  ])('%s %s is %d %s', async (chip, channel, value, unit) => {
    const quantity = hwmon({ chip, channel, root: root() })
    expect(quantity.unit).toBe(unit)
    expect(await quantity.read()).toBe(value)
  })

  it('what is not there is said with what is', () => {
    expect(() => hwmon({ chip: 'ina219', channel: 'temp1', root: root() })).toThrow(
      'ina219 has no channel temp1; there is curr1, in1, power1',
    )
    expect(() => hwmon({ chip: 'lm75', channel: 'temp1', root: root() })).toThrow('there is no hwmon chip lm75')
    expect(() => hwmon({ chip: 'twin', channel: 'temp1', root: root() })).toThrow('hwmon chip twin is ambiguous')
  })
})

describe('industrial IO', () => {
  const root = () =>
    systemRoot({
      'sys/bus/iio/devices/trigger0/name': 'ads1015\n',
      'sys/bus/iio/devices/iio:device0/name': 'ads1015\n',
      'sys/bus/iio/devices/iio:device0/in_voltage0_raw': '1024\n',
      'sys/bus/iio/devices/iio:device0/in_voltage0_scale': '2.000000000\n',
      'sys/bus/iio/devices/iio:device0/in_voltage1_raw': '-10\n',
      'sys/bus/iio/devices/iio:device0/in_voltage_scale': '3\n',
      'sys/bus/iio/devices/iio:device0/in_voltage1_offset': '5\n',
      'sys/bus/iio/devices/iio:device1/name': 'bme280\n',
      'sys/bus/iio/devices/iio:device1/in_temp_input': '21500\n',
      'sys/bus/iio/devices/iio:device1/in_pressure_input': '101.325\n',
      'sys/bus/iio/devices/iio:device1/in_humidityrelative_input': '48123\n',
      'sys/bus/iio/devices/iio:device1/in_proximity_raw': '77\n',
    })

  it.each([
    ['ads1015', 'voltage0', 2.048, 'V'],
    ['ads1015', 'voltage1', -0.015, 'V'],
    ['bme280', 'temp', 21.5, 'Cel'],
    ['bme280', 'pressure', 101_325, 'Pa'],
    ['bme280', 'humidityrelative', 48.123, '%RH'],
    ['iio:device1', 'proximity', 77, undefined],
  ])('%s %s is %d %s', async (device, channel, value, unit) => {
    const quantity = iio({ device, channel, root: root() })
    expect(quantity.unit).toBe(unit)
    expect(await quantity.read()).toBeCloseTo(value, 9)
  })

  it('a voltage is an analogue input', async () => {
    const input = analog({ device: 'ads1015', channel: 'voltage0', root: root() })
    expect(await input.read()).toBe(2.048)
    input.close()
    expect(() => analog({ device: 'bme280', channel: 'temp', root: root() })).toThrow('temp is no voltage')
    expect(() => iio({ device: 'bme280', channel: 'accel_x', root: root() })).toThrow(
      'bme280 has no channel accel_x; there is humidityrelative, pressure, proximity, temp',
    )
  })
})

describe('LEDs of the board', () => {
  const root = () =>
    systemRoot({
      'sys/class/leds/ACT/trigger': 'none [mmc0] heartbeat\n',
      'sys/class/leds/ACT/max_brightness': '255\n',
      'sys/class/leds/ACT/brightness': '0\n',
    })

  it('are lit, and given back to what lit them before', () => {
    const system = root()
    const file = (name: string) => readFileSync(join(system, 'sys/class/leds/ACT', name), 'utf8')
    const act = led({ name: 'ACT', root: system })
    expect(file('trigger')).toBe('none')
    expect(act.read()).toBe(false)
    act.write(true)
    expect(file('brightness')).toBe('255')
    expect(act.read()).toBe(true)
    expect(() => led({ name: 'ACT', root: system })).toThrow('LED ACT is taken by another part of this program')
    act.close()
    act.close()
    expect(file('trigger')).toBe('mmc0')
  })

  it('what is not there is said with what is', () => {
    expect(() => led({ name: 'PWR', root: root() })).toThrow('LED PWR is not there; there is ACT')
  })
})

/** Controllers by folder and device, with these channels exported already. */
function controllers(devices: Record<string, string>, channels: Record<string, Record<string, string>> = {}): string {
  const root = systemRoot()
  for (const [chip, device] of Object.entries(devices)) {
    addFiles(root, {
      [`sys/devices/${device}/pwm/${chip}/npwm`]: '4\n',
      [`sys/devices/${device}/pwm/${chip}/export`]: '',
    })
    mkdirSync(join(root, 'sys/class/pwm'), { recursive: true })
    symlinkSync(`../../devices/${device}/pwm/${chip}`, join(root, 'sys/class/pwm', chip))
    symlinkSync(`../../../${device}`, join(root, 'sys/class/pwm', chip, 'device'))
  }
  for (const [channel, files] of Object.entries(channels)) {
    const fresh = { period: '0', duty_cycle: '0', enable: '0', polarity: 'normal', ...files }
    for (const [name, content] of Object.entries(fresh)) {
      writeFileSync(join(mkdir(root, `sys/class/pwm/${channel}`), name), content)
    }
  }
  return root
}

function mkdir(root: string, path: string): string {
  mkdirSync(join(root, path), { recursive: true })
  return join(root, path)
}

const pi4 = { pwmchip0: 'fe20c000.pwm', pwmchip2: 'fe20c800.pwm' }
const pi5 = { pwmchip0: '107d517a80.pwm', pwmchip2: '1f00098000.pwm', pwmchip6: '1f0009c000.pwm' }
const laterPi5 = { pwmchip0: '1f00098000.pwm', pwmchip1: '1f0009c000.pwm' }

describe('PWM', () => {
  it.each([
    ['a Pi 4', pi4, 'GPIO18', 'pwmchip0/pwm0'],
    ['a Pi 4', pi4, 'GPIO13', 'pwmchip0/pwm1'],
    ['a Pi Zero 2 or 3', { pwmchip0: '3f20c000.pwm' }, 'pin 32', 'pwmchip0/pwm0'],
    ['a Pi 5 with an older kernel', pi5, 'GPIO18', 'pwmchip2/pwm2'],
    ['a Pi 5 with a newer kernel', laterPi5, 'GPIO13', 'pwmchip0/pwm1'],
    ['a Pi 5 with a newer kernel', laterPi5, 'pin 35', 'pwmchip0/pwm3'],
  ])('on %s: %j, %s is %s', async (_, devices, pin, channel) => {
    const root = controllers(devices, { [channel]: {} })
    const output = await pwm({ pin, hz: 50, initial: 0.075, root })
    const file = (name: string) => readFileSync(join(root, 'sys/class/pwm', channel, name), 'utf8')
    expect([file('period'), file('duty_cycle'), file('enable')]).toEqual(['20000000', '1500000', '1'])
    output.write(0.1)
    expect(file('duty_cycle')).toBe('2000000')
    expect(output.hz).toBe(50)
    output.close()
    expect(file('duty_cycle')).toBe('1500000')
  })

  it('a channel that was left on is turned off first, and left off', async () => {
    const left = { period: '40000', duty_cycle: '39000', enable: '1', polarity: 'inversed' }
    const root = controllers(pi4, { 'pwmchip0/pwm0': left })
    const fan = await pwm({ pin: 'GPIO12', hz: 25_000, root })
    const file = (name: string) => readFileSync(join(root, 'sys/class/pwm/pwmchip0', name), 'utf8')
    expect([file('pwm0/polarity'), file('pwm0/duty_cycle'), file('pwm0/enable')]).toEqual(['normal', '0', '1'])
    fan.write(1)
    fan.close()
    fan.close()
    expect([file('pwm0/duty_cycle'), file('pwm0/enable'), file('unexport')]).toEqual(['0', '0', '0'])
    expect(() => fan.write(1)).toThrow('GPIO12 (pin 32) is closed')
  })

  it('what cannot be is said', async () => {
    const root = controllers({ pwmchip0: '107d517a80.pwm' })
    await expect(pwm({ pin: 'GPIO18', root })).rejects.toThrow(
      'GPIO18 (pin 12) has no PWM controller; there is pwmchip0 (107d517a80.pwm). Add dtoverlay=pwm-2chan to',
    )
    await expect(pwm({ pin: 'GPIO17', root })).rejects.toThrow(
      'GPIO17 has no PWM: GPIO12, GPIO13, GPIO18 and GPIO19 have',
    )
    await expect(pwm({ chip: 'pwmchip9', root })).rejects.toThrow('there is no PWM controller pwmchip9')
    const system = controllers(pi4, { 'pwmchip0/pwm0': {} })
    for (const hz of [0, -1, Number.NaN, 0.1]) {
      await expect(pwm({ pin: 'GPIO18', hz, root: system })).rejects.toThrow(`cannot pulse at ${hz} Hz`)
    }
    const output = await pwm({ pin: 'GPIO18', root: system })
    for (const duty of [-0.1, 1.1, Number.NaN]) {
      expect(() => output.write(duty)).toThrow(`a duty is a share from 0 to 1, and ${duty} is none`)
    }
    await expect(pwm({ pin: 'GPIO12', root: system })).rejects.toThrow('taken by another part of this program')
  })
})
