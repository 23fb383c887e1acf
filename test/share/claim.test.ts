import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Claim, claim, findOwner } from '../../bin/share/claim.ts'
import { meetingFolder } from '../../bin/share/meeting-folder.ts'

let folder = ''

beforeEach(() => {
  const runtime = mkdtempSync(join(tmpdir(), 'claim-'))
  vi.stubEnv('XDG_RUNTIME_DIR', runtime)
  folder = join(runtime, 'ferrule')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(runtime, { recursive: true })
  })
})

/** Claims, and gives back when the test is over. */
async function claimed(key: string): Promise<Claim> {
  const found = await claim(key)
  onTestFinished(() => {
    if (found.owner) found.door.close()
    else found.socket.destroy()
  })
  return found
}

describe.skipIf(process.platform === 'win32')('a key', () => {
  it('has one owner, and who comes later is connected to it', async () => {
    const first = await claimed('board')
    const second = await claimed('board')
    expect([first.owner, second.owner]).toEqual([true, false])
    expect((await claimed('another board')).owner).toBe(true)
  })

  it('is free again when it was given back', async () => {
    for (let i = 0; i < 3; i++) {
      const found = await claim('board')
      expect(found.owner).toBe(true)
      if (found.owner) found.door.close()
      expect(await findOwner('board')).toBeUndefined()
    }
  })

  it('has one owner when many ask at once, round after round', async () => {
    for (let round = 0; round < 20; round++) {
      const all = await Promise.all(Array.from({ length: 20 }, () => claim('board')))
      expect(all.filter(({ owner }) => owner)).toHaveLength(1)
      for (const each of all) {
        if (each.owner) each.door.close()
        else each.socket.destroy()
      }
    }
  })

  it('leaves at most one socket and one link behind, however often it changes hands', async () => {
    for (let i = 0; i < 10; i++) {
      const found = await claim('board')
      if (found.owner) found.door.close()
    }
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('is taken over from a link that leads nowhere, and from files that mean nothing', async () => {
    const first = await claim('board')
    const [link] = readdirSync(folder).filter(name => !name.endsWith('.sock'))
    if (first.owner) first.door.close()
    const hash = link!.split('.')[0]!
    symlinkSync('nowhere.sock', join(folder, `${hash}.41`))
    writeFileSync(join(folder, `${hash}.x`), '')
    expect((await claimed('board')).owner).toBe(true)
    expect(existsSync(join(folder, `${hash}.42`))).toBe(true)
    expect(existsSync(join(folder, `${hash}.41`))).toBe(false)
  })

  it('with any characters and any length is one', async () => {
    const key = `usb:2341:0043:${'ä/\n'.repeat(1000)}`
    expect((await claimed(key)).owner).toBe(true)
    expect((await claimed(key)).owner).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('the folder in which copies meet', () => {
  it('is made for this user only', () => {
    expect(meetingFolder()).toBe(folder)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is another one when others could get into it, when it is a link, or when its path is too long', () => {
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    const other = meetingFolder()
    expect(other).not.toBe(folder)
    rmSync(folder, { recursive: true })
    symlinkSync(other, folder)
    expect(meetingFolder()).toBe(other)
    expect(meetingFolder({ XDG_RUNTIME_DIR: join(tmpdir(), 'x'.repeat(80)) })).toBe(other)
  })
})
