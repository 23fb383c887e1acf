import { describe, expect, it } from 'vitest'
import { HardwareError } from '../../boards/raspberry-pi/hardware-error.ts'
import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'
import { sensorEntries, suggestions } from '../../boards/raspberry-pi/scan/board-entries.ts'
import { isEmpty, type ScanOptions, scan } from '../../boards/raspberry-pi/scan/index.ts'
import { ADS1115Model } from '../parts/models/ads1115-model.ts'
import { BH1750Model } from '../parts/models/bh1750-model.ts'
import { BME280Model } from '../parts/models/bme280-model.ts'
import { JumpingClock } from '../parts/models/jumping-clock.ts'
import { PCA9685Model } from '../parts/models/pca9685-model.ts'
import { pi4 } from './fake-gpio.ts'
import { systemRoot } from './system-root.ts'
import { headerBus, WiredPi, type WiredPiOptions } from './wired-pi.ts'

const clock = new JumpingClock()
const w1 = '50 01 4b 46 7f ff 0c 10 1c : crc=1c YES\n50 01 4b 46 7f ff 0c 10 1c t=21000\n'
const devices = 'sys/bus/w1/devices'
/** A file of a device that lies where its bus does, as real ones are links to there. */
const thermometer = (id: string, text = w1) => ({ [`${devices}/${id}/w1_slave`]: text })

const look = (options: WiredPiOptions = {}) => scan({ ...new WiredPi(options).options, clock })
const hintOf = async (what: string, options: WiredPiOptions) =>
  (await look(options)).hints.filter(hint => hint.what === what)

describe('the pins', () => {
  it('of the header, with who has them and which buses use them; other controllers are counted', async () => {
    const [header, expander] = pi4
    const { chips, header: lines } = await look({
      gpio: [{ ...header!, taken: { 4: 'onewire@0', 42: 'led0' } }, expander!],
      buses: { 1: { name: headerBus } },
      files: { 'dev/spidev0.0': '', 'dev/ttyS0': '' },
      links: { 'dev/serial0': 'ttyS0' },
    })
    expect(chips).toEqual([
      { name: 'gpiochip0', label: 'pinctrl-bcm2711', lines: 58, taken: 2, header: true },
      { name: 'gpiochip1', label: 'raspberrypi-exp-gpio', lines: 8, taken: 0, header: false },
    ])
    expect(lines).toHaveLength(28)
    const used = lines.filter(({ consumer, bus }) => consumer !== undefined || bus !== undefined)
    expect(used.map(({ line, pin, consumer, bus }) => `GPIO${line} at ${pin}: ${consumer ?? bus}`)).toEqual([
      'GPIO0 at 27: the EEPROM of a HAT',
      'GPIO1 at 28: the EEPROM of a HAT',
      'GPIO2 at 3: i2c-1',
      'GPIO3 at 5: i2c-1',
      'GPIO4 at 7: onewire@0',
      'GPIO9 at 21: spi0',
      'GPIO10 at 19: spi0',
      'GPIO11 at 23: spi0',
      'GPIO14 at 8: serial0',
      'GPIO15 at 10: serial0',
    ])
  })

  it('that this user may not look at, with the group to join', async () => {
    const { chips, hints } = await scan({
      ...new WiredPi({ closed: ['gpiochip0'], files: group('gpio') }).options,
    })
    expect(chips).toEqual([])
    expect(hints).toContainEqual({
      what: 'groups',
      text: 'pi is not in the group gpio',
      todo: ['sudo usermod -aG gpio pi', 'log out and in again, or restart'],
    })
  })
})

/** A group that the fake devices belong to, which are this user's. */
function group(name: string, members = ''): Record<string, string> {
  return { 'etc/group': `root:x:4711:\n${name}:x:${process.getgid?.()}:${members}\n` }
}

