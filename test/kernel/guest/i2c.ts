import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { hwmon, i2c, i2cBuses } from '../../../boards/raspberry-pi/index.ts'
import { steer } from './rig/files.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const plain = 'hwsim i2c'
const stub = 'SMBus stub driver'

describe('I2C, through the kernel', () => {
  test('buses are found by the names of their adapters', () => {
    assert.deepEqual(
      i2cBuses()
        .map(({ name }) => name)
        .sort(),
      [stub, plain].sort(),
    )
  })

  test('writes, reads, and reads after a repeated start', async () => {
    const eeprom = i2c({ address: 0x50, bus: plain })
    await eeprom.write(Uint8Array.of(16, 1, 2, 3))
    assert.equal(hex(await eeprom.writeRead(Uint8Array.of(16), 3)), '010203')
    await eeprom.write(Uint8Array.of(17))
    assert.equal(hex(await eeprom.read(2)), '0203')
    eeprom.close()
  })

  test('an address where nothing is', async () => {
    const nobody = i2c({ address: 0x33, bus: plain })
    await assert.rejects(nobody.read(1), /^HardwareError: 0x33 on i2c-\d does not answer: check its wiring/)
    nobody.close()
  })

  test('a transfer that fails says why, and the next one is made as ever', async () => {
    const eeprom = i2c({ address: 0x50, bus: plain })
    steer('i2c_fault', 110)
    steer('i2c_fault_n', 1)
    await assert.rejects(eeprom.read(1), { code: 'ETIMEDOUT', message: /something holds the bus/ })
    await eeprom.read(1)
    eeprom.close()
  })

  test('slow transfers hold up nothing else', async () => {
    const chips = [i2c({ address: 0x50, bus: plain }), i2c({ address: 0x40, bus: plain })]
    steer('i2c_delay_ms', 100)
    let ticks = 0
    const ticker = setInterval(() => ticks++, 5)
    const transfers = Promise.all([...chips, ...chips, ...chips].map(chip => chip.read(1)))
    const order = await Promise.race([transfers.then(() => 'transfers'), delay(20).then(() => 'timer')])
    await transfers
    clearInterval(ticker)
    steer('i2c_delay_ms', 0)
    assert.equal(order, 'timer')
    assert.ok(ticks > 10, `${ticks} ticks of the timer`)
    for (const chip of chips) chip.close()
  })

  test('an adapter of SMBus only', async () => {
    const chip = i2c({ address: 0x50, bus: stub })
    await chip.write(Uint8Array.of(0x10, 0xab))
    assert.equal(hex(await chip.writeRead(Uint8Array.of(0x10), 1)), 'ab')
    await chip.write(Uint8Array.of(0x20, 1, 2, 3, 4))
    assert.equal(hex(await chip.writeRead(Uint8Array.of(0x20), 4)), '01020304')
    assert.equal(hex(await chip.writeRead(Uint8Array.of(0x10), 2)), 'ab00')
    await assert.rejects(chip.read(2), /this I2C bus speaks SMBus only/)
    chip.close()
  })

  test('an address that a driver of the kernel has: the driver is named, and read instead', async () => {
    const { number } = i2cBuses().find(({ name }) => name === stub)!
    const chip = i2c({ address: 0x48, bus: number })
    // 25.5 degrees, in the register of an LM75, which has its high byte first.
    await chip.write(Uint8Array.of(0, 0x19, 0x80))
    chip.close()
    writeFileSync(`/sys/bus/i2c/devices/i2c-${number}/new_device`, 'lm75 0x48')
    assert.throws(() => i2c({ address: 0x48, bus: number }), /is in use by the kernel's driver lm75/)
    assert.equal(await hwmon({ chip: 'lm75', channel: 'temp1' }).read(), 25.5)
    writeFileSync(`/sys/bus/i2c/devices/i2c-${number}/delete_device`, '0x48')
  })
})
