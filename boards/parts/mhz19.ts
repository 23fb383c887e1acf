import type { Serial } from '../io.ts'
import { Chip, joined } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { SerialPlace } from './place.ts'

// Winsen "MH-Z19B User's Manual", section "Communication protocol": nine bytes each way, at 9600 baud.
const readConcentration = 0x86
const messageBytes = 9
/** It answers within some 10 ms; nine bytes take as long again. */
const answerMs = 500

/** Where an MH-Z19 is. */
export interface MHZ19Options extends PartOptions {
  /** At 9600 baud: its TX to RX and its RX to TX, with 3.3 V, and 5 V for its supply. */
  serial: Serial
}

/** An MH-Z19, MH-Z19B or MH-Z19C: carbon dioxide in the air. It needs three minutes of power before its values are true. */
export function mhz19(options: MHZ19Options): SensorPart<'carbon_dioxide'> {
  const place = new SerialPlace('MH-Z19', options.serial)

  async function measured(): Promise<number> {
    place.flush()
    await place.write(Uint8Array.of(0xff, 1, readConcentration, 0, 0, 0, 0, 0, 0x79))
    const answer = await place.read(messageBytes, answerMs)
    if (answer[8] !== checksum(answer))
      throw place.failure('gave an answer with a wrong checksum: check its wiring and its ground')
    if (answer[0] !== 0xff || answer[1] !== readConcentration)
      throw place.failure('gave an answer to something else: check that nothing else is on its line')
    return answer[2]! * 256 + answer[3]!
  }

  const chip = new Chip({ configure: async () => void (await measured()), io: options.serial })
  const measure = joined(() => chip.use(measured))
  return {
    sensors: {
      carbon_dioxide: {
        title: titled(options, 'carbon dioxide'),
        unit: 'ppm',
        minimum: 0,
        maximum: 10_000,
        // It measures no faster.
        ttlMs: 5000,
        read: () => measure(),
      },
    },
    open: () => chip.open(),
    close: () => chip.close(),
  }
}

/** The sum of bytes 1 to 7, negated. */
function checksum(message: Uint8Array): number {
  let sum = 0
  for (let at = 1; at < 8; at++) sum += message[at]!
  return -sum & 0xff
}
