import { i2cBuses } from '../bus/i2c.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { linkedName } from './entries.ts'

/**
 * What an I2C bus is for: wired to the header, to an adapter on USB, to pins by the overlay i2c-gpio, to the EEPROM of a HAT,
 * to screens, to cameras; or not known.
 */
export type I2CPurpose = 'header' | 'usb' | 'software' | 'hat' | 'display' | 'camera' | 'unknown'

/** An I2C bus of this machine, and what it is for. */
export interface I2CBus {
  number: number
  /** The adapter's name. */
  name: string
  purpose: I2CPurpose
}

/** By the adapter's name, or by its node in the device tree where all adapters of a kind have one name. */
const purposes: readonly { purpose: I2CPurpose; name?: RegExp; node?: RegExp }[] = [
  // BCM2835 to BCM2711: BSC1, and BSC3 to BSC6, which overlays bring to the header of a Pi 4.
  { purpose: 'header', name: /^bcm2835 \(i2c@7e(804000|205[68ac]00)\)$/ },
  { purpose: 'hat', name: /^bcm2835 \(i2c@7e205000\)$/ },
  { purpose: 'display', name: /^bcm2835 \(i2c@7e805000\)$/ },
  // HDMI of a BCM2711 and a BCM2712.
  { purpose: 'display', name: /^(fef0[49]500|107d5082[08]0)\.i2c$/ },
  // RP1, whose controllers all have one name.
  { purpose: 'header', node: /^i2c@(74|78|7c|84)000$/ },
  { purpose: 'hat', node: /^i2c@70000$/ },
  { purpose: 'camera', node: /^i2c@(80|88)000$/ },
  { purpose: 'software', name: /^(i2c(-gpio)?(@[\da-f]+|\d*)|\d{1,2}\.i2c)$/ },
  { purpose: 'usb', name: /i2c-tiny-usb|CP2112|MCP2221|ch341|usb-i2c/i },
]

/** The buses that are asked who is there without being named: what somebody wires up is there, and nothing of the board's. */
export function isForParts({ purpose }: I2CBus): boolean {
  return purpose === 'header' || purpose === 'usb' || purpose === 'software'
}

/** The I2C buses of this machine, by number. Looking at them touches none. */
export function knownI2CBuses({ root = '/' }: SystemOptions): I2CBus[] {
  const buses = i2cBuses({ root })
  const purposeOf = (bus: { number: number; name: string }): I2CPurpose => {
    // A channel of a multiplexer is for what the bus before it is for; those of the cameras hang on no bus of the header.
    const [, parent] = /^i2c-(\d+)-mux \(chan_id \d+\)$/.exec(bus.name) ?? []
    if (parent !== undefined) {
      const before = buses.find(({ number }) => number === Number(parent))
      const purpose = before && purposeOf(before)
      return purpose === undefined || purpose === 'unknown' || purpose === 'hat' ? 'camera' : purpose
    }
    const node = linkedName(root, `sys/bus/i2c/devices/i2c-${bus.number}/of_node`)
    return purposes.find(({ name, node: of }) => name?.test(bus.name) || (node && of?.test(node)))?.purpose ?? 'unknown'
  }
  return buses.map(bus => ({ ...bus, purpose: purposeOf(bus) }))
}
