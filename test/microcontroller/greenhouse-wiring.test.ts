import { expect, it } from 'vitest'
import { greenhouseWires, wireGreenhouse } from '../../boards/microcontroller/emulator/index.ts'
import { chipWith, halt, poke } from './program.ts'

it('a pump that is switched on makes the soil wet, and the tank empty', async () => {
  const chip = await chipWith(`SBI 0x04, 0\nSBI 0x05, 0\n${halt}`)
  const look = wireGreenhouse(chip)
  const before = { soil: chip.volts[0]!, tank: chip.volts[4]! }
  chip.run(4)
  expect(chip.volts[0]).toBeGreaterThan(before.soil + 0.1)
  expect(chip.volts[4]).toBeLessThan(before.tank - 0.05)
  expect(look().pumped).toBeCloseTo(0.2, 1)
})

it('what a program does not switch on is off', async () => {
  const chip = await chipWith(halt)
  const look = wireGreenhouse(chip)
  chip.run(2)
  expect(look()).toMatchObject({ pumped: 0, lamp: 0, heater: false, vent: 0 })
})

it('heater, light and tap follow their pins, and the light its duty cycle', async () => {
  // Timer 2: fast PWM on OC2B with 64 of 256.
  const chip = await chipWith(
    `LDI r16, 0x98\nOUT 0x0a, r16\nLDI r16, 0x90\nOUT 0x0b, r16\n${poke([180, 63], [176, 0x23], [177, 4])}\n${halt}`,
  )
  const look = wireGreenhouse(chip)
  const volts = chip.volts[3]!
  const tank = chip.volts[4]!
  chip.run(1)
  expect(look().heater).toBe(true)
  expect(look().lamp).toBeCloseTo(0.25, 2)
  expect(chip.volts[3]).toBeGreaterThan(volts + 0.3)
  expect(chip.volts[4]).toBeGreaterThan(tank + 0.1)
})

it('the servo opens the vent as far as its pulses say', async () => {
  const high = (ms: number) => Math.round(ms * 250)
  const pulses = high(1.5) - 1
  const chip = await chipWith(
    `SBI 0x04, 1\n${poke([135, 4999 >> 8], [134, 4999 & 0xff], [137, pulses >> 8], [136, pulses & 0xff], [128, 0x82], [129, 0x1b])}\n${halt}`,
  )
  const look = wireGreenhouse(chip)
  chip.run(1)
  expect(look().vent).toBeGreaterThan(0.1)
  chip.run(3)
  expect(look().vent).toBeCloseTo(0.5, 2)
  expect(chip.volts[5]).toBeCloseTo(2.5, 1)
})

it('every wire is listed once', () => {
  const pins = greenhouseWires.map(({ pin }) => pin)
  expect(new Set(pins).size).toBe(pins.length)
})
