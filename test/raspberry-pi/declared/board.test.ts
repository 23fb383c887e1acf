import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { I2C } from '../../../boards/io.ts'
import { type BoardDeclaration, raspberryPi } from '../../../boards/raspberry-pi/board.ts'
import { createServer } from '../../../runtime/index.ts'
import { modernMeta, TestClient } from '../../memory-client.ts'
import { ADS1115Model } from '../../parts/models/ads1115-model.ts'
import { BME280Model } from '../../parts/models/bme280-model.ts'
import { JumpingClock } from '../../parts/models/jumping-clock.ts'
import { MCP3008Model } from '../../parts/models/mcp3008-model.ts'
import { PCA9685Model } from '../../parts/models/pca9685-model.ts'
import { noPtys, Pty } from '../../serial/pty.ts'
import { FakePi, type FakePiOptions } from '../fake-pi.ts'
import { addFiles, systemRoot } from '../system-root.ts'

const thermometer = '50 05 4b 46 7f ff 0c 10 1c : crc=1c YES\n50 05 4b 46 7f ff 0c 10 1c t=21312\n'

/** A greenhouse with a part of nearly every kind. */
const greenhouse: BoardDeclaration = {
  name: 'greenhouse',
  title: 'Greenhouse',
  description: 'Two beds under glass.',
  sensors: {
    air: { driver: 'bme280', address: '0x76', title: 'Seed tray' },
    water: { driver: 'ds18b20', id: '28-0316a2795fff' },
    soil: {
      driver: 'ads1115',
      address: '0x48',
      input: 'A0',
      calibration: [
        [2.9, 0],
        [0.8, 1],
      ],
      unit: '/',
    },
    light: { driver: 'ads1115', address: 0x48, input: 'A1' },
    tank: {
      driver: 'mcp3008',
      input: 3,
      calibration: [
        [0, 0],
        [3.3, 40],
      ],
      unit: 'l',
    },
    door: { driver: 'digital-input', pin: 'pin 16', pull: 'up', activeLow: true, debounceMs: 5 },
    cpu: { driver: 'thermal-zone' },
    room: { driver: 'dht22', pin: 'GPIO5' },
    supply: { driver: 'hwmon', chip: 'rpi_volt', channel: 'in0' },
  },
  actuators: {
    pump: { driver: 'relay', pin: 'GPIO17', activeLow: true, holdForMs: 30_000, title: 'Pump' },
    lamp: { driver: 'pwm', pin: 'GPIO18', hz: 1000 },
    hatch: { driver: 'servo', pin: 'GPIO13', safe: 45, pulses: [500, 2500] },
    vent: { driver: 'servo', chip: 'pca9685', address: '0x40', output: 0, safe: 0 },
    fan: { driver: 'pca9685', address: '0x40', output: 1, readback: 'cpu', safeReading: [40, 60] },
    bell: { driver: 'buzzer', pin: 'GPIO22' },
    act: { driver: 'led' },
  },
}

/** The kernel's own files for it. */
const files = {
  'sys/bus/w1/devices/28-0316a2795fff/w1_slave': thermometer,
  'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
  'sys/class/thermal/thermal_zone0/temp': '48312\n',
  'sys/class/hwmon/hwmon2/name': 'rpi_volt\n',
  'sys/class/hwmon/hwmon2/in0_input': '5012\n',
  'sys/bus/iio/devices/iio:device0/name': 'dht11@5\n',
  'sys/bus/iio/devices/iio:device0/in_temp_input': '19800\n',
  'sys/bus/iio/devices/iio:device0/in_humidityrelative_input': '51200\n',
  'sys/class/leds/ACT/trigger': 'none [mmc0] timer\n',
  'sys/class/leds/ACT/max_brightness': '255\n',
  'sys/class/leds/ACT/brightness': '0\n',
}

