import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordLine } from '../../bin/record/line.ts'
import { oldParts } from '../../bin/record/places.ts'
import { readRecord } from '../../bin/record/reader.ts'
import { entry } from './entry.ts'
import { entriesOf, linesOf, ownFolder, recorderAt, startWriter, until } from './kept.ts'

const move = { moves: true, arguments: { seconds: 5 } } as const
const begun = (request: number) => {
  const { outcome, ms, ...rest } = entry(request, move)
  return rest
}
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)

describe('what is recorded', () => {
  it('is in the file as it came, one line an entry, in order, for this user only', async () => {
    const path = join(ownFolder(), 'new', 'folder', 'greenhouse.jsonl')
    const recorder = recorderAt(path)
    for (const number of numbers(1000)) recorder.record(entry(number))
    await recorder.flush()
    expect((await linesOf(path)).map(line => JSON.parse(line))).toEqual(numbers(1000).map(number => entry(number)))
    if (process.platform !== 'win32') {
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    }
    expect(recorder.told).toEqual([])
  })

  it('goes behind what a former run left', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    for (const number of numbers(3)) {
      const recorder = recorderAt(path)
      recorder.record(entry(number))
      await recorder.close()
    }
    expect((await entriesOf(path)).map(({ request }) => request)).toEqual(numbers(3))
  })

  it('has no character that ends a line or steers a terminal', () => {
    const tricky = '\u001b[31m \u009b31m \u0085 \u2028 \u2029 \u202e \u2066 \r\n \u007f é 🙂'
    const line = recordLine(entry(1, { reason: tricky, client: tricky, arguments: { [tricky]: tricky } }))
    expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line)).toMatchObject({ reason: tricky, client: tricky, arguments: { [tricky]: tricky } })
  })

  it('is bounded, and is recorded without what JSON cannot say', () => {
    const huge = JSON.parse(recordLine(entry(1, { arguments: 'x'.repeat(1e6), reason: 'y'.repeat(1e6) })))
    expect(huge).toMatchObject({ tool: 'pump', outcome: 'ran', arguments: '… left out' })
    expect(huge.reason.length).toBeLessThan(600)
    expect(JSON.parse(recordLine(entry(1, { arguments: 1n })))).toMatchObject({ tool: 'pump', arguments: '… left out' })
  })
})

describe('a move', () => {
  it('that is over soon has one line', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path, { gatherMs: 60_000 })
    const line = recorder.begin(begun(1))
    expect(line.ready).toBeUndefined()
    expect(line.end({ outcome: 'ran', ms: 3 })).toBeUndefined()
    expect(line.end({ outcome: 'failed' })).toBeUndefined()
    await recorder.flush()
    expect(await entriesOf(path)).toEqual([entry(1, move)])
  })

  it('that takes long has a line when it began and one when it is over, joined by their call', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path)
    const line = recorder.begin(begun(1))
    await until(async () => (await linesOf(path)).length === 1)
    line.end({ outcome: 'cancelled', reason: 'told to stop', ms: 900 })
    await recorder.flush()
    const [first, second] = await entriesOf(path)
    expect(first).toMatchObject({ outcome: 'started', request: 1, call: expect.any(String) })
    expect(second).toEqual({ ...begun(1), call: first!.call, outcome: 'cancelled', reason: 'told to stop', ms: 900 })
    expect((await readRecord(path, () => true, 50)).entries).toEqual([second])
  })

  it('waits for its line with fsync, and its answer for that of the end', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path, { fsync: true, gatherMs: 60_000 })
    const line = recorder.begin(begun(1))
    await line.ready
    expect(await entriesOf(path)).toMatchObject([{ outcome: 'started' }])
    await line.end({ outcome: 'ran', ms: 3 })
    expect(await entriesOf(path)).toMatchObject([{ outcome: 'started' }, { outcome: 'ran', ms: 3 }])
  })

  it('is the only thing that is waited for', () => {
    const recorder = recorderAt(join(ownFolder(), 'fan.jsonl'), { fsync: true, required: true })
    const { moves, ...reads } = begun(1)
    const line = recorder.begin(reads)
    expect(line.ready).toBeUndefined()
    expect(line.end({ outcome: 'ran' })).toBeUndefined()
  })
})

