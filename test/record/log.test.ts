import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Filter, filterOf, fits } from '../../bin/record/filter.ts'
import { entryOf, recordLine } from '../../bin/record/line.ts'
import { readRecord } from '../../bin/record/reader.ts'
import { columnsOf, entryText } from '../../bin/record/shown.ts'
import type { RecordEntry } from '../../runtime/index.ts'
import { startFerrule } from '../bridge/cabled-board.ts'
import { entry } from './entry.ts'
import { ownFolder, recorderAt } from './kept.ts'

const written = (...entries: RecordEntry[]) => entries.map(recordLine).join('')

/** Runs `ferrule log` with a state folder of its own. */
async function log(
  words: string[],
  state = ownFolder(),
): Promise<{ code: number | null; lines: string[]; stderr: string }> {
  const child = startFerrule(['log', ...words], { XDG_STATE_HOME: state, LOCALAPPDATA: state, HOME: state, TZ: 'UTC' })
  const { code } = await child.exit()
  return { code, lines: child.lines, stderr: child.stderr }
}

/** A state folder with the records of some boards. */
function stateWith(records: Record<string, string>): string {
  const state = ownFolder()
  // As macOS has it, for which there is no variable.
  const folders = [join(state, 'ferrule/record'), join(state, 'Library/Application Support/ferrule/record')]
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(records)) writeFileSync(join(folder, `${name}.jsonl`), text)
  }
  return state
}

describe('ferrule log', () => {
  it('shows the only record there is, in columns', async () => {
    const state = stateWith({
      greenhouse: written(
        entry(1, { arguments: { seconds: 5 }, client: 'claude 1.2', ms: 5012 }),
        entry(2, {
          tool: 'vent',
          outcome: 'refused',
          reason: '"percent" must be at most 100',
          client: 'inspector 0.9',
        }),
        entry(3, { readback: { sensor: 'soil_moisture', value: 0.42, unit: '/' }, client: 'claude 1.2' }),
        { time: '2026-01-31T09:31:00.000Z', event: 'stop', board: 'greenhouse', reason: 'the host left' },
      ),
    })
    const { code, lines, stderr } = await log([], state)
    expect(lines).toEqual([
      '2026-01-31 09:30:00.001  ran        pump  claude 1.2       5.0 s  {"seconds":5}',
      '2026-01-31 09:30:00.002  refused    vent  inspector 0.9     3 ms  "percent" must be at most 100',
      '2026-01-31 09:30:00.003  ran        pump  claude 1.2        3 ms  soil_moisture 42.0 %',
      '2026-01-31 09:31:00.000  stop                                     the host left',
    ])
    expect([code, stderr]).toEqual([0, ''])
  })

  it('knows a record by the name of its board, and asks when there are several', async () => {
    const state = stateWith({
      fan: written(entry(1)),
      pump: written(entry(2)),
      'pump.000001-abcdef': written(entry(1)),
    })
    expect((await log(['pump', '--json'], state)).lines).toHaveLength(2)
    expect(await log([], state)).toMatchObject({ code: 2, stderr: 'ferrule: which one? ferrule log fan, or pump\n' })
    expect(await log(['vent'], state)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^ferrule: there is no record of a board vent in .*; there are records of fan, pump\n$/,
      ),
    })
  })

  it('says so when there is none', async () => {
    expect(await log([])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ferrule: nothing was recorded yet in /),
    })
    expect(await log(['./no.jsonl'])).toMatchObject({ code: 1, stderr: 'ferrule: ./no.jsonl is not there\n' })
    expect(await log([ownFolder()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read: EISDIR'),
    })
  })

  it('reads the parts that were put aside first, and shows the last of all', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path, { totalBytes: 40_000 })
    for (let number = 0; number < 200; number++) recorder.record(entry(number))
    await recorder.flush()
    const all = Array.from({ length: 200 }, (_, number) => number)
    const requests = async (last: number) =>
      (await readRecord(path, () => true, last)).entries.map(({ request }) => request)
    for (const last of [1, 50, 150, 200, 1000]) expect(await requests(last)).toEqual(all.slice(-last))
    const { lines } = await log([path, '--json', '--since', '2026-01-31T09:30:00.100Z'])
    expect(lines.map(line => JSON.parse(line).request)).toEqual(all.slice(100))
  })

  it('filters, and says when nothing fits', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    writeFileSync(path, written(entry(1), entry(2, { tool: 'fan' }), entry(3, { outcome: 'failed' })))
    const { lines } = await log([path, '--json', '--tool', 'fan', '--tool', 'pump', '--outcome', 'ran'])
    // As they stand in the file.
    expect(lines.map(line => `${line}\n`).join('')).toBe(written(entry(1), entry(2, { tool: 'fan' })))
    expect(await log([path, '--tool', 'heater'])).toMatchObject({
      code: 0,
      lines: [],
      stderr: 'ferrule: no entry fits\n',
    })
    expect(await log([path, '--since', 'yesterday'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--since yesterday is no time: it looks like 30m, 2h'),
    })
  })

  it('goes on behind lines that cannot be read, and counts them', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    writeFileSync(path, `${written(entry(1))}{"time":"20\n\n[]\nnull\n${written(entry(2))}{"time":"2026-01`)
    const { code, lines, stderr } = await log([path])
    expect([code, lines.length]).toEqual([0, 2])
    expect(stderr).toBe('ferrule: 4 lines of the record cannot be read and are left out\n')
  })

  it('never gives a terminal what a model or a device wrote for it', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r\n'
    // As somebody else may have written it, with the characters themselves.
    const line = JSON.stringify(
      entry(1, {
        tool: evil,
        client: evil,
        board: evil,
        reason: evil,
        arguments: { [evil]: evil },
        outcome: evil as never,
        readback: { sensor: evil, value: evil, unit: evil },
      }),
    )
    writeFileSync(path, `${line}\n${written(entry(2))}`)
    for (const words of [[], ['--json']]) {
      const { lines } = await log([path, ...words])
      expect(lines).toHaveLength(2)
      expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
    }
  })

  it('does not fail when its reader has seen enough', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    writeFileSync(path, written(...Array.from({ length: 20_000 }, (_, number) => entry(number))))
    const child = startFerrule(['log', path, '--last', '20000'])
    await child.until(() => child.lines.length > 0, 'a first line')
    child.process.stdout!.destroy()
    expect(await child.exit()).toMatchObject({ code: 0 })
    expect(child.stderr).toBe('')
  })
})

