import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tokenFile } from '../../transports/http/index.ts'
import { Child, projectDir } from '../child.ts'
import { audience, Issuer } from './issuer.ts'

/** A server of the demo over HTTP, with a configuration of its own. */
function startServer(...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  const args = ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), 'serve', '@greenhouse', ...options]
  const child = new Child(process.execPath, args, { env: { XDG_CONFIG_HOME: folder, APPDATA: folder } })
  onTestFinished(async () => {
    await child.stop()
    rmSync(folder, { recursive: true })
  })
  const url = async () => {
    await child.until(() => /http:\S+/.test(child.stderr), 'a URL')
    return /http:\S+/.exec(child.stderr)![0]
  }
  return { child, url, file: tokenFile(join(folder, 'ferrule', 'tokens.json')) }
}

/** The status of a call that lists the tools. */
async function statusOf(url: string, token?: string): Promise<number> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }),
  })
  await response.text()
  return response.status
}

describe('ferrule serve --http', () => {
  it('asks for nothing on this computer', async () => {
    const { url } = startServer('--http', '127.0.0.1:0')
    expect(await statusOf(await url())).toBe(200)
  })

  it('lets tokens in where they are asked for, those made later too, until they are revoked', async () => {
    const { child, url, file } = startServer('--http', '127.0.0.1:0', '--require-token')
    const at = await url()
    await child.tells('nobody is let in yet')
    expect(await statusOf(at)).toBe(401)
    const { token } = await file.create('laptop', { access: 'act' })
    expect(await statusOf(at, token)).toBe(200)
    await file.revoke('laptop')
    expect(await statusOf(at, token)).toBe(401)
    expect(child.stderr).not.toContain(token)
  })

  it('does not start where other computers reach it and there is no token', async () => {
    const { child } = startServer('--http', '0.0.0.0:0')
    expect(await child.exit()).toMatchObject({ code: 1 })
    expect(child.stderr).toMatch(/asks for a token, but .* make one with +ferrule token create NAME/)
  })

  it('lets in by an issuer, and tells clients which', async () => {
    const issuer = await Issuer.start()
    const { url } = startServer('--http', '127.0.0.1:0', '--oauth-issuer', issuer.url, '--oauth-audience', audience)
    const at = await url()
    expect(await statusOf(at, await issuer.token())).toBe(200)
    expect(await statusOf(at, await issuer.token({ aud: 'https://other.example' }))).toBe(401)
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', at))
    expect(await metadata.json()).toMatchObject({ resource: audience, authorization_servers: [issuer.url] })
  })

  it.each([
    [['--require-token'], '--require-token belongs to --http'],
    [['--http', '--oauth-issuer', 'https://issuer.example'], '--oauth-issuer needs --oauth-audience URL'],
  ])('%j is wrong use', async (options, message) => {
    const { child } = startServer(...options)
    expect(await child.exit()).toMatchObject({ code: 2 })
    expect(child.stderr).toContain(message)
  })
})