describe('a full part', () => {
  const length = Buffer.byteLength(recordLine(entry(100)))

  it.each([
    ['one byte of room is left', 1, 0],
    ['it just fits', 0, 0],
    ['one byte is missing', -1, 1],
  ])('is put aside when there is no room for the next entry: %s', async (_, room, aside) => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path, { totalBytes: 4 * (2 * length + room) })
    for (const number of [100, 101]) {
      recorder.record(entry(number))
      await recorder.flush()
    }
    expect(await oldParts(path)).toHaveLength(aside)
    expect((await entriesOf(path)).map(({ request }) => request)).toEqual([100, 101])
  })

  it('is cut between entries also when many are written at once', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path, { totalBytes: 400 * length })
    for (const number of numbers(300, 100)) recorder.record(entry(number))
    await recorder.flush()
    for (const part of await oldParts(path)) expect(statSync(part.path).size).toBe(100 * length)
    expect((await entriesOf(path)).map(({ request }) => request)).toEqual(numbers(300, 100))
  })

  it('stays until there are too many bytes, and the oldest goes first', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const totalBytes = 40 * length
    const recorder = recorderAt(path, { totalBytes })
    for (const number of numbers(500, 100)) {
      recorder.record(entry(number))
      await recorder.flush()
    }
    const kept = (await entriesOf(path)).map(({ request }) => request)
    expect(kept).toEqual(numbers(kept.length, 600 - kept.length))
    expect(kept.length).toBeGreaterThan(30)
    expect(kept.length).toBeLessThanOrEqual(40)
  })

  it('leaves other files of the folder alone', async () => {
    const folder = ownFolder()
    const path = join(folder, 'fan.jsonl')
    const others = ['fan.old.jsonl', 'fan.000001-abc.txt', 'fan2.000001-abc.jsonl', 'fan.1.jsonl']
    for (const name of others) writeFileSync(join(folder, name), 'x'.repeat(10_000))
    const recorder = recorderAt(path, { totalBytes: 10 * length })
    for (const number of numbers(100, 100)) recorder.record(entry(number))
    await recorder.flush()
    for (const name of others) expect(statSync(join(folder, name)).size).toBe(10_000)
  })
})

describe('several processes', () => {
  it('write one record: every entry is there once, and those of each in order', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const names = ['a', 'b', 'c', 'd']
    const count = 1500
    // Room for all of it, in many parts: they put files aside all the time.
    const writers = names.map(name => startWriter(['all', path, name, String(count), String(40 * 1024 * 1024)]))
    for (const writer of writers) expect((await writer.exit()).code, writer.stderr).toBe(0)
    const entries = await entriesOf(path)
    expect(entries).toHaveLength(names.length * count)
    for (const name of names) {
      expect(entries.filter(({ client }) => client === name).map(({ request }) => request)).toEqual(numbers(count))
    }
    for (const { stderr } of writers) expect(stderr).toBe('')
  })
})

describe('several processes that fill more than there is room for', () => {
  it('leave whole lines, each once, the newest, and no more bytes than they may', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const totalBytes = 16_384
    const writers = ['a', 'b', 'c'].map(name => startWriter(['all', path, name, '600', String(totalBytes)]))
    for (const writer of writers) expect((await writer.exit()).code, writer.stderr).toBe(0)
    const lines = await linesOf(path)
    const entries = await entriesOf(path)
    expect(entries).toHaveLength(lines.length)
    expect(new Set(entries.map(({ client, request }) => `${client} ${request}`)).size).toBe(lines.length)
    expect(entries.at(-1)!.request).toBe(599)
    // One that was about to write when another put the file aside may add its lines to it.
    expect(lines.join('\n').length).toBeLessThan(1.5 * totalBytes)
    expect(lines.join('\n').length).toBeGreaterThan(totalBytes / 3)
  })
})

describe('a process that ends', () => {
  it.each(['exit', 'exit-later'])('by process.exit() has written everything, once (%s)', async how => {
    const path = join(ownFolder(), 'fan.jsonl')
    const writer = startWriter([how, path, 'a', '600', '40000000'])
    expect((await writer.exit()).code, writer.stderr).toBe(0)
    expect((await entriesOf(path)).map(({ request }) => request)).toEqual(numbers(600))
  })

  it('by SIGKILL leaves whole lines but for the last, and the next run goes on behind them', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const writer = startWriter(['forever', path, 'a', '0', '40000000'])
    await writer.until(() => writer.lines.includes('written'), 'a first entry')
    await writer.stop()
    const lines = await linesOf(path)
    const before = (await entriesOf(path)).map(({ request }) => request)
    expect(before.length).toBeGreaterThanOrEqual(lines.length - 1)
    expect(before).toEqual(numbers(before.length))
    const recorder = recorderAt(path)
    recorder.record(entry(1, { client: 'next' }))
    await recorder.flush()
    expect((await entriesOf(path)).at(-1)).toEqual(entry(1, { client: 'next' }))
    expect(await entriesOf(path)).toHaveLength(before.length + 1)
  })
})

