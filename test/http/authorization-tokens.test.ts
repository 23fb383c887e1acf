import { timingSafeEqual } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type AuthorizationError,
  eitherAuthorizer,
  oauthAuthorizer,
  scopes,
  tokenAuthorizer,
  tokenFile,
} from '../../transports/http/authorization/index.ts'
import type { Authorizer } from '../../transports/http/authorizer.ts'
import { audience, Issuer } from './issuer.ts'

vi.mock('node:crypto', async original => {
  const crypto = await original<typeof import('node:crypto')>()
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) }
})

const onWindows = process.platform === 'win32'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const newPath = () => join(newFolder(), 'ferrule', 'tokens.json')

/** What an authorizer says to a header, and to an address. */
async function told(authorizer: Authorizer, authorization?: string, url = audience): Promise<any> {
  return authorizer.authorize({ url: new URL(url), headers: authorization === undefined ? {} : { authorization } })
}

async function startFile(now?: () => number) {
  const file = tokenFile(newPath())
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const authorizer = tokenAuthorizer(file, { say, ...(now && { now }) })
  return { file, said, authorizer }
}

describe('a token', () => {
  it('has 32 random bytes behind a prefix that people and scanners know', async () => {
    const { file } = await startFile()
    const made = await Promise.all(['a', 'b', 'c'].map(name => file.create(name, { access: 'act' })))
    for (const { token } of made) expect(token).toMatch(/^ferrule_[\w-]{43}$/)
    expect(new Set(made.map(({ token }) => token)).size).toBe(3)
  })

  it('lets in whoever has it, to what it is for, by its name', async () => {
    const { file, authorizer } = await startFile()
    const { token: act } = await file.create('laptop', { access: 'act' })
    const { token: read } = await file.create('Dash board', { access: 'read' })
    expect(await told(authorizer, `Bearer ${act}`)).toEqual({ access: 'act', client: 'token:laptop' })
    expect(await told(authorizer, `bearer  ${read}`)).toEqual({ access: 'read', client: 'token:Dash board' })
  })

  it('stops working when it is revoked, with the next request, and its name is free again', async () => {
    const { file, authorizer } = await startFile()
    // As another process does it.
    const elsewhere = tokenFile(file.path)
    const { token } = await elsewhere.create('laptop', { access: 'act' })
    expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ access: 'act' })
    await elsewhere.revoke('laptop')
    expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ status: 401 })
    const { token: next } = await elsewhere.create('laptop', { access: 'read' })
    expect(await told(authorizer, `Bearer ${next}`)).toMatchObject({ access: 'read' })
    expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ status: 401 })
  })

  it('stops working when its time is over, to the millisecond', async () => {
    let now = Date.now()
    const { file, authorizer } = await startFile(() => now)
    const end = now + 90_000
    const { token } = await file.create('laptop', { access: 'act', expires: new Date(end) })
    now = end - 1
    expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ access: 'act' })
    now = end
    expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': expect.stringContaining('error_description="This token has expired') },
    })
  })

  it('that is wrong is refused as RFC 6750 has it', async () => {
    const { file, authorizer } = await startFile()
    const { token } = await file.create('laptop', { access: 'act' })
    for (const wrong of [
      `${token.slice(0, -1)}_`,
      token.slice(0, -1),
      `${token}A`,
      'ferrule_',
      file.tokens()[0]!.sha256,
    ]) {
      const { status, headers } = await told(authorizer, `Bearer ${wrong}`)
      expect(status).toBe(401)
      expect(headers['WWW-Authenticate']).toMatch(
        /^Bearer realm="ferrule", scope="sensors:read actuators:act", error="invalid_token", error_description="[^"\\]+"$/,
      )
    }
  })

  it.each([undefined, '', 'Basic YTpi', 'Digest x'])(
    'is asked for, without an error, when there is none: %s',
    async header => {
      const { authorizer } = await startFile()
      expect(await told(authorizer, header)).toMatchObject({
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer realm="ferrule", scope="sensors:read actuators:act"' },
      })
    },
  )

  it.each(['Bearer', 'Bearer a b', 'Bearer "a"', 'Bearer a, Bearer b', 'Bearer ä'])(
    'in a header that means nothing is answered with 400: %s',
    async header => {
      const { authorizer } = await startFile()
      const answer = await told(authorizer, header)
      expect(answer.status).toBe(400)
      expect(answer.headers['WWW-Authenticate']).toContain('error="invalid_request"')
    },
  )

  it('in the address is refused, even when the header has it too', async () => {
    const { file, authorizer } = await startFile()
    const { token } = await file.create('laptop', { access: 'act' })
    for (const name of ['access_token', 'token', 'x']) {
      const answer = await told(authorizer, `Bearer ${token}`, `${audience}?${name}=${token}`)
      expect(answer).toMatchObject({ status: 400, message: expect.stringContaining('Revoke this one') })
    }
    expect(await told(authorizer, `Bearer ${token}`, `${audience}?x=1`)).toMatchObject({ access: 'act' })
  })

  it('is compared in constant time with every one there is, whichever fits', async () => {
    const { file, authorizer } = await startFile()
    const made = []
    for (const name of ['a', 'b', 'c']) made.push((await file.create(name, { access: 'act' })).token)
    for (const token of [...made, 'ferrule_wrong']) {
      vi.mocked(timingSafeEqual).mockClear()
      await told(authorizer, `Bearer ${token}`)
      expect(timingSafeEqual).toHaveBeenCalledTimes(3)
    }
  })

  it('is nowhere but where it was told: not in the file, nor in answers, nor in the log', async () => {
    const { file, authorizer, said } = await startFile()
    const { token, stored } = await file.create('laptop', { access: 'act' })
    const seen = [
      JSON.stringify(stored),
      ...readdirSync(join(file.path, '..')).map(name => readFileSync(join(file.path, '..', name), 'utf8')),
    ]
    await file.revoke('laptop')
    seen.push(JSON.stringify(await told(authorizer, `Bearer ${token}`)))
    writeFileSync(file.path, token)
    seen.push(JSON.stringify(await told(authorizer, `Bearer ${token}`)), ...said)
    expect(said).toHaveLength(1)
    expect(seen.filter(text => text.includes(token.slice('ferrule_'.length)))).toEqual([])
  })

  it.each(['', ' a', '-a', 'a\nb', 'a/b', 'a'.repeat(65)])('cannot be called %j', async name => {
    const { file } = await startFile()
    await expect(file.create(name, { access: 'act' })).rejects.toMatchObject({ code: 'name' })
    expect(existsSync(file.path)).toBe(false)
  })

  it('cannot have the name of another, and one that is not there cannot be revoked', async () => {
    const { file } = await startFile()
    await file.create('laptop', { access: 'act' })
    await expect(file.create('laptop', { access: 'read' })).rejects.toMatchObject({ code: 'name' })
    await expect(file.revoke('desktop')).rejects.toThrow(/no token desktop in .*; there is laptop/)
    expect(file.tokens().map(({ name, scope }) => [name, scope])).toEqual([['laptop', scopes.act]])
    expect(readdirSync(join(file.path, '..'))).toEqual(['tokens.json'])
  })
})

