import { describe, expect, it } from 'vitest'
import { simulatedGreenhouse } from '../../boards/simulated/index.ts'
import { actuator, type Board } from '../../runtime/index.ts'
import { countingBoard } from '../link/pair.ts'
import { quietCall } from './quiet-call.ts'
import { memoryStore, RemoteRig } from './remote-rig.ts'

const calls = (board: Board, name: string, args: object, call = quietCall()) =>
  Promise.resolve(board.actuators![name]!.set(args, call))
const reads = async (board: Board, name: string) => board.sensors![name]!.read({ signal: new AbortController().signal })

async function started(board: Board, options = {}) {
  const rig = new RemoteRig(options)
  const device = rig.link(board)
  rig.plug()
  await rig.clock.advance(2000)
  expect(rig.device.kind).toBe('link')
  return { rig, device }
}

describe('a device that was seen before', () => {
  it('has its board before it has answered, and answers to it', async () => {
    const { board, moves } = countingBoard()
    const store = memoryStore()
    await started(board, { store, storeKey: 'usb:1:2:A' })
    const rig = new RemoteRig({ store, storeKey: 'usb:1:2:A' })
    const kept = rig.device.board
    expect(Object.keys(kept.actuators!)).toEqual(['fan', 'door', 'mode', 'shape'])
    expect(kept.title).toBe('Test bench')
    expect(await rig.device.known(5000)).toBe(true)
    rig.link(board)
    rig.plug()
    await rig.during(calls(kept, 'fan', { level: 3, on: true }))
    expect(moves).toEqual([{ level: 3, on: true }])
    // It is the same: there is no other board to be told of.
    expect(rig.boards).toEqual([])
    expect(rig.device.board).toBe(kept)
  })

  it('has a new board when its firmware describes something else, and the old numbers reach nothing', async () => {
    const store = memoryStore()
    const { board, moves } = countingBoard()
    await started(board, { store, storeKey: 'a' })
    const other = simulatedGreenhouse({ name: 'other' })
    const rig = new RemoteRig({ store, storeKey: 'a' })
    const kept = rig.device.board
    const waiting = calls(kept, 'fan', { level: 3, on: true }).catch((error: Error) => error)
    rig.link(other)
    rig.plug()
    expect(await rig.during(waiting)).toMatchObject({ message: expect.stringContaining('has other firmware now') })
    expect(rig.boards).toHaveLength(1)
    expect(rig.device.board.name).toBe('other')
    expect(store.kept.get('a')).toMatchObject({ kind: 'link', description: { name: 'other' } })
    await expect(calls(kept, 'fan', { level: 4, on: true })).rejects.toThrow('look at its tools again')
    expect(moves).toEqual([])
  })

  it('is known only once it has answered when nothing was kept', async () => {
    const rig = new RemoteRig()
    expect(await rig.during(rig.device.known(500))).toBe(false)
    const known = rig.device.known(5000)
    rig.link(countingBoard().board)
    rig.plug()
    expect(await rig.during(known)).toBe(true)
  })
})