describe('a line that was cut by a loss of power', () => {
  it.each(['{"time":"2026-01-31T', '{"time":"2026-01-31T09:30:00.001Z","event":"call","boa', '\0\0\0\0\0\0\0\0'])(
    'does no harm to the next: %j',
    async torn => {
      const path = join(ownFolder(), 'fan.jsonl')
      writeFileSync(path, `${recordLine(entry(1))}${torn}`)
      const recorder = recorderAt(path)
      recorder.record(entry(2))
      await recorder.flush()
      const { entries, broken } = await readRecord(path, () => true, 50)
      expect(entries).toEqual([entry(1), entry(2)])
      expect(broken).toBe(1)
    },
  )

  it('does no harm wherever it was cut', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const whole = Buffer.from(recordLine(entry(1, { arguments: { text: '✓ "time":"2026" \n' } })))
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length))
      const recorder = recorderAt(path)
      recorder.record(entry(2))
      await recorder.close()
      const { entries, broken } = await readRecord(path, () => true, 50)
      // Without its newline it is whole all the same.
      const isWhole = length >= whole.length - 1
      expect([entries.map(({ request }) => request), broken], `cut at ${length}`).toEqual(
        isWhole ? [[1, 2], 0] : [[2], length === 0 ? 0 : 1],
      )
    }
  })

  it('of another process is noticed by one that has the file open', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path)
    recorder.record(entry(1))
    await recorder.flush()
    writeFileSync(path, '{"time":"2026', { flag: 'a' })
    recorder.record(entry(2))
    await recorder.flush()
    expect((await entriesOf(path)).map(({ request }) => request)).toEqual([1, 2])
  })
})

