import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Control, type ControlCommand, type ControlOptions, controlDevice } from '../../bin/share/index.ts'
import { Copies, move } from './copies.ts'

let copies: Copies

beforeEach(() => {
  copies = new Copies()
  vi.stubEnv('XDG_RUNTIME_DIR', copies.folder)
  return () => vi.unstubAllEnvs()
})

async function command(name: ControlCommand, options?: ControlOptions): Promise<Control> {
  const control = await controlDevice('board', name, options)
  expect(control).toBeDefined()
  return control!
}

describe('a person at another terminal', () => {
  it('is told when nobody has the device', async () => {
    expect(await controlDevice('board', 'status')).toBeUndefined()
  })

  it('sees who has the device and how many use it', async () => {
    const first = await copies.start()
    await copies.start()
    const { answer, over } = await command('status')
    expect(answer).toMatchObject({
      ok: true,
      key: 'board',
      pid: first.process.pid,
      copies: 2,
      released: false,
      device: { port: '/dev/ttyTEST' },
    })
    await over
  })

  it('has the device let go and taken again', async () => {
    await copies.start()
    expect((await command('release')).answer).toMatchObject({ ok: true, outcome: '/dev/ttyTEST is free' })
    expect((await command('status')).answer).toMatchObject({ released: true })
    expect((await command('retake')).answer).toMatchObject({ ok: true })
    expect((await command('status')).answer).toMatchObject({ released: false })
    expect([copies.times('lets go'), copies.times('takes again')]).toEqual([1, 1])
  })

  it('has it let go for as long as a program runs, whatever becomes of that program', async () => {
    await copies.start()
    const held = await command('release', { hold: true })
    expect(held.answer).toMatchObject({ ok: true })
    expect(copies.times('takes again')).toBe(0)
    held.close()
    while ((await command('status')).answer.released) {}
    expect(copies.times('takes again')).toBe(1)
  })

  it('is not surprised by the next owner while the device is let go', async () => {
    const first = await copies.start()
    const second = await copies.start()
    await command('release')
    first.endInput()
    await first.exit()
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect((await command('status')).answer).toMatchObject({ pid: second.process.pid, released: true })
    expect(copies.times('waits for the device')).toBe(1)
  })

  it.each(['leaves', 'is killed'])('has it let go, also when the owner %s, and taken again in the end', async how => {
    const first = await copies.start()
    const second = await copies.start()
    const held = await command('release', { hold: true })
    if (how === 'leaves') first.endInput()
    else first.process.kill('SIGKILL')
    await first.exit()
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect((await command('status')).answer).toMatchObject({ pid: second.process.pid, released: true, held: true })
    while (copies.times('lets go') < 2) await command('status')
    expect(copies.times('takes again')).toBe(0)
    held.close()
    await held.over
    while ((await command('status')).answer.released) {}
    expect(copies.happened.at(-1)).toEqual({ pid: second.process.pid, what: 'takes again' })
    expect(copies.times('takes again')).toBe(1)
  })

  it('stops everything that moves, which stays off until it is armed', async () => {
    const first = await copies.start()
    await move(first, 1, 'wild', 60_000)
    expect((await command('stop', { by: 'the\ntest' })).answer).toMatchObject({
      ok: true,
      stopped: true,
      report: { outputs: [{ actuator: 'arm', state: 'set' }], failures: [] },
    })
    await first.tells('Everything was stopped by the?test')
    expect(await first.answer(1)).toMatchObject({ result: { isError: true } })
    expect(await first.call('arm', { ms: 1, tag: 'early' })).toContain('stay off')
    expect((await command('arm')).answer).toMatchObject({ ok: true, armed: true, stopped: false })
    expect(await first.call('arm', { ms: 1, tag: 'later' })).toContain('moved later')
  })

  it.skipIf(process.platform === 'win32')(
    'stops it by a signal too, also to a copy that goes through another',
    async () => {
      const first = await copies.start()
      const second = await copies.start()
      await move(first, 1, 'wild', 60_000)
      second.process.kill('SIGUSR1')
      expect(await first.answer(1)).toMatchObject({ result: { isError: true } })
      await first.tells(`Everything was stopped by SIGUSR1 of process ${second.process.pid}`)
      expect(await second.call('arm', { ms: 1, tag: 'early' })).toContain('stay off')
    },
  )

  it('looks on at the traffic until it has seen enough', async () => {
    await copies.start()
    let seen = 0
    let enough = () => {}
    const three = new Promise<void>(resolve => {
      enough = resolve
    })
    const { answer, close, over } = await command('trace', {
      onLine: ({ event }) => {
        expect(event).toHaveProperty('at')
        if (++seen === 3) enough()
      },
    })
    expect(answer.ok).toBe(true)
    await three
    close()
    await over
  })

  it('is told when a command is none', async () => {
    await copies.start()
    const { answer } = await command('constructor' as ControlCommand)
    expect(answer).toMatchObject({ ok: false, error: 'The owner of this device knows no "constructor"' })
  })
})
