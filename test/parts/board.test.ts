import { describe, expect, it, onTestFinished } from 'vitest'
import { bme280, pca9685 } from '../../boards/parts/index.ts'
import { createServer } from '../../runtime/index.ts'
import { modernMeta, TestClient } from '../memory-client.ts'
import { BME280Model, example } from './models/bme280-model.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { PCA9685Model } from './models/pca9685-model.ts'

/** A board of two parts, found when they are first used, as docs/parts.md shows it. */
async function served(adcT = example.adcT) {
  const clock = new JumpingClock()
  const chips = { air: new BME280Model(clock, { adcT }), outputs: new PCA9685Model() }
  const air = bme280({ i2c: chips.air, clock, title: 'Seed tray' })
  const outputs = pca9685({ i2c: chips.outputs, clock, outputs: { lamp: { kind: 'pwm', output: 3 } } })
  const server = createServer({
    name: 'shelf',
    sensors: { air_temperature: air.sensors.temperature, air_pressure: air.sensors.pressure },
    actuators: outputs.actuators,
    close: async () => void (await Promise.all([air.close(), outputs.close()])),
  })
  onTestFinished(() => server.close())
  const client = new TestClient(server)
  const read = async (uri: string) => client.request('resources/read', { uri, _meta: modernMeta() })
  const call = async (name: string, args: object) =>
    client.request('tools/call', { name, arguments: args, _meta: modernMeta() })
  return { chips, server, read, call }
}

describe('a board of parts', () => {
  it('is read as SenML and as text, and moved as tools', async () => {
    const { chips, read, call, server } = await served()
    const { contents } = (await read('sensor://shelf')).result
    const senml = contents.find((content: any) => content.mimeType === 'application/senml+json')
    expect(JSON.parse(senml.text)).toMatchObject([
      { n: expect.stringContaining('air_temperature'), u: 'Cel', v: 25.08 },
      // hPa goes out as it is declared.
      { n: expect.stringContaining('air_pressure'), u: 'hPa', v: 1006.53 },
    ])
    expect(JSON.stringify(contents)).toContain('Seed tray: temperature: 25.08 °C')
    expect((await call('lamp', { percent: 50 })).result.isError).not.toBe(true)
    expect(chips.outputs.duty(3)).toBe(0.5)
    await server.close()
    expect(chips.outputs.duty(3)).toBe(0)
    expect([chips.air.closed, chips.outputs.closed]).toEqual([true, true])
  })

  it('a part that is missing costs its own sensors, and says which it is', async () => {
    const { chips, read, call } = await served()
    chips.air.plugged = false
    const { error } = await read('sensor://shelf/air_temperature')
    expect(error.message).toContain('BME280 at 0x76 on i2c-1 does not answer: check its wiring')
    expect((await call('lamp', { percent: 50 })).result.isError).not.toBe(true)
  })

  it('a value that the chip cannot truly give is a failed reading', async () => {
    const { read } = await served(0xfffff)
    expect((await read('sensor://shelf/air_temperature')).error.message).toContain('outside -40 to 85')
  })
})
