import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, HardwareError, hardwareError } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { turnsOf } from '../kernel/turns.ts'
import type { Quantity } from './quantity.ts'

const devices = 'sys/bus/w1/devices'
/** DS18S20, DS1822, DS18B20, DS1825 and DS28EA00, by the family in their address. */
const families = /^(10|22|28|3b|42)-[0-9a-f]{12}$/

/** Which thermometer is meant. */
export interface OneWireThermometerOptions extends SystemOptions {
  /** Its address: `28-0316a2795fff`. The only one on the bus when left out. */
  id?: string
}

/** The addresses of the thermometers that the kernel has found on its 1-Wire buses. */
export function oneWireThermometers({ root = '/' }: SystemOptions = {}): string[] {
  try {
    return readdirSync(join(root, devices))
      .filter(name => families.test(name))
      .sort()
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw hardwareError(`/${devices}`, thrown)
  }
}

/**
 * A DS18B20 or one of its family, in degrees Celsius. A reading takes 750 ms, in the thread pool, and those of one bus
 * follow each other. What is no temperature is an error: a value that the chip has at power-on, a wrong checksum, no
 * answer, a value beyond -55 to 125 degrees.
 *
 * @throws HardwareError when no address is given and there is not just one
 */
export function oneWireThermometer({ id, root = '/' }: OneWireThermometerOptions = {}): Quantity {
  const chosen = id ?? theOnlyOne(root)
  const folder = join(root, devices, chosen)
  const title = `1-Wire thermometer ${chosen}`
  return {
    unit: 'Cel',
    async read() {
      // It may be plugged in later, or come and go.
      assertOnBus(chosen, { root })
      return turnsOf(dirname(realpathSync(folder))).take(() => temperature(folder, title))
    },
  }
}

/** Throws a HardwareError, which says what is on the bus, unless the kernel has found that thermometer. */
export function assertOnBus(id: string, { root = '/' }: SystemOptions): void {
  if (existsSync(join(root, devices, id))) return
  const why = existsSync(join(root, devices)) ? 'is gone: check its wiring.' : 'is not there:'
  throw new HardwareError('ENOENT', `1-Wire thermometer ${id} ${why} ${told(root)}`)
}

function theOnlyOne(root: string): string {
  const [found, second] = oneWireThermometers({ root })
  if (found === undefined || second !== undefined)
    throw new HardwareError(
      'ENOENT',
      `which 1-Wire thermometer is meant cannot be told: name it as "id". ${told(root)}`,
    )
  return found
}

function told(root: string): string {
  if (!existsSync(join(root, devices)))
    return '1-Wire is off: switch it on with sudo raspi-config nonint do_onewire 0 (dtoverlay=w1-gpio in config.txt), and restart'
  return `On the bus: ${oneWireThermometers({ root }).join(', ') || 'none'}`
}

const powerOnValue = 85
/** The sixth byte of a genuine chip that has not converted yet; after a conversion to 85 degrees it is 0x10. */
const powerOnByte = '0c'

async function temperature(folder: string, title: string): Promise<number> {
  const first = await conversion(folder, title)
  if (first.celsius !== powerOnValue) return first.celsius
  // Either it is as hot as that, or it lost its power for a moment. A second conversion tells.
  const second = await conversion(folder, title)
  if (second.celsius !== powerOnValue) return second.celsius
  if (second.scratchpad[6] !== powerOnByte) return powerOnValue
  throw new HardwareError(
    'EIO',
    `${title} gives its power-on value, 85 degrees, in the place of a reading: check its power and its pull-up resistor`,
  )
}

interface Conversion {
  celsius: number
  /** The nine bytes of the chip, in hexadecimal digits. */
  scratchpad: string[]
}

/** `50 05 4b 46 7f ff 0c 10 1c : crc=1c YES`, and the same bytes with `t=85000`. */
async function conversion(folder: string, title: string): Promise<Conversion> {
  let text: string
  try {
    text = await readFile(join(folder, 'w1_slave'), 'utf8')
  } catch (thrown) {
    throw hardwareError(title, thrown, { ENOENT: 'is gone: check its wiring', ENODEV: 'is gone: check its wiring' })
  }
  const fail = (why: string) => new HardwareError('EIO', `${title} ${why}`)
  const read = /^((?:[0-9a-f]{2} ){9}): crc=[0-9a-f]{2} (YES|NO)\n.* t=(-?\d+)\n/.exec(text)
  // What newer kernels give for a sensor that does not answer, or with a wrong checksum, is an empty file.
  if (read === null) throw fail('gave no reading: check its wiring and its pull-up resistor')
  const scratchpad = read[1]!.trim().split(' ')
  if (new Set(scratchpad).size === 1 && ['00', 'ff'].includes(scratchpad[0]!))
    throw fail('did not answer: no sensor drives the wire. Check its wiring and its pull-up resistor')
  if (read[2] !== 'YES') throw fail('gave a reading with a wrong checksum: check its wiring and its pull-up resistor')
  const celsius = Number(read[3]) / 1000
  if (celsius < -55 || celsius > 125) throw fail(`gave ${celsius} degrees, which is out of its range of -55 to 125`)
  return { celsius, scratchpad }
}