describe('what the kernel measures', () => {
  it('is read once, whatever measures it', async () => {
    const { quantities } = await look({
      files: {
        ...thermometer('28-0316a2795fff'),
        [`${devices}/w1_bus_master1/w1_master_slave_count`]: '1',
        'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
        'sys/class/thermal/thermal_zone0/temp': '48312\n',
        'sys/bus/iio/devices/iio:device0/name': 'dht11@4\n',
        'sys/bus/iio/devices/iio:device0/in_temp_input': '22500\n',
        'sys/bus/iio/devices/iio:device0/in_humidityrelative_input': '41000\n',
        'sys/class/hwmon/hwmon0/name': 'cpu_thermal\n',
        'sys/class/hwmon/hwmon0/temp1_input': '48312\n',
        'sys/class/hwmon/hwmon1/name': 'ina219\n',
        'sys/class/hwmon/hwmon1/in1_input': '5012\n',
        'sys/class/hwmon/hwmon2/name': 'w1_slave_temp\n',
        'sys/class/hwmon/hwmon2/temp1_input': '21000\n',
      },
      links: { 'sys/class/hwmon/hwmon0/device': '../../thermal_zone0' },
    })
    expect(
      quantities.map(({ source, device, channel, value, unit }) => [source, device, channel, value, unit]),
    ).toEqual([
      ['1-wire', '28-0316a2795fff', undefined, 21, 'Cel'],
      ['thermal', 'cpu-thermal', undefined, 48.312, 'Cel'],
      ['iio', 'dht11@4', 'humidityrelative', 41, '%RH'],
      ['iio', 'dht11@4', 'temp', 22.5, 'Cel'],
      ['hwmon', 'ina219', 'in1', 5.012, 'V'],
    ])
  })

  it('two of one name are named by their folders, and one that fails costs the others nothing', async () => {
    const { quantities } = await look({
      files: {
        'sys/bus/iio/devices/iio:device0/name': 'ads1015\n',
        'sys/bus/iio/devices/iio:device0/in_voltage0_raw': '\n',
        'sys/bus/iio/devices/iio:device1/name': 'ads1015\n',
        'sys/bus/iio/devices/iio:device1/in_voltage0_raw': '100\n',
        'sys/bus/iio/devices/iio:device1/in_voltage_scale': '2\n',
      },
    })
    expect(quantities).toEqual([
      expect.objectContaining({ device: 'iio:device0', failure: expect.stringContaining('gave no number') }),
      expect.objectContaining({ device: 'iio:device1', value: 0.2, unit: 'V' }),
    ])
  })
})

describe('1-Wire', () => {
  const master = { [`${devices}/w1_bus_master1/w1_master_slave_count`]: '0' }

  it('on which nobody answers', async () => {
    const [hint] = await hintOf('1-Wire', { files: master })
    expect(hint!.text).toContain('is on, and no chip answers')
    expect(hint!.todo[0]).toContain('4.7 kΩ')
  })

  it('that nothing pulls up, which the kernel takes for chips of a family that does not exist', async () => {
    const [hint] = await hintOf('1-Wire', { files: { ...master, [`${devices}/00-400000000000/name`]: '' } })
    expect(hint!.text).toBe('finds 00-400000000000, which no chip is called: nothing pulls the line up')
  })

  it('chips that are no thermometers', async () => {
    const { oneWireOthers, hints } = await look({ files: { ...master, [`${devices}/01-000012345678/name`]: '' } })
    expect(oneWireOthers).toEqual(['01-000012345678'])
    expect(hints.filter(({ what }) => what === '1-Wire')).toEqual([])
  })
})

describe('what is off', () => {
  it('of a Raspberry Pi, with what switches it on', async () => {
    const { hints } = await look({ files: { 'boot/firmware/config.txt': '# dtparam=i2c_arm=on\n' } })
    expect(hints.map(({ what, todo, offAt }) => [what, offAt, ...todo])).toEqual([
      ['I2C', 'pins 3 and 5', 'sudo raspi-config nonint do_i2c 0'],
      ['1-Wire', 'pin 7', 'sudo raspi-config nonint do_onewire 0'],
      ['SPI', 'pins 19 to 26', 'sudo raspi-config nonint do_spi 0'],
      ['PWM', 'pins 12 and 35', 'add to /boot/firmware/config.txt: dtoverlay=pwm-2chan'],
      ['UART', 'pins 8 and 10', 'sudo raspi-config nonint do_serial_hw 0'],
    ])
  })

  it.each([
    ['I2C', 'dtparam=i2c_arm=on'],
    ['I2C', 'dtparam=audio=on,i2c_arm=on,i2c_arm_baudrate=400000'],
    ['I2C', 'dtparam=i2c1=on\r'],
    ['SPI', 'dtparam=spi=on'],
    ['1-Wire', 'dtoverlay=w1-gpio,gpiopin=17'],
    ['PWM', 'dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4'],
    ['UART', 'enable_uart=1'],
  ])('%s is switched on by "%s", which waits for a restart', async (what, line) => {
    const [hint] = await hintOf(what, { files: { 'boot/config.txt': `[all]\n${line}\n` } })
    expect(hint).toMatchObject({ text: expect.stringContaining('in /boot/config.txt'), todo: ['sudo reboot'] })
  })

  it('nothing of that on another board, which has no raspi-config', async () => {
    const files = { 'proc/device-tree/model': 'Xunlong Orange Pi Zero\0' }
    expect((await look({ files })).hints).toEqual([])
  })
})

