import { describe, expect, it, onTestFinished } from 'vitest'
import { Child, promisedExitMs } from '../child.ts'

function start(env: Record<string, string>): Child {
  const child = new Child(process.execPath, ['--import', 'tsx', 'test/share/lingering.ts'], { env })
  onTestFinished(() => child.stop())
  return child
}

describe('a process that serves others beside its host', () => {
  it('stays until they are done, longer than it would for its host', async () => {
    const child = start({ LINGER_MS: '3000' })
    child.write('hello\n')
    await child.until(() => child.lines.includes('heard hello'), 'an answer')
    const since = performance.now()
    child.endInput()
    const { code, ms } = await child.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeGreaterThan(2900)
    expect(child.stderr.trim().split('\n')).toEqual([
      'open',
      'safe',
      'farewell',
      'lingers',
      'lingered',
      'closes: The host closed the input',
    ])
  })

  it('leaves in time when a signal comes while it stays', async () => {
    const child = start({ LINGER_MS: '60000' })
    await child.tells('open')
    child.endInput()
    await child.tells('lingers')
    const since = performance.now()
    child.process.kill('SIGTERM')
    const { code, ms } = await child.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(promisedExitMs)
    expect(child.stderr).toContain('closes: The host closed the input')
  })

  it('leaves in time when a signal is what ends it', async () => {
    const child = start({ LINGER_MS: '60000' })
    await child.tells('open')
    const since = performance.now()
    child.process.kill('SIGTERM')
    const { code, ms } = await child.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(promisedExitMs)
    expect(child.stderr).toContain('closes: SIGTERM came')
  })

  it('leaves in good order when the program itself says so, and tells why', async () => {
    const child = start({ END_MS: '100' })
    expect((await child.exit()).code).toBe(0)
    expect(child.stderr).toContain('ferrule: it is enough')
    expect(child.stderr).toContain('closes: it is enough')
  })
})
