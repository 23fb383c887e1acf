import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FileRecorder } from '../../bin/record/file-recorder.ts'
import { columnsOf, entryText } from '../../bin/record/shown.ts'
import type { RecordEntry } from '../../runtime/index.ts'
import { entry } from './entry.ts'
import { entriesOf, ownFolder } from './kept.ts'

function recorded(repeatsMs?: number) {
  const path = `${ownFolder()}/record.jsonl`
  const recorder = new FileRecorder({ path, gatherMs: 1, ...(repeatsMs !== undefined && { repeatsMs }) })
  onTestFinished(() => recorder.close())
  const read = (number: number, more: Partial<RecordEntry> = {}, how: object = { outcome: 'ran' }) =>
    void recorder.begin(entry(number, { tool: 'read_sensors', moves: false, arguments: {}, ...more })).end(how)
  const entries = async () => {
    await recorder.flush()
    return entriesOf(path)
  }
  return { recorder, read, entries }
}

describe('reading calls that are alike', () => {
  it('are one line for the first and one for all others, however many moves and clients are between', async () => {
    const { recorder, read, entries } = recorded()
    for (let number = 0; number < 1000; number++) {
      read(number, { client: 'one' })
      read(number, { client: 'two' })
      if (number % 500 === 0) recorder.begin(entry(number, { tool: 'pump', moves: true })).end({ outcome: 'ran' })
    }
    expect((await entries()).map(({ tool }) => tool).sort()).toEqual(['pump', 'pump', 'read_sensors', 'read_sensors'])
    await recorder.close()
    const all = await entries()
    expect(all.slice(4).map(({ client, times }) => [client, times])).toEqual([
      ['one', 999],
      ['two', 999],
    ])
    expect(Date.parse(all[4]!.until!)).toBeGreaterThan(Date.parse(all[4]!.time))
    expect(entryText(all[4]!, columnsOf(all), false)).toContain('999 times until ')
  })

  it('are counted apart when anything of them differs, and a single repeat is a line as any other', async () => {
    const { recorder, read, entries } = recorded()
    read(1)
    read(2, { arguments: { sensors: ['a'] } })
    read(3, {}, { outcome: 'failed', reason: 'no answer' })
    read(4)
    await recorder.close()
    expect((await entries()).map(({ outcome, times }) => [outcome, times])).toEqual([
      ['ran', undefined],
      ['ran', undefined],
      ['failed', undefined],
      ['ran', undefined],
    ])
  })

  it('that have other arguments each time are written one by one, and need no memory without end', async () => {
    const { recorder, read, entries } = recorded()
    for (let number = 0; number < 200; number++) read(number, { arguments: { number } })
    await recorder.close()
    expect(await entries()).toHaveLength(200)
  })

  it('are written after a while, and when the program dies in an ordinary way', async () => {
    const { read, entries } = recorded(20)
    for (let number = 0; number < 5; number++) read(number)
    while ((await entries()).length < 2) await delay(5)
    expect((await entries())[1]).toMatchObject({ times: 4 })
    const dying = recorded()
    for (let number = 0; number < 5; number++) dying.read(number)
    dying.recorder.flushNow()
    expect((await dying.entries()).map(({ times }) => times)).toEqual([undefined, 4])
  })
})
