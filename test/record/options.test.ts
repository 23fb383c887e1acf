import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../bin/failure.ts'
import { FolderRecorder } from '../../bin/record/folder-recorder.ts'
import { type ClosableRecorder, recorderOf } from '../../bin/record/options.ts'
import { recordPath } from '../../bin/record/places.ts'
import { entry } from './entry.ts'
import { entriesOf, ownFolder } from './kept.ts'

const closed = <R extends ClosableRecorder>(recorder: R): R => {
  onTestFinished(() => recorder.close())
  return recorder
}

describe('a record for each board', () => {
  it('begins with the first entry of the board, and is named like it', async () => {
    const folder = ownFolder()
    const recorder = closed(new FolderRecorder({}, folder))
    recorder.record(entry(1))
    recorder.record(entry(2, { board: 'attic' }))
    recorder.begin(entry(3, { moves: true })).end({ outcome: 'ran' })
    await recorder.flush()
    expect(readdirSync(folder).sort()).toEqual(['attic.jsonl', 'greenhouse.jsonl'])
    expect((await entriesOf(recordPath('greenhouse', folder))).map(({ request }) => request)).toEqual([1, 3])
  })

  it('stays in its folder, and the files are bounded, whatever a board calls itself', async () => {
    const folder = ownFolder()
    const recorder = closed(new FolderRecorder({}, folder))
    for (const board of ['../up', '/etc/passwd', '', '.', 'a\0b', 'con:', 'x'.repeat(5000)]) {
      recorder.record(entry(1, { board }))
    }
    for (let number = 0; number < 100; number++) recorder.record(entry(number, { board: `board${number}` }))
    await recorder.flush()
    const names = readdirSync(folder)
    expect(names.length).toBeLessThanOrEqual(17)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}\.jsonl$/)
    const counts = await Promise.all(names.map(async name => (await entriesOf(`${folder}/${name}`)).length))
    expect(counts.reduce((sum, count) => sum + count)).toBe(107)
  })
})

describe('the options of a record', () => {
  const say = () => {}

  it('off means none', async () => {
    expect(await recorderOf({ record: 'off' }, say)).toBeUndefined()
  })

  it.each([
    [{ record: 'off', 'record-required': true as const }, '--record-required and --record off do not go together'],
    [{ record: 'off', 'record-fsync': true as const }, '--record-fsync and --record off do not go together'],
    [{ 'record-bytes': '100' }, '--record-bytes is 4096 or more, not 100'],
  ])('%j is wrong use', async (values, message) => {
    const thrown = await recorderOf(values, say).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Failure)
    expect(thrown).toMatchObject({ exitCode: 2, message })
  })

  it('a file is one record, whatever the board', async () => {
    const path = `${ownFolder()}/all.jsonl`
    const recorder = closed((await recorderOf({ record: path }, say))!)
    recorder.record(entry(1, { board: 'a' }))
    recorder.record(entry(2, { board: 'b' }))
    await recorder.flush()
    expect((await entriesOf(path)).map(({ board }) => board)).toEqual(['a', 'b'])
  })
})
