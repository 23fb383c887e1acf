import { expect, it } from 'vitest'
import { LinkDevice } from '../../boards/remote/link/index.ts'
import { countingBoard, Pair } from './pair.ts'

it('a device that comes back with other firmware is not moved by the numbers of the old one', async () => {
  const { board } = countingBoard()
  const pair = await new Pair({ board }).ready()
  const values: unknown[] = []
  const unwatch = pair.host.watch(0, ({ value }) => void values.push(value))
  await pair.clock.advance(500)
  pair.host.suspend()
  const call = pair.host.call(0, [3, true]).catch((error: Error) => error)
  const reading = pair.host.read(0).catch((error: Error) => error)
  const other = countingBoard()
  const device: LinkDevice = new LinkDevice({
    board: { ...other.board, name: 'other', version: '2.0.0', title: 'Another bench' },
    clock: pair.clock,
    id: 'A1B2',
    boot: 2,
    outlet: { write: bytes => pair.later(() => pair.host.receive(bytes)) },
  })
  pair.device = device
  pair.host.start()
  await pair.clock.advance(1000)
  expect(await call).toMatchObject({ name: 'LinkDownError', message: expect.stringContaining('other firmware') })
  expect(await reading).toMatchObject({ name: 'LinkDownError' })
  expect(other.moves).toEqual([])
  other.state.temperature = 90
  await pair.clock.advance(3000)
  expect(values).toEqual([21.5])
  // The end of the old watch leaves a new one of the same number alone.
  pair.host.watch(0, ({ value }) => void values.push(value))
  await pair.clock.advance(500)
  unwatch()
  other.state.temperature = 50
  await pair.clock.advance(3000)
  expect(values).toEqual([21.5, 90, 50])
  pair.host.close()
})
