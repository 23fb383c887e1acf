import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { i2c } from '../bus/i2c.ts'
import { HardwareError } from '../hardware-error.ts'
import { type Hint, mayNot } from './hint.ts'
import { type I2CBus, isForParts, knownI2CBuses } from './i2c-buses.ts'
import { answeringAddresses, kernelDrivers } from './i2c-probe.ts'
import { identify } from './identify.ts'
import { type KnownPart, partsAt } from './known-parts.ts'
import { type ScanOptions, thisUser } from './options.ts'

/** A chip that answers on an I2C bus, or that a driver of the kernel has. */
export interface FoundI2CChip {
  bus: number
  address: number
  /** The kernel's driver that has it: what it measures is found there. */
  driver?: string
  /** The part that it is, by what it answered. */
  part?: KnownPart
  /** The parts that have this address, where it was not told which it is. */
  maybe: readonly KnownPart[]
}

/** An I2C bus, and who is on it. */
export interface FoundI2CBus extends I2CBus {
  /** Whether its addresses were asked. */
  asked: boolean
  /** Why it was not asked, or not to the end. */
  why?: string
  chips: FoundI2CChip[]
}

/** Who is on the I2C buses of this machine, and what kept it from being found. Nothing is written to any chip. */
export async function foundI2C(options: ScanOptions): Promise<{ buses: FoundI2CBus[]; hints: Hint[] }> {
  const hints: Hint[] = []
  const buses: FoundI2CBus[] = []
  for (const bus of knownI2CBuses(options)) buses.push(await lookedAt(bus, options, hints))
  for (const number of options.buses ?? []) {
    if (buses.some(bus => bus.number === number)) continue
    const there = buses.map(bus => `i2c-${bus.number}`).join(', ') || 'none'
    hints.push({ what: `i2c-${number}`, text: `is no bus of this machine; there is ${there}`, todo: [] })
  }
  return { buses, hints }
}

async function lookedAt(bus: I2CBus, options: ScanOptions, hints: Hint[]): Promise<FoundI2CBus> {
  const { root = '/', user = thisUser() } = options
  const path = join(root, `dev/i2c-${bus.number}`)
  const drivers = kernelDrivers(root, bus.number)
  const driven = [...drivers].map(([address, driver]) => ({ bus: bus.number, address, driver, maybe: [] }))
  const unasked = (why?: string) => ({ ...bus, asked: false, ...(why !== undefined && { why }), chips: driven })
  if (!(options.buses?.includes(bus.number) ?? isForParts(bus))) return unasked()
  if (!existsSync(path)) return unasked(`/dev/i2c-${bus.number} is not there`)
  if (!user.may(path)) {
    hints.push(...mayNot('I2C', path, root, user))
    return unasked(`${user.name} may not open it`)
  }
  try {
    const found = (await answeringAddresses(bus.number, options)).filter(address => !drivers.has(address))
    const holder = await options.usedBy?.(path)
    const chips: FoundI2CChip[] = []
    for (const address of found) chips.push(await told(bus.number, address, options, holder === undefined))
    return {
      ...bus,
      asked: true,
      ...(holder !== undefined &&
        found.length > 0 && { why: `${holder} uses it, so chips were not asked what they are` }),
      chips: [...driven, ...chips].sort((a, b) => a.address - b.address),
    }
  } catch (thrown) {
    // The package that calls the kernel is missing for everything alike, and is told once.
    if (!(thrown instanceof HardwareError)) throw thrown
    if (thrown.code !== 'ENOPKG') hints.push({ what: 'I2C', text: thrown.message, todo: [] })
    return unasked(thrown.code === 'ENOPKG' ? 'the package koffi is missing' : thrown.message)
  }
}

async function told(bus: number, address: number, options: ScanOptions, mayAsk: boolean): Promise<FoundI2CChip> {
  const part = mayAsk ? await identified(bus, address, options) : undefined
  if (part !== undefined) return { bus, address, part, maybe: [] }
  return { bus, address, maybe: partsAt(address) }
}

async function identified(bus: number, address: number, options: ScanOptions): Promise<KnownPart | undefined> {
  const { root, kernel, clock } = options
  let chip: ReturnType<typeof i2c>
  try {
    chip = i2c({ bus, address, ...(root !== undefined && { root }), ...(kernel !== undefined && { kernel }) })
  } catch (thrown) {
    // Another part of this program has it.
    if (thrown instanceof HardwareError) return undefined
    throw thrown
  }
  try {
    return await identify(chip, clock)
  } finally {
    chip.close()
  }
}
