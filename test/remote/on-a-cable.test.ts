import { describe, expect, it, onTestFinished } from 'vitest'
import { RemoteDevice } from '../../boards/remote/index.ts'
import { LinkDevice } from '../../boards/remote/link/index.ts'
import { openPort } from '../../transports/serial/index.ts'
import { countingBoard } from '../link/pair.ts'
import { noPtys, Pty } from '../serial/pty.ts'
import { quietCall } from './quiet-call.ts'

describe.skipIf(noPtys !== undefined)('on a real port', () => {
  it('a device is found on a fresh terminal that echoes, is moved, and its end is told', async () => {
    const { board, moves } = countingBoard()
    const pty = new Pty()
    const device = new LinkDevice({ board, id: 'A1B2', boot: 1, outlet: { write: bytes => pty.write(bytes) } })
    pty.onBytes = bytes => device.receive(bytes)
    const told: string[] = []
    const remote: RemoteDevice = new RemoteDevice({
      label: pty.path,
      line: { write: data => port.write(data) },
      onBoard: () => {},
      diagnose: text => void told.push(text),
    })
    const port = openPort(pty.path, {
      onBytes: chunk => remote.receive(chunk),
      onChange: change => {
        if (change.state === 'open') remote.opened()
        if (change.state === 'away') remote.lost(change.reason)
      },
    })
    onTestFinished(async () => {
      await remote.close()
      await port.close('now')
      await device.close()
    })
    expect(await remote.known(10_000)).toBe(true)
    await remote.board.actuators!.fan!.set({ level: 4, on: true }, quietCall())
    expect(moves).toEqual([{ level: 4, on: true }])
    expect(told).toEqual([])
    const move = Promise.resolve(remote.board.actuators!.door!.set({ seconds: 8 }, quietCall())).catch((e: Error) => e)
    await expect.poll(() => moves.length).toBe(2)
    pty.unplug()
    expect(await move).toMatchObject({ message: expect.stringContaining('whether it ran is unknown') })
    expect(remote.away).toContain('is away')
  })
})
