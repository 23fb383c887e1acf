import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../bin/failure.ts'
import { expiry } from '../../bin/token.ts'
import { usualTokenFile } from '../../bin/token-place.ts'
import { tokenFile } from '../../transports/http/authorization/index.ts'
import { projectDir } from '../child.ts'

/** Runs `ferrule token` with a configuration of its own. */
function ownCommand() {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { ...process.env, XDG_CONFIG_HOME: folder, APPDATA: folder }
  const token = (...words: string[]) => {
    const args = ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), 'token', ...words]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: projectDir, env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  return { token, path: join(folder, 'ferrule', 'tokens.json') }
}

describe('ferrule token', () => {
  it('creates a token, which alone is on stdout, lists it without showing it, and revokes it', () => {
    const { token, path } = ownCommand()
    const made = token('create', 'laptop', '--expires', '90d')
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ferrule_[\w-]{43}\n$/) })
    const secret = made.stdout.trim()
    expect(made.stderr).toContain('works the actuators')
    expect(made.stderr).toContain(path)

    token('create', 'dash board', '--read-only')
    const listed = token('list')
    expect(listed.stdout).toMatch(
      /^NAME +MAY +MADE +ENDS\nlaptop +read and work +[\d-]{10} +[\d-]{10} [\d:]{5} UTC\ndash board +read +[\d-]{10} +never\n$/,
    )
    for (const text of [made.stderr, listed.stdout, readFileSync(path, 'utf8')]) expect(text).not.toContain(secret)

    expect(token('revoke', 'laptop')).toMatchObject({ status: 0, stdout: '' })
    expect(
      tokenFile(path)
        .tokens()
        .map(({ name }) => name),
    ).toEqual(['dash board'])
    expect(token('revoke', 'laptop')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is dash board'),
    })
  })

  it('makes a token for a person, and says that no model should have it', () => {
    const { token, path } = ownCommand()
    const made = token('create', 'anna', '--person')
    expect(made.stderr).toContain('works everything as a person does')
    expect(made.stderr).toContain('for no model')
    expect(tokenFile(path).tokens()).toMatchObject([{ name: 'anna', scope: 'actuators:person' }])
    expect(token('list').stdout).toContain('all, as a person')
    expect(token('create', 'ben', '--person', '--read-only')).toMatchObject({ status: 2 })
  })

  it('keeps tokens in another file when told to', () => {
    const { token, path } = ownCommand()
    const file = join(path, '..', '..', 'other.json')
    token('create', 'laptop', '--file', file)
    expect(tokenFile(file).tokens()).toHaveLength(1)
    expect(token('list').stderr).toContain(`there is no token in ${path}`)
  })

  it.each([
    [['create'], 'token create needs a name'],
    [['remove', 'a'], 'unknown action remove: it is one of create, list, revoke'],
    [['list', 'a'], 'token list takes no name'],
    [['revoke', 'a', '--read-only'], '--read-only belongs to token create'],
    [['create', 'a', '--expires', '3y'], '--expires is a time such as 12h, 90d or 8w, not 3y'],
  ])('%j is wrong use, and makes nothing', (words, message) => {
    const { token, path } = ownCommand()
    expect(token(...words)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(tokenFile(path).tokens()).toEqual([])
  })
})

describe('the end of a token', () => {
  it.each([
    ['12h', 12],
    ['90d', 90 * 24],
    ['8w', 8 * 7 * 24],
  ])('%s is so many hours away', (text, hours) => expect(expiry(text, 5)).toEqual(new Date(5 + hours * 3_600_000)))

  it.each(['0d', '-1d', '1.5d', '90', 'd', '90 d', '99999d', '1m'])('%s is none', text => {
    expect(() => expiry(text, 0)).toThrow(Failure)
  })
})

describe('the usual file of tokens', () => {
  it.each([
    ['linux', {}, '/home/me/.config/ferrule/tokens.json'],
    ['darwin', { XDG_CONFIG_HOME: '' }, '/home/me/.config/ferrule/tokens.json'],
    ['linux', { XDG_CONFIG_HOME: '/etc/xdg' }, '/etc/xdg/ferrule/tokens.json'],
    ['linux', { XDG_CONFIG_HOME: 'config' }, '/home/me/.config/ferrule/tokens.json'],
    ['win32', { APPDATA: 'C:\\Data' }, 'C:\\Data\\ferrule\\tokens.json'],
  ] as const)('on %s with %j is %s', (platform, env, path) => {
    expect(usualTokenFile({ platform, env, home: '/home/me' })).toBe(path)
  })
})