describe('ferrule log --follow', () => {
  it('shows what comes, over parts that are put aside, once each', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const recorder = recorderAt(path, { totalBytes: 40_000 })
    for (let number = 0; number < 10; number++) recorder.record(entry(number))
    await recorder.flush()
    const child = startFerrule(['log', path, '-f', '--json', '--last', '5'])
    await child.until(() => child.lines.length === 5, 'the last entries')
    for (let number = 10; number < 250; number++) {
      recorder.record(entry(number))
      if (number % 10 === 0) await recorder.flush()
    }
    await recorder.flush()
    await child.until(() => child.lines.length >= 245, 'all entries')
    expect(child.messages.map(({ request }) => request)).toEqual(Array.from({ length: 245 }, (_, index) => index + 5))
    expect(child.stderr).toBe('')
  })

  it('waits for a record that is not there yet, and goes on when it was emptied or removed', async () => {
    const path = join(ownFolder(), 'fan.jsonl')
    const child = startFerrule(['log', path, '--follow', '--json'])
    const shows = (request: number) =>
      child.until(() => child.lines.some(line => JSON.parse(line).request === request), `entry ${request}`)
    writeFileSync(path, written(entry(1), entry(2)))
    await shows(2)
    truncateSync(path)
    writeFileSync(path, written(entry(3)))
    await shows(3)
    rmSync(path)
    writeFileSync(path, written(entry(4)))
    await shows(4)
  })
})

describe('a filter', () => {
  const now = Date.parse('2026-01-31T12:00:00Z')
  const at = (time: string) => entry(0, { time })
  const filter = (values: Record<string, string>): Filter => filterOf({ values }, now)

  it.each([
    ['30m', '2026-01-31T11:30:00Z'],
    ['2h', '2026-01-31T10:00:00Z'],
    ['1.5h', '2026-01-31T10:30:00Z'],
    ['3d', '2026-01-28T12:00:00Z'],
    ['2026-01-30T08:00:00Z', '2026-01-30T08:00:00Z'],
    ['2026-01-30T08:00:00+02:00', '2026-01-30T06:00:00Z'],
  ])('--since %s begins at %s, and --until ends before it', (word, time) => {
    const before = new Date(Date.parse(time) - 1).toISOString()
    expect([fits(at(time), filter({ since: word })), fits(at(before), filter({ since: word }))]).toEqual([true, false])
    expect([fits(at(time), filter({ until: word })), fits(at(before), filter({ until: word }))]).toEqual([false, true])
  })

  it('takes a day, a time of day and a time without a zone as local ones', () => {
    expect(filter({ since: '2026-01-30' }).since).toBe(new Date(2026, 0, 30).getTime())
    expect(filter({ since: '2026-01-30 08:15' }).since).toBe(new Date(2026, 0, 30, 8, 15).getTime())
    expect(filter({ since: '9:30' }).since).toBe(new Date(now).setHours(9, 30, 0, 0))
  })

  it.each(['', '2', 'h', '25:00', '9:75', '2026-13-01', '1', 'now', '2h ago', '-2h'])('refuses %j', word => {
    expect(() => filter({ since: word })).toThrow('is no time')
  })

  it('finds a client by a part of its name, in large or small letters', () => {
    expect(fits(entry(1, { client: 'Claude Desktop 1.2' }), filter({ client: 'claude' }))).toBe(true)
    expect(fits(entry(1), filter({ client: 'claude' }))).toBe(false)
  })
})

describe('an entry on one line', () => {
  it('has colours only where they are wanted', () => {
    const columns = columnsOf([entry(1)])
    expect(entryText(entry(1), columns, true)).toContain('\u001b[32mran      \u001b[0m')
    expect(entryText(entry(1), columns, false)).not.toContain('\u001b')
  })

  it('names the board where there are several, and the event where it is no call', () => {
    const entries = [entry(1), entry(2, { board: 'attic', event: 'confirm', outcome: 'refused', answer: 'decline' })]
    const [, second] = entries.map(each => entryText(each, columnsOf(entries), false))
    expect(second).toMatch(/refused {4}attic {7}pump .*confirm {2}the person was asked: decline$/)
  })

  it('takes entries that somebody else wrote', () => {
    const odd = entryOf(
      '{"time":"2026-01-31T09:30:00Z","event":"call","ms":"long","readback":7,"tool":{},"arguments":null}',
    )!
    expect(entryText(odd, columnsOf([odd]), false)).toContain('2026-01-31')
    for (const line of ['7', 'null', '[]', '{}', '{"time":"soon","event":"call"}', '{"time":"2026-01-31"}']) {
      expect(entryOf(line)).toBeUndefined()
    }
  })
})
