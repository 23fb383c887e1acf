import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CabledBoard, greenhouse, linkFirmware } from '../bridge/cabled-board.ts'
import { type Child, projectDir } from '../child.ts'
import { modernMeta } from '../memory-client.ts'
import type { Installed } from './installed.ts'

const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'))

/** What the package does wherever it is installed. */
export function worksWhereInstalled(installed: () => Installed): void {
  it('tells its version', () => {
    expect(installed().run('node_modules/ferrule/dist/bin/ferrule.js', '--version')).toBe(`${version}\n`)
  })

  it('serves a board over pipes, in both eras', async () => {
    const server = installed().ferrule('serve', '@greenhouse')
    expect((await server.initialize()).result.serverInfo.name).toBe('greenhouse')
    expect(await server.call('pump', { seconds: 1 })).toContain('litres')
    const asked = { name: 'vent', arguments: { percent: 80 }, _meta: modernMeta() }
    const { result } = await server.request('tools/call', asked)
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { percent: 80 } })
    server.endInput()
    expect((await server.exit()).code).toBe(0)
    // Of what this Node does not like.
    expect(server.stderr).not.toContain('Warning')
  })

  it('serves a board over HTTP, until it is told to end', async () => {
    const server = installed().ferrule('serve', '@greenhouse', '--http', '0')
    const url = () => /serves \S+ at (http\S+)/.exec(server.stderr)?.[1]
    await server.until(() => url() !== undefined, 'a URL')
    const answer = await fetch(url()!, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'server/discover',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: modernMeta() } }),
    })
    expect(await answer.json()).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } })
    server.process.kill('SIGTERM')
    expect((await server.exit()).code).toBe(0)
  })

  it('bridges to a board on a serial port', async () => {
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const bridge = installed().ferrule('bridge', '--port', board.path)
    await bridge.initialize()
    await untilListed(bridge, 'fan')
    await bridge.call('fan', { percent: 30 })
    expect(moves).toContain(30)
    bridge.endInput()
    expect((await bridge.exit()).code).toBe(0)
    expect(moves.at(-1)).toBe(0)
  })

  it('calls the kernel for buses', () => {
    const source = `
      import('ferrule/boards/raspberry-pi')
        .then(({ spi }) => spi({ root: '/nowhere' }))
        .catch(thrown => console.log(thrown.message))`
    expect(installed().run('--eval', source)).toContain('spidev0.0 is not there')
  })
}

/** Waits until a board that is being found out about has a tool. */
async function untilListed(bridge: Child, tool: string): Promise<void> {
  const changes = () => bridge.lines.filter(line => line.includes('tools/list_changed')).length
  for (;;) {
    const seen = changes()
    const { result } = await bridge.request('tools/list')
    if (result.tools.some(({ name }: { name: string }) => name === tool)) return
    await bridge.until(() => changes() > seen, `the tool ${tool}`)
  }
}