async function served(declaration: BoardDeclaration, options: FakePiOptions = {}) {
  const clock = new JumpingClock()
  const chips = {
    air: new BME280Model(clock),
    inputs: new ADS1115Model(clock, [1.85, 2.5, 0, 0]),
    outputs: new PCA9685Model(),
    spi: new MCP3008Model([0, 0, 0, 512, 0, 0, 0, 0]),
  }
  const pi = new FakePi({ i2c: [chips.air, chips.inputs, chips.outputs], spi: chips.spi, files, ...options })
  pi.addPWM()
  const warnings: string[] = []
  const board = raspberryPi(declaration, {
    ...pi.system,
    clock,
    warn: text => void warnings.push(text),
    file: 'board.json',
  })
  const diagnosed: string[] = []
  const server = createServer(board)
  server.diagnose = text => void diagnosed.push(text)
  onTestFinished(() => server.close())
  const client = new TestClient(server)
  const read = async (sensor: string) => {
    const { result, error } = await client.request('resources/read', {
      uri: `sensor://${declaration.name}/${sensor}`,
      _meta: modernMeta(),
    })
    if (error !== undefined) return error.message
    const [record] = JSON.parse(result.contents.find((each: any) => each.mimeType === 'application/senml+json').text)
    return [record.v ?? record.vb, record.u]
  }
  const call = async (name: string, args: object = {}) => {
    const { result, error } = await client.request('tools/call', { name, arguments: args, _meta: modernMeta() })
    return error?.message ?? (result.isError ? result.content[0].text : undefined)
  }
  return { pi, chips, server, client, read, call, warnings, diagnosed, board }
}

