import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { spi } from '../../../boards/raspberry-pi/index.ts'
import { steer } from './rig/files.ts'

describe('SPI, through the kernel', () => {
  test('what is sent comes back on a loop', async () => {
    const loop = spi({ select: 0, hz: 1_000_000, mode: 3 })
    assert.equal(Buffer.from(await loop.transfer(Buffer.from('loopback'))).toString(), 'loopback')
    const long = Buffer.alloc(4096, 'x')
    assert.deepEqual(await loop.transfer(long), long)
    await assert.rejects(loop.transfer(Buffer.alloc(4097)), /spidev takes 4096/)
    loop.close()
  })

  test('an MCP3008 gives what lies at its inputs', async () => {
    const adc = spi({ select: 1 })
    steer('adc', '0,1,2,3,4,555,6,1023')
    const counts = async (channel: number) => {
      const [, high, low] = await adc.transfer(Uint8Array.of(1, (8 | channel) << 4, 0))
      return ((high! & 3) << 8) | low!
    }
    assert.deepEqual([await counts(0), await counts(5), await counts(7)], [0, 555, 1023])
    adc.close()
  })

  test('a transfer that fails says so, and the next one is made as ever', async () => {
    const loop = spi()
    steer('spi_fault_n', 1)
    await assert.rejects(loop.transfer(Uint8Array.of(1)), { code: 'EIO' })
    assert.deepEqual(await loop.transfer(Uint8Array.of(1)), Buffer.of(1))
    loop.close()
    assert.throws(() => spi({ bus: 7 }), /spidev7.0 is not there: switch SPI on/)
  })
})
