import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Atmega328p, flashBytes, readIntelHex, wireGreenhouse } from '../../boards/microcontroller/emulator/index.ts'
import { type DeviceHello, LinkHost, type LinkHostOptions } from '../../boards/remote/link/index.ts'
import { projectDir } from '../child.ts'
import { type Line, seeded } from '../link/pair.ts'
import { OwnedClock } from '../owned-clock.ts'

/** Where the images stand. */
export const firmwareDir = join(projectDir, 'boards/microcontroller/firmware')

export type FirmwareName = 'greenhouse' | 'minimal'

/** A chip that runs one of the images, in the simulated greenhouse. */
export async function chipOf(name: FirmwareName, stepwiseSleep = false): Promise<Atmega328p> {
  const text = readFileSync(join(firmwareDir, `${name}.hex`), 'latin1')
  const chip = await Atmega328p.create({ program: readIntelHex(text, flashBytes), stepwiseSleep })
  wireGreenhouse(chip)
  return chip
}

const stepMs = 1

/**
 * A host on the serial line of a chip, both by one clock that nobody waits for: a test takes as long as the chip needs
 * to be computed, and goes the same way each time.
 */
export class ChipRig {
  readonly chip: Atmega328p
  readonly clock = new OwnedClock()
  readonly host: LinkHost
  readonly events: string[] = []
  readonly logs: string[] = []
  readonly texts: string[] = []
  /** What happens to bytes on their way; the cable is pulled while they come out as none. */
  toChip: Line = bytes => bytes
  toHost: Line = bytes => bytes
  #sent: number[] = []

  static async start(name: FirmwareName, options: Partial<LinkHostOptions> = {}): Promise<ChipRig> {
    const rig = new ChipRig(await chipOf(name), options)
    rig.host.start()
    await rig.until(() => rig.host.hello !== undefined, 5000)
    return rig
  }

  constructor(chip: Atmega328p, options: Partial<LinkHostOptions> = {}) {
    this.chip = chip
    this.host = new LinkHost({
      clock: this.clock,
      random: seeded(11),
      outlet: { write: bytes => chip.send(this.toChip(bytes)) },
      onReady: (_, restarted) => void this.events.push(restarted ? 'ready again' : 'ready'),
      onLost: why => void this.events.push(`lost: ${why}`),
      onLog: (severity, text) => void this.logs.push(`${severity} ${text}`),
      onText: (bytes, start, end) => void this.texts.push(Buffer.from(bytes.subarray(start, end)).toString('latin1')),
      ...options,
    })
    chip.wire.onSent = byte => this.#sent.push(byte)
  }

  get hello(): DeviceHello {
    return this.host.hello!
  }

  /** Lets so much time go by, for both. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.chip.run(stepMs / 1000)
      const bytes = this.toHost(Uint8Array.from(this.#sent))
      this.#sent = []
      if (bytes.length > 0) this.host.receive(bytes)
      await this.clock.advance(stepMs)
    }
  }

  /** Lets time go by until something is so. Throws when it does not come about. */
  async until(isSo: () => boolean, ms: number): Promise<void> {
    for (let passed = 0; !isSo(); passed += stepMs) {
      if (passed > ms) throw new Error(`it did not come about in ${ms} ms`)
      await this.pass(stepMs)
    }
  }

  /** Lets time go by until a promise has settled, and gives what came of it. */
  async settle<T>(promise: Promise<T>, ms = 70_000): Promise<T> {
    let settled = false
    const mark = () => {
      settled = true
    }
    promise.then(mark, mark)
    await this.until(() => settled, ms)
    return promise
  }

  /** Numbers of the sensors and actuators of the greenhouse, as the firmware adds them. */
  call(actuator: Actuator, ...args: (number | boolean)[]) {
    return this.host.call(actuators.indexOf(actuator), args)
  }

  async read(sensor: Sensor): Promise<unknown> {
    return (await this.settle(this.host.read(sensors.indexOf(sensor)))).value
  }
}

const sensors = [
  'air_temperature',
  'air_humidity',
  'soil_moisture',
  'light',
  'water_level',
  'vent_position',
  'pump_running',
] as const
const actuators = ['pump', 'vent', 'heater', 'grow_light', 'refill'] as const
export type Sensor = (typeof sensors)[number]
export type Actuator = (typeof actuators)[number]