describe('when the disk takes nothing', () => {
  /** A record on a full disk, and a way to make room. */
  function fullDisk(folder: string): { path: string; makeRoom: () => void } {
    const path = join(folder, 'fan.jsonl')
    symlinkSync('/dev/full', path)
    return { path, makeRoom: () => unlinkSync(path) }
  }

  it.skipIf(process.platform !== 'linux')(
    'it is told once, and what waited is written when there is room',
    async () => {
      const { path, makeRoom } = fullDisk(ownFolder())
      const recorder = recorderAt(path)
      for (const number of numbers(20)) {
        recorder.record(entry(number))
        await recorder.flush()
      }
      expect(recorder.told).toEqual([
        expect.stringMatching(/^the record .*fan\.jsonl cannot be written: ENOSPC.*goes on/),
      ])
      makeRoom()
      await until(() => recorder.told.length === 2)
      await recorder.flush()
      expect(recorder.told[1]).toMatch(/fan\.jsonl is written again$/)
      expect((await entriesOf(path)).map(({ request }) => request)).toEqual(numbers(20))
    },
  )

  it.skipIf(process.platform !== 'linux')('memory stays bounded, and the record says what is missing', async () => {
    const { path, makeRoom } = fullDisk(ownFolder())
    const recorder = recorderAt(path, { totalBytes: 100e6 })
    for (const number of numbers(20_000)) recorder.record(entry(number))
    await recorder.flush()
    for (const number of numbers(20_000, 20_000)) recorder.record(entry(number))
    makeRoom()
    await recorder.flush()
    await recorder.flush()
    const entries = await entriesOf(path)
    const gap = entries.find(({ event }) => event === 'gap')
    const [, missing] = /^(\d+) entries are missing: ENOSPC/.exec(gap?.reason ?? '') ?? []
    expect(Number(missing)).toBeGreaterThan(0)
    expect(entries.length - 1 + Number(missing)).toBe(40_000)
    expect(entries.at(-1)).toMatchObject({ request: 39_999 })
    expect(recorder.told.at(-1)).toContain(`${missing} entries are missing`)
  })

  it.skipIf(process.platform === 'win32')('an entry of which half was written is written again, once', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const limit = 512 * 8192
    const filler = `${JSON.stringify({ filler: 'x'.repeat(limit - 200) })}\n`
    writeFileSync(path, filler)
    // No file of this process may be longer than 8192 blocks of 512 bytes, and some 180 are left.
    const writer = startWriter(['paced', path, 'a', '0', '40000000'], 'ulimit -f 8192')
    await writer.tells('cannot be written: EFBIG')
    const full = `${path}.full`
    expect(readFileSync(path).at(-1)).not.toBe(0x0a)
    renameSync(path, full)
    await writer.tells('is written again')
    writer.endInput()
    expect((await writer.exit()).code, writer.stderr).toBe(0)
    const requests = [...(await entriesOf(full)), ...(await entriesOf(path))].map(({ request }) => request)
    expect(requests).toEqual(numbers(requests.length))
  })

  it('a folder that went away is made again', async () => {
    const path = join(ownFolder(), 'records', 'fan.jsonl')
    const recorder = recorderAt(path)
    recorder.record(entry(1))
    await recorder.flush()
    rmSync(join(path, '..'), { recursive: true })
    recorder.record(entry(2))
    await recorder.flush()
    expect(await entriesOf(path)).toEqual([entry(2)])
    expect(recorder.told).toEqual([])
  })

  it.skipIf(process.getuid?.() === 0)('a folder that may not be written to any more is told of', async () => {
    const folder = join(ownFolder(), 'records')
    const path = join(folder, 'fan.jsonl')
    mkdirSync(folder)
    chmodSync(folder, 0o500)
    const recorder = recorderAt(path)
    recorder.record(entry(1))
    await recorder.flush()
    expect(recorder.told).toEqual([expect.stringContaining('EACCES')])
    chmodSync(folder, 0o700)
    await until(() => recorder.told.length === 2)
    expect(await entriesOf(path)).toEqual([entry(1)])
  })

  it('a move goes on without its entry, also with fsync', async () => {
    const folder = join(ownFolder(), 'records')
    writeFileSync(folder, 'a file where the folder should be')
    const recorder = recorderAt(join(folder, 'fan.jsonl'), { fsync: true })
    const line = recorder.begin(begun(1))
    await expect(line.ready).resolves.toBeUndefined()
    await line.end({ outcome: 'ran' })
    // The disk is not asked again for each move.
    expect(recorder.begin(begun(2)).ready).toBeUndefined()
    expect(recorder.told).toEqual([expect.stringMatching(/ENOTDIR.*goes on without it/)])
  })

  it('a move that began meanwhile has the line of its end, whatever had to be left out', async () => {
    const folder = join(ownFolder(), 'records')
    writeFileSync(folder, 'a file where the folder should be')
    const recorder = recorderAt(join(folder, 'fan.jsonl'), { totalBytes: 40e6 })
    recorder.record(entry(0))
    await recorder.flush()
    const line = recorder.begin(begun(1))
    for (const number of numbers(20_000, 2)) recorder.record(entry(number))
    unlinkSync(folder)
    line.end({ outcome: 'ran', ms: 7 })
    await recorder.flush()
    await until(() => recorder.told.length === 2)
    await recorder.flush()
    const ends = (await entriesOf(join(folder, 'fan.jsonl'))).filter(
      ({ outcome, ms }) => outcome !== 'started' && ms === 7,
    )
    expect(ends).toEqual([{ ...begun(1), call: expect.any(String), outcome: 'ran', ms: 7 }])
  })

  it.skipIf(process.platform === 'win32')('a pipe is refused: nobody may read it', async () => {
    const path = join(ownFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    const recorder = recorderAt(path)
    recorder.record(entry(1))
    await recorder.flush()
    expect(recorder.told).toEqual([expect.stringContaining('it is a pipe, and has to be a file')])
  })

  it('nothing moves when the record is required, until it can be written', async () => {
    const folder = join(ownFolder(), 'records')
    writeFileSync(folder, 'a file where the folder should be')
    const recorder = recorderAt(join(folder, 'fan.jsonl'), { required: true, retryMs: 60_000 })
    const refused = recorder.begin(begun(1))
    await expect(refused.ready).rejects.toThrow(/^Nothing was moved: .*ENOTDIR/)
    refused.end({ outcome: 'refused', reason: 'no record' })
    expect(recorder.told).toEqual([expect.stringContaining('nothing moves until it can')])
    renameSync(folder, `${folder}.old`)
    const moved = recorder.begin(begun(2))
    await moved.ready
    await moved.end({ outcome: 'ran' })
    await recorder.flush()
    const entries = await entriesOf(join(folder, 'fan.jsonl'))
    expect(entries.filter(({ outcome }) => outcome === 'refused')).toHaveLength(1)
    expect(entries.at(-1)).toMatchObject({ request: 2, outcome: 'ran' })
  })

  it('who does not wait for a required record is not ended by it', async () => {
    const folder = join(ownFolder(), 'records')
    writeFileSync(folder, '')
    const recorder = recorderAt(join(folder, 'fan.jsonl'), { required: true })
    recorder.begin(begun(1)).end({ outcome: 'ran' })
    await recorder.flush()
    expect(recorder.told).toHaveLength(1)
  })
})

describe('after closing', () => {
  it('nothing is recorded any more, and closing again changes nothing', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path)
    recorder.record(entry(1))
    await recorder.close()
    recorder.record(entry(2))
    recorder.begin(begun(3)).end({ outcome: 'ran' })
    await recorder.close()
    recorder.flushNow()
    expect(readFileSync(path, 'utf8')).toBe(recordLine(entry(1)))
  })
})
