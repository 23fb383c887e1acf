import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inputSchemaOf, LinkCode, positionsOf } from '../../boards/remote/link/index.ts'
import { simulatedGreenhouse } from '../../boards/simulated/index.ts'
import { actuator, type Board } from '../../runtime/index.ts'
import { OwnedClock } from '../owned-clock.ts'
import { countingBoard, Pair } from './pair.ts'

describe('a session', () => {
  it('begins when the device answers, and tells what the device is', async () => {
    const pair = await new Pair(countingBoard()).ready()
    expect(pair.host.hello).toMatchObject({
      name: 'bench',
      id: 'A1B2',
      firmware: '1.2.3',
      boot: 1,
      calls: 4,
      floats: 8,
    })
    expect(pair.events).toEqual(['ready'])
  })

  it('the device describes itself, and schemas come out as they went in', async () => {
    const { board } = countingBoard()
    const pair = await new Pair({ board }).ready()
    const description = await pair.during(pair.host.describe())
    expect(JSON.parse(JSON.stringify(description))).toEqual(description)
    expect(description).toMatchObject({ name: 'bench', title: 'Test bench', hash: pair.host.hello!.hash })
    expect(description.sensors.map(({ name }) => name)).toEqual(Object.keys(board.sensors!))
    expect(description.sensors[0]).toEqual({
      name: 'temperature',
      title: 'Temperature',
      type: 'number',
      unit: 'Cel',
      deadBand: 0.5,
      minIntervalMs: 100,
    })
    expect(inputSchemaOf(description.actuators[0]!.arguments)).toEqual({
      ...(board.actuators!.fan!.inputSchema as object),
      additionalProperties: false,
    })
    expect(description.actuators[0]!.safe).toEqual([0, false])
    expect(description.actuators[2]).toMatchObject({ safe: null, hints: 7 })
    expect(inputSchemaOf(description.actuators[3]!.arguments)).toEqual(board.actuators!.shape!.inputSchema)
    expect(description.actuators[3]!.output).toBe('{"type":"object"}')
  })

  it('reads and calls', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    const { host } = pair
    const during = pair.during.bind(pair)
    expect(await during(host.read(0))).toEqual({ value: 21.5, ageMs: 0 })
    expect(await during(host.read(4))).toMatchObject({ value: 'grüß Gott' })
    expect((await during(host.read(5))).value).toHaveLength(300)
    expect(await during(host.call(0, [90, true]))).toBe(null)
    expect(moves).toEqual([{ level: 90, on: true }])
    expect(await during(host.call(3, [{ a: [1.5, 2] }]))).toEqual({ got: { a: [1.5, 2] } })
    await expect(during(host.read(3))).rejects.toMatchObject({
      code: LinkCode.Failed,
      message: expect.stringContaining('ds18b20'),
    })
    await expect(during(host.read(2))).rejects.toMatchObject({ code: LinkCode.TimedOut })
    await expect(during(host.read(6))).rejects.toMatchObject({ code: LinkCode.TooLarge })
    await expect(during(host.read(99))).rejects.toMatchObject({ code: LinkCode.Unknown })
  })
})

describe('boards that were written for other uses', () => {
  it('the simulated greenhouse is served over the link, as it is', async () => {
    const clock = new OwnedClock()
    const board = simulatedGreenhouse({ clock })
    const pair = await new Pair({ board, clock }).ready()
    const description = await pair.during(pair.host.describe())
    for (const { name, arguments: args, output } of description.actuators) {
      const { inputSchema, outputSchema } = board.actuators![name]!
      expect(inputSchemaOf(args), name).toEqual(inputSchema)
      expect(JSON.parse(output!), name).toEqual(outputSchema)
    }
    const pump = description.actuators.findIndex(({ name }) => name === 'pump')
    const progress: number[] = []
    const args = positionsOf(description.actuators[pump]!.arguments, { seconds: 5 })
    const result = await pair.during(pair.host.call(pump, args, { onProgress: value => void progress.push(value) }))
    expect(result).toMatchObject({ litres: 0.25, stopped: false })
    expect(progress.length).toBeGreaterThan(3)
  })

  it('a Standard Schema travels as all arguments at once, and checks on the device', async () => {
    const seen: unknown[] = []
    const board: Board = {
      name: 'zod',
      actuators: {
        blink: actuator({
          inputSchema: z.object({ times: z.number().int().max(3).default(2) }),
          safe: null,
          set: args => void seen.push(args),
        }),
      },
    }
    const pair = await new Pair({ board }).ready()
    const { actuators } = await pair.during(pair.host.describe())
    const [argument] = actuators[0]!.arguments
    expect(argument).toMatchObject({ name: '', type: 'any' })
    await pair.during(pair.host.call(0, positionsOf(actuators[0]!.arguments, {})))
    expect(seen).toEqual([{ times: 2 }])
    await expect(pair.during(pair.host.call(0, [{ times: 4 }]))).rejects.toMatchObject({ code: LinkCode.BadArguments })
    expect(seen.length).toBe(1)
  })

  it('an entry whose texts are longer than a frame is a mistake in the definition', () => {
    const board: Board = { name: 'wordy', sensors: { a: { description: 'x'.repeat(1100), read: () => 1 } } }
    expect(() => new Pair({ board })).toThrow(/sensor "a": its texts are too long/)
  })
})
