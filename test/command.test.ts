import { describe, expect, it } from 'vitest'
import { type Command, commands } from '../bin/commands.ts'
import { Failure } from '../bin/failure.ts'
import { commandHelp, generalHelp } from '../bin/help.ts'
import { nearest } from '../bin/nearest.ts'
import { parse, unknown, usage } from '../bin/parse.ts'

const named = commands as Record<string, Command>

describe('the words after a command', () => {
  it.each([
    ['serve', ['a.ts'], { positionals: ['a.ts'], values: {} }],
    ['serve', ['--read-sensors', 'a.ts'], { positionals: ['a.ts'], values: { 'read-sensors': true } }],
    ['serve', ['a.ts', '--max-line-bytes', '512'], { positionals: ['a.ts'], values: { 'max-line-bytes': '512' } }],
    ['serve', ['a.ts', '--max-message-bytes=9'], { positionals: ['a.ts'], values: { 'max-message-bytes': '9' } }],
    ['serve', ['--', '--odd.ts'], { positionals: ['--odd.ts'], values: {} }],
    ['try', [], { positionals: [], values: {} }],
    [
      'try',
      ['--once', '--wire', '--era', 'legacy'],
      { positionals: [], values: { once: true, wire: true, era: 'legacy' } },
    ],
    ['host', ['cursor', 'a.ts', '--name', 'x'], { positionals: ['cursor', 'a.ts'], values: { name: 'x' } }],
    [
      'bridge',
      ['--port', 'a=COM3', '--port=b=COM4'],
      { positionals: [], values: { port: 'b=COM4' }, lists: { port: ['a=COM3', 'b=COM4'] } },
    ],
    ['trace', ['--json', '--', 'node', '--x'], { positionals: [], values: { json: true }, rest: ['node', '--x'] }],
    ['serve', ['--help'], 'help'],
    ['host', ['-h'], 'help'],
  ])('%s %j is understood', async (name, words, expected) => {
    expect(await parse(name, named[name]!, words)).toEqual(expected)
  })

  it.each([
    ['serve', [], 'serve needs a file: ferrule serve <file> [options]'],
    ['serve', ['a.ts', 'b.ts'], 'serve does not know what to do with b.ts'],
    ['serve', ['a.ts', '--read-sensor'], 'unknown option --read-sensor of serve: did you mean --read-sensors?'],
    ['serve', ['a.ts', '-x'], 'unknown option -x of serve: see: ferrule help serve'],
    ['serve', ['a.ts', '--read-sensors=yes'], '--read-sensors takes no value'],
    ['serve', ['a.ts', '--max-line-bytes'], '--max-line-bytes needs a value: --max-line-bytes N'],
    ['serve', ['a.ts', '--max-line-bytes', '--read-sensors'], '--max-line-bytes needs a value'],
    ['serve', ['a.ts', '--max-line-bytes', '0'], '--max-line-bytes is a whole number, 1 or more, not 0'],
    ['serve', ['a.ts', '--max-line-bytes', '4MB'], '--max-line-bytes is a whole number, 1 or more, not 4MB'],
    ['serve', ['a.ts', '--constructor'], 'unknown option --constructor of serve'],
    ['try', ['--era', 'old'], '--era is modern or legacy, not old'],
    ['host', ['emacs', 'a.ts'], 'unknown host emacs: it is one of claude-desktop, claude-code, cursor, vscode'],
    ['trace', ['node', 'a.js'], 'trace takes a command behind --: ferrule trace [options] [-- <command>...]'],
    ['bridge', ['--dtr', 'up'], '--dtr is auto, on or off, not up'],
  ])('%s %j is refused with exit code 2', async (name, words, message) => {
    const thrown = await parse(name, named[name]!, words).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Failure)
    expect(thrown).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  })

  it('an unknown word is answered with the nearest one on one line', async () => {
    expect((await unknown('command', 'srve', Object.keys(commands))).message).toBe(
      'unknown command srve: did you mean serve?',
    )
  })
})

describe('the nearest word', () => {
  const known = ['serve', 'try', 'host', 'help', '--read-sensors']
  it.each([
    ['sevre', 'serve'],
    ['Serve', 'serve'],
    ['tyr', 'try'],
    ['hots', 'host'],
    ['--reed-sensor', '--read-sensors'],
    ['--read', '--read-sensors'],
    ['banana', undefined],
    ['', undefined],
  ])('%s means %s', (word, expected) => expect(nearest(word, known)).toBe(expected))
})

describe('the help', () => {
  it('names every command, the exit codes and the version, within 80 columns where it wraps', () => {
    const help = generalHelp('1.2.3')
    for (const name of Object.keys(commands)) expect(help).toContain(usage(name, named[name]!))
    expect(help).toContain('ferrule 1.2.3')
    expect(help).toContain('Exit codes: 0 ok, 1 failed, 2 wrong use.')
  })

  it.each(Object.keys(commands) as (keyof typeof commands)[])(
    'of %s names every option and keeps to 80 columns',
    name => {
      const help = commandHelp(name)
      for (const option of Object.keys(named[name]!.options)) expect(help).toContain(`--${option}`)
      expect(help.split('\n').filter(line => line.length > 80)).toEqual([])
    },
  )
})
