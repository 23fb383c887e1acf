import { describe, expect, it, onTestFinished } from 'vitest'
import { boardOfScan } from '../../bin/scan/board.ts'
import { sensorEntries } from '../../boards/raspberry-pi/scan/board-entries.ts'
import { scan } from '../../boards/raspberry-pi/scan/index.ts'
import { createServer } from '../../runtime/index.ts'
import { modernMeta, TestClient } from '../memory-client.ts'
import { ADS1115Model } from '../parts/models/ads1115-model.ts'
import { BME280Model } from '../parts/models/bme280-model.ts'
import { INA219Model } from '../parts/models/ina219-model.ts'
import { JumpingClock } from '../parts/models/jumping-clock.ts'
import { MPU6050Model } from '../parts/models/mpu6050-model.ts'
import { SHTModel } from '../parts/models/sht-model.ts'
import { headerBus, WiredPi, type WiredPiOptions } from './wired-pi.ts'

const clock = new JumpingClock()

async function served(wired: WiredPiOptions, lists: Record<string, string[]> = {}) {
  const pi = new WiredPi(wired)
  const board = await boardOfScan({ values: {}, lists }, { ...pi.options, clock })
  const server = createServer(board)
  onTestFinished(() => server.close())
  await server.open()
  return { pi, server, client: new TestClient(server) }
}

describe('the board of a scan', () => {
  it('has what is connected as sensors, and moves nothing', async () => {
    const { client, pi } = await served({
      buses: { 1: { name: headerBus, chips: [new BME280Model(clock)] } },
      files: {
        'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
        'sys/class/thermal/thermal_zone0/temp': '48312\n',
      },
    })
    const { contents } = (await client.request('resources/read', { uri: 'sensor://raspberry-pi', _meta: modernMeta() }))
      .result
    expect(JSON.stringify(contents)).toContain('25.08 °C')
    expect(JSON.stringify(contents)).toContain('48.3')
    expect(pi.gpio.physical).toEqual([])
  })

  it('has the pins that were named: an output is off from the start and when it ends', async () => {
    const { client, pi, server } = await served({}, { input: ['GPIO23'], output: ['GPIO17', 'pin 13'] })
    expect([...new Set(pi.gpio.physical)]).toEqual(['GPIO17 out 0', 'GPIO27 out 0'])
    const call = (name: string) => client.request('tools/call', { name, arguments: { on: true }, _meta: modernMeta() })
    expect((await call('gpio17')).result.isError).not.toBe(true)
    expect((await call('pin_13')).result.isError).not.toBe(true)
    expect(pi.gpio.physical.slice(-2)).toEqual(['GPIO17 out 1', 'GPIO27 out 1'])
    pi.gpio.drive('gpiochip0', 23, true)
    const read = await client.request('resources/read', { uri: 'sensor://raspberry-pi/gpio23', _meta: modernMeta() })
    expect(JSON.stringify(read.result.contents)).toContain('\\"vb\\":true')
    await server.close()
    for (const line of ['GPIO17', 'GPIO27'])
      expect(pi.gpio.physical.findLast(change => change.startsWith(line))).toBe(`${line} out 0`)
    expect(pi.gpio.descriptors).toBe(0)
  })

  it('every entry that a scan makes is one that a board takes', async () => {
    const pi = new WiredPi({
      buses: {
        1: {
          name: headerBus,
          chips: [
            new BME280Model(clock),
            new ADS1115Model(clock, [1, 2, 3, 0]),
            new INA219Model(clock, { shunt: 1, bus: 1 }),
            new MPU6050Model(),
            new SHTModel({ clock, commands: { f32d: { ms: 1, words: [0x8010] } } }),
          ],
        },
        3: {
          name: 'bcm2835 (i2c@7e205600)',
          chips: [
            new BME280Model(clock, { id: 0x58 }),
            new SHTModel({ clock, commands: { 89: { ms: 1, words: [1, 2] } } }),
          ],
        },
      },
      files: {
        'sys/bus/w1/devices/28-0316a2795fff/w1_slave': '',
        'sys/bus/w1/devices/28-0316a2795ffe/w1_slave': '',
        'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
        'sys/class/thermal/thermal_zone0/temp': '48312\n',
        'sys/bus/iio/devices/iio:device0/name': 'dht11@4\n',
        'sys/bus/iio/devices/iio:device0/in_temp_input': '22500\n',
        'sys/class/hwmon/hwmon0/name': 'pwmfan\n',
        'sys/class/hwmon/hwmon0/fan1_input': '1200\n',
      },
    })
    const drivers = sensorEntries(await scan({ ...pi.options, clock })).map(({ entry }) => entry.driver)
    const expected = ['ads1115', 'bme280', 'bmp280', 'ds18b20', 'hwmon', 'iio', 'ina219', 'mpu6050', 'sht3x', 'sht4x']
    expect([...new Set(drivers)].sort()).toEqual([...expected, 'thermal-zone'])
    const board = await boardOfScan({ values: {} }, { ...pi.options, clock })
    expect(Object.keys(board.sensors!)).toHaveLength(28)
  })

  it.each([
    [{ output: ['GPIO99'] }, '--output GPIO99 is GPIO99, which is not on the header'],
    [{ input: ['17'] }, '--input 17 may mean two things: write "GPIO17"'],
    [{ input: ['GPIO17'], output: ['pin 11'] }, 'GPIO17 (pin 11)'],
  ])('%j: what is wrong is told as it was typed', async (lists, message) => {
    const wrong = boardOfScan({ values: {}, lists }, new WiredPi().options)
    await expect(wrong).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  })

  it('is refused where there is nothing to serve, with what to do', async () => {
    await expect(boardOfScan({ values: {} }, new WiredPi().options)).rejects.toThrow(
      /no sensor was found on Raspberry Pi 4 Model B Rev 1\.4\.\n {2}"ferrule scan" shows what is off/,
    )
  })

  it('simulated, where nothing is connected, is an example with the pins that were named', async () => {
    const board = await boardOfScan(
      { values: { simulate: true }, lists: { output: ['GPIO17'] } },
      new WiredPi().options,
    )
    expect(Object.keys(board.sensors!)).toEqual([
      'air_temperature',
      'air_humidity',
      'air_pressure',
      'thermometer',
      'cpu',
    ])
    expect(Object.keys(board.actuators!)).toEqual(['gpio17'])
  })
})
