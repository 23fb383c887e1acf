import { describe, expect, it } from 'vitest'
import { mergeBoards } from '../../boards/remote/index.ts'
import { actuator, type Board, createServer } from '../../runtime/index.ts'
import { quietCall } from './quiet-call.ts'

function board(name: string, log: string[], parts: Partial<Board> = {}): Board {
  return {
    name,
    title: `The ${name}`,
    sensors: { level: { read: () => name.length } },
    actuators: {
      fan: actuator({
        title: 'Fan',
        inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
        safe: { on: false },
        set: ({ on }) => void log.push(`${name} fan ${on}`),
      }),
    },
    ...parts,
  }
}

describe('several boards as one', () => {
  it('each name stands behind its prefix, and each title behind its board', async () => {
    const log: string[] = []
    const merged = mergeBoards({ lab: board('lab', log), roof: board('roof', log) }, { name: 'house', title: 'House' })
    expect(() => createServer(merged)).not.toThrow()
    expect(merged).toMatchObject({ name: 'house', title: 'House' })
    expect(Object.keys(merged.sensors!)).toEqual(['lab_level', 'roof_level'])
    expect(Object.keys(merged.actuators!)).toEqual(['lab_fan', 'roof_fan'])
    expect(merged.actuators!.roof_fan!.title).toBe('The roof: Fan')
    expect(merged.description).toBe('lab_…: a board\nroof_…: a board')
    await merged.actuators!.roof_fan!.set({ on: true }, quietCall())
    expect(log).toEqual(['roof fan true'])
  })

  it('names that are too long or the same are cut and numbered', () => {
    const long = 'x'.repeat(64)
    const read = () => 1
    const merged = mergeBoards({
      a: { name: 'a', sensors: { [long]: { read }, b_c: { read } } },
      a_b: { name: 'b', sensors: { c: { read } } },
    })
    expect(Object.keys(merged.sensors!)).toEqual([`a_${'x'.repeat(62)}`, 'a_b_c', 'a_b_c_2'])
    expect(() => createServer(merged)).not.toThrow()
  })

  it('a prefix that cannot begin a name is refused', () => {
    expect(() => mergeBoards({ '1st': { name: 'a' } })).toThrow('prefix "1st"')
  })

  it('without a device that keeps itself safe, the safe values say how', () => {
    expect(mergeBoards({ a: board('a', []), b: board('b', []) }).makeSafe).toBeUndefined()
  })

  it('with one, all are made safe, and a failure of one does not keep the others from it', async () => {
    const log: string[] = []
    const makeSafe = () => Promise.reject(new Error('far is away'))
    const merged = mergeBoards({ far: board('far', log, { makeSafe }), near: board('near', log) })
    await expect(Promise.resolve(merged.makeSafe!())).rejects.toThrow('far is away')
    expect(log).toEqual(['near fan false'])
  })

  it('are opened in order and closed in reverse; one that cannot be opened closes those before', async () => {
    const log: string[] = []
    const lifecycle = (name: string): Partial<Board> => ({
      open: () => void log.push(`open ${name}`),
      close: () => void log.push(`close ${name}`),
      actuators: {},
    })
    const parts = { a: board('a', log, lifecycle('a')), b: board('b', log, lifecycle('b')) }
    const merged = mergeBoards(parts)
    await merged.open!()
    await merged.close!()
    expect(log).toEqual(['open a', 'open b', 'close b', 'close a'])
    log.length = 0
    const stuck = { ...parts.b, open: () => Promise.reject(new Error('no power')) }
    await expect(Promise.resolve(mergeBoards({ ...parts, b: stuck }).open!())).rejects.toThrow('no power')
    expect(log).toEqual(['open a', 'close a'])
  })
})