describe('the file of tokens', () => {
  it('need not be there: then nobody is let in', async () => {
    const { file, authorizer } = await startFile()
    expect(file.tokens()).toEqual([])
    expect(await told(authorizer, 'Bearer ferrule_x')).toMatchObject({ status: 401 })
  })

  it.skipIf(onWindows)('is made for its owner only, folder included', async () => {
    const { file } = await startFile()
    await file.create('laptop', { access: 'act' })
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    expect(statSync(join(file.path, '..')).mode & 0o777).toBe(0o700)
  })

  it('is read again only when it has changed', async () => {
    const { file } = await startFile()
    await file.create('laptop', { access: 'act' })
    const tokens = file.tokens()
    expect(file.tokens()).toBe(tokens)
    utimesSync(file.path, new Date(), new Date(0))
    expect(file.tokens()).not.toBe(tokens)
  })

  it.skipIf(onWindows)(
    'is not used when others could have written it, and is again when they no longer can',
    async () => {
      const { file, authorizer, said } = await startFile()
      const { token } = await file.create('laptop', { access: 'act' })
      const folder = join(file.path, '..')
      for (const [path, open, closed] of [
        [file.path, 0o660, 0o600],
        [file.path, 0o602, 0o600],
        [folder, 0o777, 0o700],
      ] as const) {
        chmodSync(path, open)
        expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ status: 503 })
        expect(said.at(-1)).toContain(`chmod go-w '${path}'`)
        await expect(file.create('x', { access: 'act' })).rejects.toMatchObject({ code: 'token-file' })
        chmodSync(path, closed)
        expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ access: 'act' })
      }
    },
  )

  it.skipIf(onWindows)('is not made in a folder that others may write', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o777)
    await expect(tokenFile(join(folder, 'tokens.json')).create('a', { access: 'act' })).rejects.toThrow(/chmod go-w/)
    expect(readdirSync(folder)).toEqual([])
  })

  it.skipIf(onWindows)('may be a link, which stays one', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'real'), { mode: 0o700 })
    const file = tokenFile(join(folder, 'link.json'))
    await tokenFile(join(folder, 'real', 'tokens.json')).create('a', { access: 'act' })
    symlinkSync(join('real', 'tokens.json'), file.path)
    await file.create('b', { access: 'act' })
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'real'])
    expect(tokenFile(join(folder, 'real', 'tokens.json')).tokens()).toHaveLength(2)
  })

  it.each([
    ['{"version":1,"tok', 'is not JSON'],
    ['null', 'is not a file of tokens that this version reads'],
    ['{"version":2,"tokens":[]}', 'is not a file of tokens that this version reads'],
    ['{"version":1}', 'has no list "tokens"'],
    [entryText({ scope: 'root' }), 'has an entry that is no token: number 1'],
    [entryText({ sha256: 'abc' }), 'has an entry that is no token: number 1'],
    [entryText({ expires: 'soon' }), 'has an entry that is no token: number 1'],
  ])('that cannot be read lets nobody in and says why: %s', async (text, why) => {
    const { file, authorizer, said } = await startFile()
    const { token } = await file.create('laptop', { access: 'act' })
    writeFileSync(file.path, text)
    expect(await told(authorizer, `Bearer ${token}`)).toMatchObject({ status: 503 })
    await told(authorizer, `Bearer ${token}`)
    expect(said).toEqual([expect.stringContaining(`${file.path} ${why}`)])
    await expect(file.revoke('laptop')).rejects.toMatchObject({
      code: 'token-file',
    } satisfies Partial<AuthorizationError>)
    expect(readFileSync(file.path, 'utf8')).toBe(text)
  })

  it('takes changes of many at once, and loses none', async () => {
    const path = newPath()
    const names = Array.from({ length: 12 }, (_, index) => `client-${index}`)
    await Promise.all(names.map(name => tokenFile(path).create(name, { access: 'act' })))
    expect(
      tokenFile(path)
        .tokens()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort())
    await Promise.all(names.map(name => tokenFile(path).revoke(name)))
    expect(tokenFile(path).tokens()).toEqual([])
  })

  it('that another process has half changed is left alone', async () => {
    const { file } = await startFile()
    await file.create('laptop', { access: 'act' })
    writeFileSync(`${file.path}.lock`, '')
    await expect(file.revoke('laptop')).rejects.toThrow(`remove ${file.path}.lock`)
    expect(file.tokens()).toHaveLength(1)
  })
})

describe('tokens beside OAuth', () => {
  it('each go to where they are from, and who has none is sent to the issuer', async () => {
    const issuer = await Issuer.start()
    const { file, authorizer: tokens } = await startFile()
    const both = eitherAuthorizer(tokens, oauthAuthorizer({ issuer: issuer.url, audience }))
    const { token } = await file.create('script', { access: 'act' })
    expect(await told(both, `Bearer ${token}`)).toEqual({ access: 'act', client: 'token:script' })
    expect(await told(both, `Bearer ${await issuer.token()}`)).toEqual({ access: 'read', client: 'oauth:laptop:ada' })
    expect((await told(both)).headers['WWW-Authenticate']).toContain('resource_metadata=')
    expect(await told(both, 'Bearer ferrule_wrong')).toMatchObject({ status: 401 })
    expect(both.pages).toHaveProperty('/.well-known/oauth-protected-resource')
    expect(issuer.asked).toHaveLength(2)
  })
})

function entryText(change: object): string {
  const entry = { name: 'a', scope: scopes.read, sha256: 'A'.repeat(43), created: '2026-01-01T00:00:00Z', ...change }
  return JSON.stringify({ version: 1, tokens: [entry] })
}
