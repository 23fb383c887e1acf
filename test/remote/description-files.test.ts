import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { descriptionFiles, type StoredDevice } from '../../boards/remote/index.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return join(path, 'devices')
}

const device: StoredDevice = {
  kind: 'link',
  id: 'A1B2',
  firmware: '1.2.0',
  description: {
    hash: 4_000_000_000,
    name: 'bench',
    sensors: [{ name: 't', type: 'number', unit: 'Cel' }],
    actuators: [
      {
        name: 'show',
        hints: 3,
        safe: [Uint8Array.of(0, 255)],
        arguments: [{ name: 'picture', type: 'data', optional: true, initial: Uint8Array.of(1, 2, 3) }],
      },
    ],
  },
}

describe('descriptions in files', () => {
  it('come back as they were, bytes too, for another process', () => {
    const path = folder()
    descriptionFiles({ folder: path }).save('usb:1:2:A', device)
    expect(descriptionFiles({ folder: path }).load('usb:1:2:A')).toEqual(device)
    expect(descriptionFiles({ folder: path }).load('usb:1:2:B')).toBeUndefined()
  })

  it('keep the lists of a device that speaks MCP', () => {
    const path = folder()
    const stored: StoredDevice = { kind: 'mcp', lists: { tools: [{ name: 'echo' }] } }
    descriptionFiles({ folder: path }).save('/dev/ttyACM0', stored)
    expect(descriptionFiles({ folder: path }).load('/dev/ttyACM0')).toEqual(stored)
  })

  it.skipIf(process.platform === 'win32')('are for this user only', () => {
    const path = folder()
    descriptionFiles({ folder: path }).save('a', device)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(path, readdirSync(path)[0]!)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['is cut', (text: string) => text.slice(0, 200)],
    ['is no JSON', () => 'hello'],
    ['is empty', () => ''],
    ['is null', () => 'null'],
    ['has a sensor of no type', (text: string) => text.replace('"number"', '"figure"')],
    ['has a number for a text', (text: string) => text.replace('"Cel"', '7')],
    ['has no actuators', (text: string) => text.replace('"actuators"', '"others"')],
    ['is of another device', (text: string) => text.replace('"key":"a"', '"key":"b"')],
    ['is of a later kind', (text: string) => text.replace('"kind":"link"', '"kind":"radio"')],
  ])('a file that %s is as good as none', (_, change) => {
    const path = folder()
    const store = descriptionFiles({ folder: path })
    store.save('a', device)
    const file = join(path, readdirSync(path)[0]!)
    const before = readFileSync(file, 'utf8')
    expect(change(before)).not.toBe(before)
    writeFileSync(file, change(before))
    expect(store.load('a')).toBeUndefined()
    store.save('a', device)
    expect(store.load('a')).toEqual(device)
  })

  it('are no more than so many: what was seen last stays', () => {
    const path = folder()
    const store = descriptionFiles({ folder: path, most: 2 })
    const age = (ms: number) => {
      for (const name of readdirSync(path)) {
        const { mtimeMs } = statSync(join(path, name))
        utimesSync(join(path, name), new Date(), new Date(mtimeMs - ms))
      }
    }
    for (const key of ['a', 'b', 'c']) {
      store.save(key, device)
      age(10_000)
    }
    expect(readdirSync(path)).toHaveLength(2)
    expect(store.load('a')).toBeUndefined()
    expect(store.load('c')).toEqual(device)
  })

  it('too long a description is not kept', () => {
    const store = descriptionFiles({ folder: folder() })
    store.save('a', { kind: 'mcp', lists: 'x'.repeat(2_000_000) })
    expect(store.load('a')).toBeUndefined()
  })

  it('when nothing can be kept, that is told once and nothing fails', () => {
    const path = folder()
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'in the way')
    const told: string[] = []
    const store = descriptionFiles({ folder: path, diagnose: text => void told.push(text) })
    store.save('a', device)
    store.save('b', device)
    expect(told).toHaveLength(1)
    expect(told[0]).toContain(path)
    expect(store.load('a')).toBeUndefined()
  })
})
