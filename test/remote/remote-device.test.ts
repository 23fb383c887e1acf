import { describe, expect, it } from 'vitest'
import { simulatedGreenhouse } from '../../boards/simulated/index.ts'
import { type Board, createServer } from '../../runtime/index.ts'
import { quietCall } from './quiet-call.ts'
import { RemoteRig } from './remote-rig.ts'

const greenhouse = (rig: RemoteRig) => simulatedGreenhouse({ clock: rig.clock })

async function read(board: Board, sensor: string) {
  return board.sensors![sensor]!.read({ signal: new AbortController().signal })
}

describe('a device on the link', () => {
  it('becomes the board that it describes', async () => {
    const rig = new RemoteRig()
    const own = greenhouse(rig)
    rig.link(own, { firmware: '1.4.0' }).start()
    rig.plug()
    await rig.clock.advance(3000)
    expect(rig.device.kind).toBe('link')
    expect(rig.boards).toHaveLength(1)
    const [board] = rig.boards
    expect(board).toBe(rig.device.board)
    expect(board).toMatchObject({ name: 'greenhouse', version: '1.4.0' })
    expect(Object.keys(board!.sensors!)).toEqual(Object.keys(own.sensors!))
    expect(Object.keys(board!.actuators!)).toEqual(Object.keys(own.actuators!))
    for (const [name, { safe, annotations }] of Object.entries(own.actuators!)) {
      expect(board!.actuators![name]!.safe).toEqual(safe)
      expect(board!.actuators![name]!.annotations).toMatchObject(annotations ?? {})
    }
    expect(() => createServer(board!)).not.toThrow()
    expect(rig.told).toEqual([])
  })

  it('gives readings, is moved, and makes itself safe', async () => {
    const rig = new RemoteRig()
    const own = greenhouse(rig)
    rig.link(own)
    rig.plug()
    await rig.clock.advance(3000)
    const { board } = rig.device
    expect(await rig.during(read(board, 'air_temperature') as Promise<unknown>)).toBeTypeOf('number')
    await rig.during(board.actuators!.vent!.set({ percent: 60 }, quietCall()) as Promise<unknown>)
  })
})