describe('a whole board', () => {
  it('touches no hardware before it is opened', async () => {
    const { pi, chips, board } = await served(greenhouse)
    expect(pi.gpio.touched).toEqual([])
    expect(pi.transfers).toEqual([])
    expect(chips.outputs.registers[0]).toBe(0x11)
    expect(Object.keys(board.sensors!)).toEqual([
      ...['air_temperature', 'air_humidity', 'air_pressure', 'water', 'soil', 'light', 'tank', 'door', 'cpu'],
      ...['room_temperature', 'room_humidity', 'supply'],
    ])
    expect(board.sensors!.air_pressure).toMatchObject({ title: 'Seed tray: air pressure', unit: 'hPa', maximum: 1100 })
    expect(board.sensors!.room_humidity!.title).toBe('Room: humidity')
    expect(board.actuators!.lamp).toMatchObject({ title: 'Lamp', safe: { percent: 0 } })
    expect(board.actuators!.pump).toMatchObject({ title: 'Pump', holdForMs: 30_000, safe: { on: false } })
  })

  it('is read', async () => {
    const { read, warnings } = await served(greenhouse)
    expect(await read('air_temperature')).toEqual([25.08, 'Cel'])
    expect(await read('air_pressure')).toEqual([1006.53, 'hPa'])
    expect(await read('water')).toEqual([21.312, 'Cel'])
    expect(await read('soil')).toEqual([0.5, '/'])
    expect(await read('light')).toEqual([2.5, 'V'])
    expect(await read('tank')).toEqual([20, 'l'])
    expect(await read('door')).toEqual([true, undefined])
    expect(await read('cpu')).toEqual([48.312, 'Cel'])
    expect(await read('room_temperature')).toEqual([19.8, 'Cel'])
    expect(await read('room_humidity')).toEqual([51.2, '%RH'])
    expect(await read('supply')).toEqual([5.012, 'V'])
    expect(warnings).toEqual([])
  })

  it('is moved, made safe at the start, and left safe', async () => {
    const { pi, chips, server, call } = await served(greenhouse)
    await server.open()
    const levels = () => pi.gpio.physical.splice(0)
    expect(new Set(levels())).toEqual(new Set(['GPIO17 out 1', 'GPIO22 out 0']))
    expect(pi.duty(1)).toBeCloseTo(0.05)
    expect(await call('pump', { on: true })).toBeUndefined()
    expect(levels()).toEqual(['GPIO17 out 0'])
    expect(await call('lamp', { percent: 30 })).toBeUndefined()
    expect(pi.duty(0)).toBeCloseTo(0.3)
    expect(await call('hatch', { degrees: 180 })).toBeUndefined()
    expect(pi.duty(1)).toBeCloseTo(0.125)
    expect(await call('vent', { degrees: 90 })).toBeUndefined()
    expect(chips.outputs.duty(0)).toBeCloseTo(0.075, 3)
    expect(await call('fan', { percent: 50 })).toBeUndefined()
    expect(chips.outputs.duty(1)).toBe(0.5)
    expect(await call('act', { on: true })).toBeUndefined()
    expect(await call('bell', { seconds: 0.01 })).toBeUndefined()
    expect(levels()).toEqual(['GPIO22 out 0', 'GPIO22 out 1', 'GPIO22 out 0'])
    expect(await call('vent', { degrees: 200 })).toContain('at most 180')
    await server.close()
    expect(levels()).toContain('GPIO17 out 1')
    expect([pi.duty(0), chips.outputs.duty(0), chips.outputs.duty(1)]).toEqual([0, 0, 0])
    // A servo on a pin is left where it is safe.
    expect(pi.duty(1)).toBeCloseTo(0.05)
    expect(pi.descriptors).toBe(0)
  })

  it('a bus that is slow keeps no pin from its safe level', async () => {
    const model = new PCA9685Model()
    let wake = () => {}
    const awake = new Promise<void>(resolve => {
      wake = resolve
    })
    const slow: I2C = {
      address: 0x40,
      write: async bytes => awake.then(() => model.write(bytes)),
      read: async length => awake.then(() => model.read(length)),
      writeRead: async (bytes, length) => awake.then(() => model.writeRead(bytes, length)),
      close: () => {},
    }
    const { pump, vent } = greenhouse.actuators!
    const { pi, server } = await served({ name: 'slow', actuators: { vent: vent!, pump: pump! } }, { i2c: [slow] })
    const opening = server.open()
    await expect.poll(() => pi.transfers).toContain(0x40)
    await expect.poll(() => pi.gpio.touched.join()).toContain('line 17')
    wake()
    await opening
  })

  it.skipIf(noPtys)('a part on a serial line is read', async () => {
    const pty = new Pty()
    onTestFinished(() => pty.unplug())
    const root = systemRoot({ 'dev/null': '' })
    symlinkSync(pty.path, join(root, 'dev/serial0'))
    // As an MH-Z19 answers to the command that reads it.
    pty.onBytes = () => pty.write(Uint8Array.of(0xff, 0x86, 0x02, 0x60, 0x47, 0x00, 0x00, 0x00, 0xd1))
    const board = raspberryPi({ name: 'b', sensors: { air: { driver: 'mhz19', title: 'Bedroom' } } }, { root })
    await board.open!()
    expect(board.sensors!.air).toMatchObject({ title: 'Bedroom', unit: 'ppm', maximum: 10_000 })
    expect(await board.sensors!.air!.read({ signal: new AbortController().signal })).toBe(608)
    await board.close!()
  })

  it('entries on one chip share it, each with a quantity of its own', async () => {
    const { read, pi } = await served({
      name: 'b',
      sensors: {
        warmth: {
          driver: 'bme280',
          address: '0x76',
          quantity: 'temperature',
          deadBand: 0.5,
          calibration: [
            [25.08, 25],
            [0, 0],
          ],
          unit: 'Cel',
        },
        damp: { driver: 'bme280', address: '0x76', quantity: 'humidity', thresholds: [{ above: 80 }] },
      },
    })
    expect(await read('warmth')).toEqual([25, 'Cel'])
    expect((await read('damp'))[1]).toBe('%RH')
    expect(pi.descriptors).toBe(1)
  })

  it('a button tells of its edges', async () => {
    const { pi, client, server } = await served({ name: 'b', sensors: { door: greenhouse.sensors!.door! } })
    await client.initialize()
    await client.request('resources/subscribe', { uri: 'sensor://b/door' })
    await server.open()
    const updated = client.called('notifications/resources/updated')
    pi.gpio.drive('gpiochip0', 23, true, 10)
    expect((await updated).params.uri).toBe('sensor://b/door')
  })
})