describe('what this user may not use', () => {
  const buses = { 1: { name: headerBus, chips: [new BME280Model(clock)] } }

  it('all groups to join are told at once, also those of what is still off', async () => {
    const files = { 'etc/group': 'root:x:0:\ngpio:x:997:\ni2c:x:994:\nspi:x:993:\n' }
    const { hints } = await look({ files, closed: ['gpiochip0'] })
    expect(hints.find(({ what }) => what === 'groups')).toEqual({
      what: 'groups',
      text: 'pi is not in the groups gpio, i2c, spi',
      todo: ['sudo usermod -aG gpio,i2c,spi pi', 'log out and in again, or restart'],
    })
  })

  it('no group has to be joined by who is in it, or may open its devices anyway', async () => {
    const { hints } = await look({ buses, files: { 'etc/group': 'gpio:x:997:\ni2c:x:994:\nspi:x:993:mouse,pi\n' } })
    expect(hints.filter(({ what }) => what === 'groups')).toEqual([])
  })

  it('a device of a group of its own', async () => {
    const [hint] = await hintOf('I2C', { buses, files: group('lab'), closed: ['i2c-1'] })
    expect(hint).toEqual({
      what: 'I2C',
      text: '/dev/i2c-1 is for the group lab, and pi is not in it',
      todo: ['sudo usermod -aG lab pi', 'log out and in again, or restart'],
    })
  })

  it('who has joined and is logged in from before', async () => {
    const [hint] = await hintOf('I2C', { buses, files: group('i2c', 'mouse,pi'), closed: ['i2c-1'] })
    expect(hint).toEqual({
      what: 'I2C',
      text: 'pi is in the group i2c, and this login is older than that',
      todo: ['log out and in again, or restart'],
    })
  })

  it('without a group there is no advice to join one', async () => {
    const [hint] = await hintOf('I2C', { buses, closed: ['i2c-1'] })
    expect(hint!.text).toBe('/dev/i2c-1 belongs to root, and pi may not open it')
  })

  it('SPI, on a system without groups for it', async () => {
    const [hint] = await hintOf('SPI', { files: { 'dev/spidev0.0': '' }, closed: ['spidev0.0'] })
    expect(hint!.text).toBe('/dev/spidev0.0 belongs to root, and pi may not open it')
  })
})

it('without koffi all that needs no call is found, and the package is asked for once', async () => {
  const pi = new WiredPi({
    buses: { 1: { name: headerBus } },
    files: {
      'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
      'sys/class/thermal/thermal_zone0/temp': '1000\n',
    },
  })
  const { root, user } = pi.options
  // Whatever is wanted of the kernel, the package is missing.
  const options = Object.defineProperty({ root, user } as ScanOptions, 'kernel', {
    enumerable: true,
    get(): KernelCalls {
      throw new HardwareError('ENOPKG', 'the package koffi is not installed: run npm install koffi')
    },
  })
  const { hints, i2c, quantities } = await scan(options)
  expect(hints.filter(({ todo }) => todo.includes('npm install koffi'))).toHaveLength(1)
  expect(i2c[0]).toMatchObject({ asked: false, why: 'the package koffi is missing' })
  expect(quantities[0]!.value).toBe(1)
})

describe('ports, outputs and LEDs', () => {
  it('are told and not opened', async () => {
    const pwm = 'sys/class/pwm'
    const {
      spi,
      pwm: controllers,
      uarts,
      leds,
      hints,
    } = await look({
      files: {
        'dev/spidev0.0': '',
        'dev/spidev0.1': '',
        'dev/ttyAMA0': '',
        'dev/ttyS0': '',
        'proc/cmdline': 'console=serial0,115200 console=tty1 root=PARTUUID=1\n',
        [`${pwm}/pwmchip0/npwm`]: '2\n',
        'sys/class/tty/ttyAMA3/type': '0',
        'sys/class/tty/ttyS0/type': '4',
        'sys/class/tty/ttyS7/type': '0',
        'sys/class/leds/ACT/trigger': 'none [mmc0] timer\n',
        'sys/class/leds/PWR/trigger': '[none] mmc0 timer\n',
      },
      links: {
        [`${pwm}/pwmchip0/device`]: '../../../fe20c000.pwm',
        'dev/serial0': 'ttyS0',
        'dev/serial1': 'ttyAMA0',
      },
    })
    expect(spi.map(({ name }) => name)).toEqual(['spidev0.0', 'spidev0.1'])
    expect(controllers).toEqual([
      { name: 'pwmchip0', device: 'fe20c000.pwm', channels: 2, pins: ['GPIO12', 'GPIO18', 'GPIO13', 'GPIO19'] },
    ])
    expect(uarts).toEqual([
      { name: 'serial0', port: 'ttyS0', usedFor: 'the login console' },
      { name: 'serial1', port: 'ttyAMA0' },
      { name: 'ttyAMA3' },
    ])
    expect(leds).toEqual([{ name: 'ACT', trigger: 'mmc0' }, { name: 'PWR' }])
    expect(hints.find(({ what }) => what === 'UART')?.todo[0]).toBe('sudo raspi-config nonint do_serial_cons 1')
  })
})

