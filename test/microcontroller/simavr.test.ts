import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type DeviceMessage, FramePort, readDeviceMessage } from '../../boards/remote/link/index.ts'
import { projectDir } from '../child.ts'
import { firmwareDir } from './chip-rig.ts'
import { frame } from './frame.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-simavr-'))
afterAll(() => rmSync(folder, { recursive: true }))
const program = join(folder, 'simavr')

/** Whether there is simavr and a compiler for it. */
function isBuilt(): boolean {
  const source = join(projectDir, 'test/microcontroller/simavr.c')
  return spawnSync('cc', ['-O2', '-Wall', '-o', program, source, '-lsimavr', '-lelf']).status === 0
}

const session = 0x4a21

const built = isBuilt()
if (!built && process.env.CI) throw new Error('simavr is missing: apt-get install libsimavr-dev libelf-dev')

describe.skipIf(!built)('the same images on simavr (needs libsimavr-dev and libelf-dev)', () => {
  it.each([
    ['greenhouse', 7 + 5],
    ['minimal', 2 + 2],
  ])('%s says hello, and answers', (name, things) => {
    const input = Buffer.concat([frame([0, session, 1, {}]), frame([3, session, -1, 0]), frame([8, session, -2])])
    const output = execFileSync(program, [join(firmwareDir, `${name}.hex`)], { input, stdio: 'pipe' })
    const messages: DeviceMessage[] = []
    const port = new FramePort({
      outlet: { write: () => {} },
      onFrame: (bytes, length) => messages.push(readDeviceMessage(bytes, 0, length) as DeviceMessage),
    })
    port.receive(output)
    expect(port.counters.damaged).toBe(0)
    expect(messages.map(({ kind }) => kind)).toEqual(['hello', 'hello', 'result', 'result'])
    // At the start unasked, then for the session.
    expect(messages.map(({ session }) => session)).toEqual([0, session, session, session])
    const [hello] = messages as [Extract<DeviceMessage, { kind: 'hello' }>]
    expect(hello.members.get(1)).toBe(name)
    expect(hello.members.get(5)).toBeGreaterThan(things)
  })
})
