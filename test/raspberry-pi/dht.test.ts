import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dht } from '../../boards/raspberry-pi/sysfs/dht.ts'
import { JumpingClock } from '../parts/models/jumping-clock.ts'
import { addFiles, systemRoot } from './system-root.ts'

/** Devices of the kernel's driver, as they are named, with the property `gpios` where there is a device tree. */
function system(devices: { name: string; line?: number }[]): string {
  const root = systemRoot()
  devices.forEach(({ name, line }, i) => {
    const folder = `sys/bus/iio/devices/iio:device${i}`
    addFiles(root, {
      [`${folder}/name`]: `${name}\n`,
      [`${folder}/in_temp_input`]: `${20_000 + i * 1000}\n`,
      [`${folder}/in_humidityrelative_input`]: '51200\n',
    })
    if (line === undefined) return
    const gpios = Buffer.alloc(12)
    gpios.writeUInt32BE(0x38, 0)
    gpios.writeUInt32BE(line, 4)
    mkdirSync(join(root, folder, 'of_node'))
    writeFileSync(join(root, folder, 'of_node/gpios'), gpios)
  })
  return root
}

it('the one at a line is found by the device tree, whatever the overlay called it', async () => {
  const root = system([{ name: 'ads1015' }, { name: 'dht11@0', line: 17 }, { name: 'dht11@4', line: 4 }])
  expect(await dht({ root, line: 17 }).temperature.read()).toBe(21)
  expect(await dht({ root, line: 4 }).temperature.read()).toBe(22)
  expect(dht({ root, line: 4 }).humidity.unit).toBe('%RH')
})

it('without a device tree, by its name, which has the line in hexadecimal', async () => {
  const root = system([{ name: 'dht11@11' }, { name: 'dht11@4' }])
  expect(await dht({ root, line: 17 }).temperature.read()).toBe(20)
})

it('where the kernel reads none, the line for config.txt is told', () => {
  const root = system([{ name: 'dht11@0', line: 17 }])
  expect(() => dht({ root, line: 22 })).toThrow(
    'the kernel reads no DHT at GPIO22 (pin 15): add dtoverlay=dht11,gpiopin=22 to /boot/firmware/config.txt',
  )
})

it.skipIf(process.platform !== 'linux')(
  'a reading that fails is repeated twice, after a rest, and then said',
  async () => {
    const root = system([{ name: 'dht11@0', line: 4 }])
    const clock = new JumpingClock()
    const { temperature, humidity } = dht({ root, line: 4, clock })
    const input = join(root, 'sys/bus/iio/devices/iio:device0/in_temp_input')
    rmSync(input)
    // A file of the kernel that can be opened, and gives EIO when it is read.
    symlinkSync('/proc/self/mem', input)
    await expect(temperature.read()).rejects.toMatchObject({
      code: 'EIO',
      message: 'DHT at GPIO4 (pin 7) did not answer 3 times: check its wiring, its power and its pull-up resistor',
    })
    expect(clock.now()).toBeGreaterThanOrEqual(4000)
    expect(await humidity.read()).toBe(51.2)
    rmSync(input)
    writeFileSync(input, '19900')
    expect(await temperature.read()).toBe(19.9)
    // What no repetition can help is said at once.
    rmSync(input)
    const before = clock.now()
    await expect(temperature.read()).rejects.toThrow('is gone')
    expect(clock.now()).toBe(before)
  },
)