describe('a machine without hardware', () => {
  it('is empty, and there is nothing to do', async () => {
    const found = await scan({ root: systemRoot() })
    expect(isEmpty(found)).toBe(true)
    expect(found.hints).toEqual([])
  })

  it('is not so with a sensor that the kernel knows', async () => {
    const zone = 'sys/class/thermal/thermal_zone0'
    const root = systemRoot({ [`${zone}/type`]: 'acpitz\n', [`${zone}/temp`]: '40000\n' })
    expect(isEmpty(await scan({ root }))).toBe(false)
  })
})

describe('the entries of a board file', () => {
  it('have names that say what they are, each once', async () => {
    const ads1115 = () => new ADS1115Model(clock, [0, 0, 0, 0])
    const other = new BME280Model(clock, { id: 0x58 })
    const found = await look({
      buses: {
        1: { name: headerBus, chips: [new BME280Model(clock), ads1115()] },
        3: { name: 'bcm2835 (i2c@7e205600)', chips: [other, ads1115()] },
      },
      files: {
        ...thermometer('28-0316a2795fff'),
        ...thermometer('28-0000000abcde', ''),
        'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
        'sys/class/thermal/thermal_zone0/temp': '48312\n',
        'sys/bus/iio/devices/iio:device0/name': 'dht11@4\n',
        'sys/bus/iio/devices/iio:device0/in_temp_input': '22500\n',
        'sys/bus/iio/devices/iio:device0/in_activity_running_input': '0\n',
      },
    })
    const entries = sensorEntries(found)
    expect(Object.fromEntries(entries.map(({ key, entry }) => [key, entry]))).toEqual({
      air: { driver: 'bme280', address: '0x76' },
      adc_a0: { driver: 'ads1115', address: '0x48', input: 'A0' },
      adc_a1: { driver: 'ads1115', address: '0x48', input: 'A1' },
      adc_a2: { driver: 'ads1115', address: '0x48', input: 'A2' },
      adc_a3: { driver: 'ads1115', address: '0x48', input: 'A3' },
      adc_48_a0: { driver: 'ads1115', address: '0x48', bus: 3, input: 'A0' },
      adc_48_a1: { driver: 'ads1115', address: '0x48', bus: 3, input: 'A1' },
      adc_48_a2: { driver: 'ads1115', address: '0x48', bus: 3, input: 'A2' },
      adc_48_a3: { driver: 'ads1115', address: '0x48', bus: 3, input: 'A3' },
      air_76: { driver: 'bmp280', address: '0x76', bus: 3 },
      thermometer_bcde: { driver: 'ds18b20', id: '28-0000000abcde' },
      thermometer_5fff: { driver: 'ds18b20', id: '28-0316a2795fff' },
      cpu: { driver: 'thermal-zone', type: 'cpu-thermal' },
      dht11_4_temperature: { driver: 'iio', device: 'dht11@4', channel: 'temp' },
    })
    expect(entries).toHaveLength(14)
  })

  it('what only a person knows is suggested, at pins that are free', async () => {
    const found = await look({
      gpio: [{ ...pi4[0]!, taken: { 17: 'pump' } }],
      buses: { 1: { name: headerBus, chips: [new BH1750Model(clock, 1), new PCA9685Model()] } },
      files: { 'dev/spidev1.2': '' },
    })
    expect(sensorEntries(found)).toEqual([])
    expect(suggestions(found).map(({ when, under, entry }) => [when, under, entry])).toEqual([
      ['if 0x23 on i2c-1 is a BH1750', 'sensors', { driver: 'bh1750', address: '0x23' }],
      ['if an MCP3008 is on spidev1.2', 'sensors', { driver: 'mcp3008', bus: 1, select: 2, input: 0 }],
      [
        'if a servo is at output 0 of the PCA9685 at 0x40',
        'actuators',
        { driver: 'servo', chip: 'pca9685', address: '0x40', output: 0, safe: 90 },
      ],
      [
        'if a relay is at GPIO27 that switches on with a low voltage',
        'actuators',
        { driver: 'relay', pin: 'GPIO27', activeLow: true, holdForMs: 30000, title: 'Pump' },
      ],
    ])
  })
})
