import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type Child, promisedExitMs, startRig } from './child.ts'

async function openRig(env: Record<string, string> = {}): Promise<Child> {
  const child = startRig({ env })
  await child.initialize()
  return child
}

/** Starts a call without waiting for its answer. */
function begin(child: Child, id: string, name: string, args: object): void {
  child.write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
}

async function expectQuietExit(child: Child, since: number): Promise<void> {
  const { code, ms } = await child.exitAfter(since)
  expect(code).toBe(0)
  expect(ms).toBeLessThan(promisedExitMs)
  expect(child.unfinished).toBe('')
}

/** An exit without anything that keeps the process alive shows the exit code that Node would choose by itself. */
const kinds: [what: string, env: Record<string, string>][] = [
  ['a timer and an open port', {}],
  ['nothing else', { RIG_BARE: '1' }],
]

describe.each(kinds)('the end of input, with %s alive', (_, env) => {
  it('ends the process', async () => {
    const child = await openRig(env)
    const since = performance.now()
    child.endInput()
    await expectQuietExit(child, since)
  })

  it('does not lose what was answered', async () => {
    const child = await openRig(env)
    const ids = Array.from({ length: 100 }, (_, i) => `last-${i}`)
    for (const id of ids) begin(child, id, 'echo', { text: id })
    const since = performance.now()
    child.endInput()
    await expectQuietExit(child, since)
    expect(child.messages.slice(1).map(({ id }) => id)).toEqual(ids)
  })

  it('gives a short call the time that it needs', async () => {
    const child = await openRig(env)
    begin(child, 'short', 'sleep', { ms: 20 })
    const since = performance.now()
    child.endInput()
    await expectQuietExit(child, since)
    expect(child.messages.at(-1)).toMatchObject({ id: 'short', result: { content: [{ text: 'slept' }] } })
  })

  it('breaks off a slow call', async () => {
    const child = await openRig(env)
    begin(child, 'slow', 'sleep', { ms: 60_000 })
    const since = performance.now()
    child.endInput()
    await expectQuietExit(child, since)
    expect(child.messages.filter(({ id, result }) => id === 'slow' && result?.isError !== true)).toEqual([])
  })

  it.each(['open', 'set', 'close', 'open,set,close'])('waits for no %s that hangs', async hangs => {
    const child = await openRig({ ...env, RIG_HANG: hangs })
    const since = performance.now()
    child.endInput()
    await expectQuietExit(child, since)
  })
})

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s', signal => {
  it('ends the process like the end of input', async () => {
    const child = await openRig()
    expect(await child.call('echo', { text: 'hello' })).toBe('hello')
    const since = performance.now()
    child.process.kill(signal)
    await expectQuietExit(child, since)
    expect(child.stderr).not.toMatch(/\n\s+at /)
  })

  it('a second one ends it at once', async () => {
    const child = await openRig({ RIG_HANG: 'close' })
    begin(child, 'slow', 'arm', { ms: 60_000 })
    await child.request('ping')
    child.process.kill(signal)
    // The move was broken off, so the first one was heard. What hangs comes after that.
    await child.answer('slow')
    child.process.kill(signal)
    expect((await child.exit()).code).toBe(130)
  })
})

describe('mistakes in the program', () => {
  it('an exception that nobody catches ends it with code 1, and stderr says crash', async () => {
    const child = await openRig()
    expect(await child.call('crash')).toBe('about to crash')
    const { code } = await child.exit()
    expect(code).toBe(1)
    expect(child.stderr).toContain('crash: Error: crash from a timer')
    expect(child.unfinished).toBe('')
  })

  it.each(['set', 'close'])('a crash waits for no %s that hangs, and keeps its code', async hangs => {
    const child = await openRig({ RIG_HANG: hangs, RIG_BARE: '1' })
    const crashed = child.tells('crash: Error: crash from a timer').then(() => performance.now())
    await child.call('crash')
    const { code, ms } = await child.exitAfter(await crashed)
    expect(code).toBe(1)
    expect(ms).toBeLessThan(promisedExitMs)
  })

  it('a rejected promise that nobody looks at is told on stderr, and the session goes on', async () => {
    const child = await openRig()
    expect(await child.call('reject')).toBe('rejected')
    await child.tells('nobody waits for this')
    expect(await child.call('echo', { text: 'still here' })).toBe('still here')
  })

  it('a board that cannot be opened leaves the process alive to say why', async () => {
    const child = await openRig({ RIG_BROKEN: '1' })
    expect(await child.call('outputs')).toContain('the bus does not answer')
    await child.tells('the bus does not answer')
    expect(await child.call('echo', { text: 'still here' })).toBe('still here')
  })
})

describe('a host that keeps the pipes open', () => {
  it('and reads no more is not waited for: the process ends on SIGTERM', async () => {
    const child = await openRig()
    child.process.stdout!.pause()
    for (let id = 0; id < 50; id++) begin(child, `big-${id}`, 'big', { bytes: 300_000 })
    const since = performance.now()
    child.process.kill('SIGTERM')
    const [code] = await once(child.process, 'exit')
    expect(code).toBe(0)
    expect(performance.now() - since).toBeLessThan(promisedExitMs)
  })
})
