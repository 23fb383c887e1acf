import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Clock, systemClock } from '../../../runtime/clock.ts'
import { lineTitle } from '../gpio/header.ts'
import { codeOf, HardwareError } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { turnsOf } from '../kernel/turns.ts'
import { iio } from './iio.ts'
import { entriesOf, type Quantity } from './quantity.ts'

/** What a DHT11 or DHT22 measures. */
export type DhtQuantity = 'temperature' | 'humidity'

/** Which one is meant. */
export interface DhtOptions extends SystemOptions {
  /** The line of the header's controller that its data line is wired to (BCM number). */
  line: number
  /** The clock by which a failed reading is repeated. */
  clock?: Clock
}

/** A timer of the processor was late, and pulses were not seen: as usual a thing with these as a lost letter. */
const worthRepeating = ['EIO', 'ETIMEDOUT']
const attempts = 3
/** The part wants to rest so long between two readings. */
const restMs = 2100

/**
 * A DHT11 or DHT22 that the kernel reads (`dtoverlay=dht11,gpiopin=4`, for both). A reading that fails is repeated twice.
 *
 * @throws HardwareError when the kernel has none at that line
 */
export function dht(options: DhtOptions): Record<DhtQuantity, Quantity> {
  const { line, clock = systemClock, root = '/' } = options
  const title = `DHT at ${lineTitle(line)}`
  const device = deviceAt(root, line)
  if (device === undefined)
    throw new HardwareError(
      'ENOENT',
      `the kernel reads no DHT at ${lineTitle(line)}: add dtoverlay=dht11,gpiopin=${line} to /boot/firmware/config.txt (for a DHT22 too) and restart`,
    )
  const quantity = (channel: string): Quantity => {
    const { unit, read } = iio({ ...options, device, channel })
    const repeated = async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await read()
        } catch (thrown) {
          const code = codeOf(thrown)
          if (!worthRepeating.includes(code)) throw thrown
          if (attempt === attempts)
            throw new HardwareError(
              code,
              `${title} did not answer ${attempts} times: check its wiring, its power and its pull-up resistor`,
              { cause: thrown },
            )
          await new Promise<void>(resolve => void clock.setTimeout(resolve, restMs))
        }
      }
    }
    return { unit, read: () => turnsOf(`${root} ${device}`).take(repeated) }
  }
  return { temperature: quantity('temp'), humidity: quantity('humidityrelative') }
}

/**
 * The folder of the device, which is named after its node in the device tree: `dht11@0` for every pin with older overlays,
 * `dht11@11` for GPIO17 (0x11) with newer ones. So it is the property `gpios` that tells: controller, line, flags.
 */
function deviceAt(root: string, line: number): string | undefined {
  const all = entriesOf(root, { folder: 'sys/bus/iio/devices', prefix: 'iio:device', nameFile: 'name' })
  const found = all
    .filter(({ name }) => name.startsWith('dht11'))
    .find(({ path, name }) => (lineIn(join(path, 'of_node/gpios')) ?? Number.parseInt(name.slice(6), 16)) === line)
  return found && basename(found.path)
}

function lineIn(path: string): number | undefined {
  try {
    return readFileSync(path).readUInt32BE(4)
  } catch {
    return undefined
  }
}
