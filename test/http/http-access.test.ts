import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Arguments } from '../../bin/commands.ts'
import { Failure } from '../../bin/failure.ts'
import { httpAccess } from '../../bin/http-access.ts'
import { tokenFile } from '../../transports/http/authorization/index.ts'
import { audience, Issuer } from './issuer.ts'

/** A configuration folder of its own, and what the operator is told. */
function ownPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  vi.stubEnv('XDG_CONFIG_HOME', folder)
  vi.stubEnv('APPDATA', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  const said: string[] = []
  const access = async (values: Arguments['values'], open = false) => {
    const { authorizer, prepare } = httpAccess(values, { open, say: text => void said.push(text) })
    await prepare()
    return authorizer
  }
  return { folder, said, access, usual: tokenFile(join(folder, 'ferrule', 'tokens.json')) }
}

type Access = ReturnType<typeof httpAccess>['authorizer']

async function told(access: Access, token: string): Promise<any> {
  return access?.authorize({ url: new URL(audience), headers: { authorization: `Bearer ${token}` } })
}

describe('who is let in over HTTP', () => {
  it('on this computer: everybody, also when there is a file of tokens', async () => {
    const { access, usual } = ownPlace()
    await usual.create('laptop', { access: 'act' })
    expect(await access({})).toBeUndefined()
  })

  it('on this computer: who has a token, when one is asked for', async () => {
    const { access, usual } = ownPlace()
    const { token } = await usual.create('laptop', { access: 'read' })
    expect(await told(await access({ 'require-token': true }), token)).toMatchObject({ access: 'read' })
    expect(await told(await access({ 'require-token': true }), 'ferrule_x')).toMatchObject({ status: 401 })
  })

  it('from other computers: who has a token of the usual file', async () => {
    const { access, usual, said } = ownPlace()
    const { token } = await usual.create('laptop', { access: 'act' })
    expect(await told(await access({}, true), token)).toMatchObject({ access: 'act', client: 'token:laptop' })
    expect(said).toEqual([])
  })

  it('from other computers: nobody, and the start says so, while there is no token that works', async () => {
    const { access, usual } = ownPlace()
    await expect(access({}, true)).rejects.toThrow(/asks for a token, but .* make one with +ferrule token create NAME/)
    await usual.create('old', { access: 'act', expires: new Date(0) })
    await expect(access({}, true)).rejects.toThrow(Failure)
  })

  it('by the tokens of the file that is named, which may get some later', async () => {
    const { access, folder, said } = ownPlace()
    const file = tokenFile(join(folder, 'mine.json'))
    const made = await access({ 'token-file': file.path }, true)
    expect(said).toEqual([expect.stringContaining(`ferrule token create NAME --file ${file.path}`)])
    const { token } = await file.create('laptop', { access: 'act' })
    expect(await told(made, token)).toMatchObject({ access: 'act' })
  })

  it('by an issuer, without tokens unless they are asked for', async () => {
    const { access, usual } = ownPlace()
    const issuer = await Issuer.start()
    const { token } = await usual.create('script', { access: 'act' })
    const values = { 'oauth-issuer': issuer.url, 'oauth-audience': audience }
    const alone = await access(values, true)
    expect(await told(alone, await issuer.token())).toMatchObject({ access: 'read' })
    expect(await told(alone, token)).toMatchObject({ status: 401 })
    const both = await access({ ...values, 'require-token': true }, true)
    expect(await told(both, await issuer.token())).toMatchObject({ access: 'read' })
    expect(await told(both, token)).toMatchObject({ access: 'act' })
  })

  it('by an issuer that is not there yet: the server starts, and says so', async () => {
    const { access, said } = ownPlace()
    const issuer = await Issuer.start()
    issuer.outage = 502
    const made = await access({ 'oauth-issuer': issuer.url, 'oauth-audience': audience })
    expect(said).toEqual([expect.stringContaining('answers 502')])
    issuer.outage = undefined
    expect(await told(made, await issuer.token())).toMatchObject({ access: 'read' })
  })

  it.each([
    [{ 'oauth-issuer': 'https://issuer.example' }, '--oauth-issuer needs --oauth-audience URL'],
    [{ 'oauth-audience': audience }, '--oauth-audience needs --oauth-issuer URL'],
    [{ 'oauth-issuer': 'http://issuer.example', 'oauth-audience': audience }, 'must begin with https:'],
  ])('%j is refused with a sentence', async (values, message) => {
    const { access } = ownPlace()
    await expect(access(values)).rejects.toThrow(Failure)
    await expect(access(values)).rejects.toThrow(message)
  })

  it('a file that cannot be used ends the start', async () => {
    const { access, folder } = ownPlace()
    writeFileSync(join(folder, 'broken.json'), '{')
    await expect(access({ 'token-file': join(folder, 'broken.json') })).rejects.toThrow(/broken.json is not JSON/)
  })
})
