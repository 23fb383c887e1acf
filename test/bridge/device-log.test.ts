import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deviceLog } from '../../bin/bridge/device-log.ts'
import { noPtys } from '../serial/pty.ts'
import { CabledBoard, greenhouse, linkFirmware, startFerrule } from './cabled-board.ts'

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('what a device prints', () => {
  it('is shown with the time of day and its name, and added to the file with the date too', async () => {
    const file = join(ownFolder(), 'board.log')
    writeFileSync(file, 'of yesterday\n')
    const shown: string[] = []
    const log = deviceLog({
      file,
      print: line => shown.push(line),
      say: text => shown.push(text),
      now: () => new Date(2026, 0, 2, 9, 31, 2, 40),
    })
    log.line('greenhouse (COM3)', 'soil is dry')
    await log.close()
    expect(shown).toEqual(['09:31:02.040 greenhouse (COM3): soil is dry'])
    expect(readFileSync(file, 'utf8')).toBe('of yesterday\n2026-01-02 09:31:02.040 greenhouse (COM3): soil is dry\n')
  })

  it('is shown all the same when the file cannot be written, which is told', async () => {
    const file = join(ownFolder(), 'no', 'such', 'folder')
    const told: string[] = []
    const shown: string[] = []
    const log = deviceLog({ file, print: line => shown.push(line), say: text => told.push(text) })
    log.line('greenhouse', 'soil is dry')
    await log.close()
    expect(told).toEqual([expect.stringContaining(`--log-file ${file} cannot be written: ENOENT`)])
    expect(shown).toEqual([expect.stringMatching(/greenhouse: soil is dry$/)])
  })

  it.skipIf(noPtys !== undefined)('is in the file when the bridge ends', async () => {
    const file = join(ownFolder(), 'board.log')
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const bridge = startFerrule(['bridge', '--port', board.path, '--log-file', file])
    await bridge.initialize()
    await bridge.request('tools/list')
    board.print('soil is dry\r\n')
    await bridge.tells('soil is dry')
    bridge.endInput()
    await bridge.exit()
    expect(readFileSync(file, 'utf8')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} greenhouse .*: soil is dry\n$/)
  })
})