describe('a device that is away', () => {
  it('was unplugged in a call: the outcome is unknown, and the sensor that shows it is named', async () => {
    const { board } = countingBoard()
    const { rig } = await started(board)
    const call = calls(rig.device.board, 'door', { seconds: 8 }).catch((error: Error) => error)
    await rig.clock.advance(500)
    rig.unplug()
    const error = (await rig.during(call)) as Error
    expect(error.message).toContain('bench (/dev/ttyACM0)')
    expect(error.message).toContain('/dev/ttyACM0 was unplugged')
    expect(error.message).toContain('unknown')
  })

  it('fails a call within three seconds, and the next one works when it is back', async () => {
    const { board, moves } = countingBoard()
    const { rig } = await started(board)
    rig.unplug()
    const begin = rig.clock.now()
    const error = await rig.during(calls(rig.device.board, 'fan', { level: 1, on: true }).catch((e: Error) => e))
    expect(rig.clock.now() - begin).toBeLessThan(3000)
    expect(error).toMatchObject({
      message:
        'bench (/dev/ttyACM0) is away (/dev/ttyACM0 was unplugged): it is used again once it is back; nothing was moved',
    })
    rig.link(board, { boot: 2 })
    rig.plug()
    await rig.during(calls(rig.device.board, 'fan', { level: 2, on: true }))
    expect(moves).toEqual([{ level: 2, on: true }])
    expect(rig.boards).toHaveLength(1)
  })

  it('boots for five seconds after it was plugged in, and the call that came meanwhile is done', async () => {
    const store = memoryStore()
    const { board, moves } = countingBoard()
    await started(board, { store, storeKey: 'a' })
    const rig = new RemoteRig({ store, storeKey: 'a' })
    rig.plug()
    const call = calls(rig.device.board, 'fan', { level: 5, on: true })
    await rig.clock.advance(5000)
    rig.link(board)
    await rig.during(call)
    expect(moves).toEqual([{ level: 5, on: true }])
  })

  it('restarts unnoticed between two calls: the second one is done all the same, once', async () => {
    const { board, moves } = countingBoard()
    const { rig } = await started(board)
    rig.link(board, { boot: 2 })
    await rig.during(calls(rig.device.board, 'fan', { level: 7, on: true }))
    expect(moves).toEqual([{ level: 7, on: true }])
    expect(rig.told.some(text => text.includes('restarted'))).toBe(true)
  })

  it('is told to be read again later', async () => {
    const { rig } = await started(countingBoard().board)
    rig.unplug()
    const error = (await rig.during(reads(rig.device.board, 'temperature').catch((e: Error) => e))) as Error
    expect(error.message).toContain('is away')
    expect(rig.device.away).toContain('is away (/dev/ttyACM0 was unplugged)')
  })

  it('goes while it is read: the error says that it is away, and where; back in time, the reading is taken', async () => {
    const { board } = countingBoard()
    const { rig } = await started(board)
    const failed = Promise.resolve(reads(rig.device.board, 'slow')).catch((e: Error) => e)
    await rig.clock.advance(50)
    rig.unplug()
    expect(await rig.during(failed)).toMatchObject({ message: expect.stringMatching(/^bench \(.*\) is away \(/) })
    const reading = reads(rig.device.board, 'temperature')
    rig.link(board, { boot: 2 })
    rig.plug()
    expect(await rig.during(reading as Promise<unknown>)).toBe(21.5)
  })

  it('falls silent on an open line: that is told once, and so is that it answers again', async () => {
    const { board } = countingBoard()
    const { rig } = await started(board)
    rig.peer = undefined
    await rig.clock.advance(60_000)
    rig.link(board, { boot: 2 })
    await rig.clock.advance(3000)
    expect(rig.device.kind).toBe('link')
    expect(rig.told).toEqual([
      'bench (/dev/ttyACM0): the device does not answer any more',
      expect.stringContaining('has not answered for 10 s'),
      'bench (/dev/ttyACM0) answers',
      'bench (/dev/ttyACM0) restarted: its outputs are as after a start',
    ])
  })

  it('a call that is cancelled while it waits ends at once and moves nothing', async () => {
    const { board, moves } = countingBoard()
    const { rig } = await started(board)
    rig.unplug()
    const stop = new AbortController()
    const call = calls(rig.device.board, 'fan', { level: 1, on: true }, quietCall({ signal: stop.signal }))
    stop.abort(new Error('cancelled by the person'))
    await expect(call).rejects.toThrow('cancelled by the person')
    rig.link(board)
    rig.plug()
    await rig.clock.advance(5000)
    expect(moves).not.toContainEqual({ level: 1, on: true })
  })
})

describe('what a device refuses', () => {
  it('is told in its own words, with its name', async () => {
    const { rig } = await started(countingBoard().board)
    await expect(rig.during(calls(rig.device.board, 'fan', { level: -1, on: true }))).rejects.toThrow(
      /refused by bench \(\/dev\/ttyACM0\), and nothing was moved: level must lie between 0 and 100000000/,
    )
    await expect(rig.during(reads(rig.device.board, 'broken') as Promise<unknown>)).rejects.toThrow(
      'bench (/dev/ttyACM0): ds18b20 does not answer: check the wiring',
    )
  })

  it('a cancelled move was made safe by the device, and is not made safe a second time', async () => {
    const { board } = countingBoard()
    const { rig, device } = await started(board)
    const stop = new AbortController()
    const { door } = rig.device.board.actuators!
    const call = Promise.resolve(door!.set({ seconds: 8 }, quietCall({ signal: stop.signal })))
    const error = call.catch((e: Error) => e)
    await rig.clock.advance(500)
    stop.abort(new Error('enough'))
    expect(await rig.during(error)).toMatchObject({ message: expect.stringContaining('safe state') })
    const frames = device.counters.framesIn
    await rig.during(Promise.resolve(door!.set(door!.safe, quietCall())))
    expect(device.counters.framesIn).toBe(frames)
  })
})

describe('safety', () => {
  it('everything is put into its safe state at once', async () => {
    const { board, state } = countingBoard()
    const { rig } = await started(board)
    await rig.during(calls(rig.device.board, 'fan', { level: 9, on: true }))
    await rig.during(Promise.resolve(rig.device.board.makeSafe!()))
    expect(state).toMatchObject({ level: 0, on: false })
  })

  it('an output that does not get there is named', async () => {
    const board: Board = {
      name: 'stuck',
      actuators: {
        valve: actuator({
          safe: {},
          set: () => {
            throw new Error('jammed')
          },
        }),
      },
    }
    const { rig } = await started(board)
    await expect(rig.during(rig.device.stop())).rejects.toThrow('not in its safe state: valve')
  })

  it('when the cable is pulled it says at once that the device has to see to it itself', async () => {
    const { rig } = await started(countingBoard().board)
    rig.unplug()
    await expect(rig.device.stop()).rejects.toThrow('Its own fail-safe has to make it safe')
  })

  it('a device makes itself safe when the host app is gone, though the bridge lives', async () => {
    const { board, state } = countingBoard()
    const { rig } = await started(board)
    await rig.during(calls(rig.device.board, 'fan', { level: 9, on: true }))
    await rig.clock.advance(20_000)
    expect(state.on).toBe(true)
    rig.device.keepAlive(false)
    await rig.clock.advance(20_000)
    expect(state.on).toBe(false)
  })
})

describe('watching', () => {
  it('tells of changes, also after a restart, and not when nobody wants to know any more', async () => {
    const { board, state } = countingBoard()
    const { rig } = await started(board)
    const values: unknown[] = []
    const stop = rig.device.board.sensors!.temperature!.watch!(value => void values.push(value))
    await rig.clock.advance(2000)
    state.temperature = 25
    await rig.clock.advance(3000)
    expect(values.at(-1)).toBe(25)
    rig.unplug()
    rig.link(board, { boot: 2 })
    rig.plug()
    await rig.clock.advance(3000)
    state.temperature = 30
    await rig.clock.advance(3000)
    expect(values.at(-1)).toBe(30)
    stop()
    state.temperature = 35
    await rig.clock.advance(5000)
    expect(values.at(-1)).toBe(30)
  })

  it('begins when the device is there, if it was away', async () => {
    const store = memoryStore()
    const { board } = countingBoard()
    await started(board, { store, storeKey: 'a' })
    const rig = new RemoteRig({ store, storeKey: 'a' })
    const values: unknown[] = []
    rig.device.board.sensors!.temperature!.watch!(value => void values.push(value))
    await rig.clock.advance(20_000)
    rig.link(board)
    rig.plug()
    await rig.clock.advance(3000)
    expect(values).toEqual([21.5])
  })

  it('with other firmware nobody hears of another sensor under the old number', async () => {
    const { board, state } = countingBoard()
    const { rig } = await started(board)
    const values: unknown[] = []
    rig.device.board.sensors!.temperature!.watch!(value => void values.push(value))
    await rig.clock.advance(2000)
    rig.unplug()
    let light = 100
    rig.link({ name: 'lamp', sensors: { light: { read: () => light } } }, { boot: 9 })
    rig.plug()
    await rig.clock.advance(3000)
    light = 300
    state.temperature = 40
    await rig.clock.advance(5000)
    expect(values).toEqual([21.5])
  })
})

it('the end leaves nothing behind', async () => {
  const { rig } = await started(countingBoard().board)
  const call = calls(rig.device.board, 'door', { seconds: 5 }).catch((error: Error) => error)
  await rig.clock.advance(100)
  await rig.device.close()
  expect(await call).toBeInstanceOf(Error)
  rig.peer = undefined
  await rig.clock.advance(60_000)
  await expect(calls(rig.device.board, 'fan', { level: 1, on: true })).rejects.toThrow()
  expect(rig.clock.pending).toBe(0)
})