describe('what is missing', () => {
  it('a part costs its own sensors only, and is told at each reading', async () => {
    const { chips, read, warnings } = await served(greenhouse)
    chips.air.plugged = false
    expect(await read('air_temperature')).toContain('BME280 at 0x76 on i2c-1 does not answer: check its wiring')
    expect(await read('light')).toEqual([2.5, 'V'])
    expect(warnings).toEqual([])
    chips.air.plugged = true
    expect(await read('air_temperature')).toEqual([25.08, 'Cel'])
  })

  it('buses and overlays that sensors want: the board works, and each is told once at the start', async () => {
    const { sensors } = greenhouse
    const { server, warnings, read, pi } = await served(
      { name: 'b', sensors: sensors!, actuators: { pump: greenhouse.actuators!.pump! } },
      { i2c: undefined, spi: undefined, files: {}, taken: { 23: 'spi0 CS0' } } as any,
    )
    await server.open()
    expect(warnings.join().replaceAll(pi.root, '')).toMatchInlineSnapshot(`
      "some sensors are not there now:
        air, soil, light: /dev/i2c-1 is not there, no I2C bus is: switch I2C on with sudo raspi-config nonint do_i2c 0.
        water: 1-Wire thermometer 28-0316a2795fff is not there: 1-Wire is off: switch it on with sudo raspi-config nonint do_onewire 0 (dtoverlay=w1-gpio in config.txt), and restart.
        tank: spidev0.0 is not there: switch SPI on with sudo raspi-config nonint do_spi 0.
        door: GPIO23 (pin 16) is taken by "spi0 CS0": a program that runs, or a line of /boot/firmware/config.txt that gives the pin away.
        cpu: there is no thermal zone cpu-thermal in /sys/class/thermal; there is none.
        room: the kernel reads no DHT at GPIO5 (pin 29): add dtoverlay=dht11,gpiopin=5 to /boot/firmware/config.txt (for a DHT22 too) and restart.
        supply: there is no hwmon chip rpi_volt in /sys/class/hwmon; there is none."
    `)
    expect(await read('soil')).toContain('ADS1115 at 0x48 on i2c-1')
    expect(await read('soil')).toContain('raspi-config nonint do_i2c 0')
    // Switched on meanwhile.
    addFiles(pi.root, files)
    expect(await read('cpu')).toEqual([48.312, 'Cel'])
    expect(await read('room_humidity')).toEqual([51.2, '%RH'])
  })

  it('outputs stop the start, with a message for each, and nothing is left taken', async () => {
    const { server, diagnosed, pi, call, chips } = await served(greenhouse, { taken: { 17: 'fan-shim' } })
    chips.outputs.plugged = false
    writeFileSync(join(pi.root, 'sys/class/pwm/pwmchip0/pwm1/enable'), '0')
    await expect(server.open()).rejects.toThrow('greenhouse could not be opened: some outputs cannot be had')
    expect(diagnosed.join('\n')).toMatchInlineSnapshot(`
      "greenhouse could not be opened: some outputs cannot be had, so that nobody could make them safe:
        pump: GPIO17 (pin 11) is taken by "fan-shim": a program that runs, or a line of /boot/firmware/config.txt that gives the pin away.
        vent, fan: PCA9685 at 0x40 on i2c-1 does not answer: check its wiring, its power and its address."
    `)
    expect(await call('lamp', { percent: 1 })).toContain('GPIO17 (pin 11) is taken by "fan-shim"')
    expect(pi.descriptors).toBe(0)
  })

  it('a user who may not: which group to join', async () => {
    const { server, diagnosed, pi } = await served(greenhouse)
    for (const path of ['dev/gpiochip0', 'dev/i2c-1']) pi.forbidden.add(path)
    await expect(server.open()).rejects.toThrow()
    expect(diagnosed.join('\n')).toMatch(
      / {2}pump, bell: .*gpiochip0 may not be opened by this user: sudo usermod -aG gpio /,
    )
    expect(diagnosed.join('\n')).toMatch(/ {2}vent, fan: .*i2c-1 may not be opened by this user: sudo usermod -aG i2c /)
  })

  it('on a machine that is no Raspberry Pi, it says how to go on', async () => {
    const { server, diagnosed } = await served(greenhouse, { model: 'Radxa ROCK 5B', i2c: undefined } as any)
    await expect(server.open()).rejects.toThrow()
    expect(diagnosed.join('\n')).toContain(
      'This machine is a Radxa ROCK 5B, and no Raspberry Pi. To try the board without its hardware: ferrule serve board.json --simulate',
    )
  })
})
