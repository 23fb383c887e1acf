import { describe, expect, it } from 'vitest'
import { begin, Copies, said } from './copies.ts'

describe('a host that does not read', () => {
  it('is not in the way of another, needs no memory without end, and misses nothing', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    second.process.stdout!.pause()
    const text = 'x'.repeat(100_000)
    const count = 1000
    for (let i = 0; i < count; i++) begin(second, i, 'echo', { text })
    await second.rests()
    expect(await first.call('echo', { text: 'hello' })).toBe('hello')
    expect(first.peakMemoryMiB()).toBeLessThan(400)
    expect(second.peakMemoryMiB()).toBeLessThan(400)
    second.process.stdout!.resume()
    expect(said(await second.answer(count - 1))).toBe(text)
    expect(second.lines).toHaveLength(count + 1)
  })

  it('a flood of small requests is answered in order, also over a take-over', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    const count = 20_000
    for (let id = 0; id < count; id++) {
      second.write({ jsonrpc: '2.0', id, method: 'ping' })
      if (id === count / 2) first.process.kill('SIGKILL')
    }
    await second.answer(count - 1)
    await second.until(() => second.lines.length === count + 1, 'every answer')
    expect(new Set(second.messages.map(({ id }) => id)).size).toBe(count + 1)
  })
})
