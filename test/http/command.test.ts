/** `ferrule serve --http` and `ferrule bridge --http`, as the processes that they are. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { actuator, type Call, tool } from '../../runtime/index.ts'
import { CabledBoard, linkFirmware, mcpFirmware } from '../bridge/cabled-board.ts'
import { Child, promisedExitMs } from '../child.ts'
import { olderClient } from '../official/clients.ts'
import { noPtys } from '../serial/pty.ts'
import { json } from './serving.ts'

const command = ['--import', 'tsx', 'bin/ferrule.ts']

function ferrule(...args: string[]): Child {
  const child = new Child(process.execPath, [...command, ...args], {})
  onTestFinished(() => child.stop())
  return child
}

/** The URL that a server says it is at. */
async function urlOf(child: Child): Promise<string> {
  const url = () => /serves \S+ at (http\S+)/.exec(child.stderr)?.[1]
  await child.until(() => url() !== undefined, 'a URL')
  return url()!
}

/** A board whose file records what is done with it. */
function recordingBoard(): { file: string; done: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-http-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const record = join(folder, 'done.txt')
  writeFileSync(record, '')
  const file = join(folder, 'board.mjs')
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs'
     console.log('the board loads')
     export default { name: 'lamp', actuators: { lamp: {
       inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
       safe: { on: false },
       set: ({ on }) => appendFileSync(${JSON.stringify(record)}, on ? 'on\\n' : 'off\\n'),
     } } }`,
  )
  return { file, done: () => readFileSync(record, 'utf8').trim().split('\n') }
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
}

async function session(url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  await answer.body?.cancel()
  return { 'Mcp-Session-Id': answer.headers.get('mcp-session-id')!, 'MCP-Protocol-Version': '2025-11-25' }
}

const call = (name: string, args: object, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

describe('ferrule serve --http', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('serves until %s, and leaves the outputs safe', async signal => {
    const { file, done } = recordingBoard()
    const child = ferrule('serve', file, '--http', '0')
    const url = await urlOf(child)
    const headers = await session(url)
    await (await post(url, call('lamp', { on: true }), headers)).text()
    expect(done()).toEqual(['off', 'on'])
    const since = performance.now()
    child.process.kill(signal)
    const { code, ms } = await child.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(promisedExitMs)
    expect(done()).toEqual(['off', 'on', 'off'])
    expect(child.lines).toEqual([])
  })

  it('does not end when its input does, nor when a client leaves', async () => {
    const { file, done } = recordingBoard()
    const child = ferrule('serve', '--http', '0', file)
    const url = await urlOf(child)
    child.endInput()
    const client = olderClient('2025-06-18').make()
    await client.connectTo(new URL(url), fetch)
    await client.call('lamp', { on: true })
    await client.close()
    const headers = await session(url)
    expect((await post(url, { jsonrpc: '2.0', id: 2, method: 'ping' }, headers)).status).toBe(200)
    expect(done()).toEqual(['off', 'on'])
  })

  it('a client whose server was started anew begins anew, and goes on', async () => {
    const { file } = recordingBoard()
    const first = ferrule('serve', file, '--http', '0')
    const url = await urlOf(first)
    const headers = await session(url)
    first.process.kill('SIGKILL')
    await first.exit()
    const second = ferrule('serve', file, '--http', new URL(url).port)
    expect(await urlOf(second)).toBe(url)
    expect((await post(url, call('lamp', { on: true }), headers)).status).toBe(404)
    expect((await post(url, call('lamp', { on: true }), await session(url))).status).toBe(200)
  })

  it.each([
    [['--http=99999'], /a port or HOST:PORT/],
    [['--http=nonsense:'], /a port or HOST:PORT/],
    [['--allowed-host', 'pi.local'], /--allowed-host belongs to --http/],
    [['--legacy-sse'], /--legacy-sse belongs to --http/],
    [['--http', '--tls-key', 'key.pem'], /belong together/],
    [['--http', '0', '--tls-key', 'no-such-file', '--tls-cert', 'x'], /no-such-file cannot be read/],
    [['--http', '0', '--tls-key', 'package.json', '--tls-cert', 'package.json'], /not a key and its certificate/],
    [['--http', '0', '--serial', '/dev/ttyGS0'], /two ways to serve/],
  ])('%s is refused with what would be right', async (options, message) => {
    const child = ferrule('serve', '@greenhouse', ...options)
    const { code } = await child.exit()
    expect(code).toBeGreaterThan(0)
    expect(child.stderr).toMatch(message)
    expect(child.stderr).not.toContain('    at ')
  })

  it('a port that is taken is named', async () => {
    const first = ferrule('serve', '@greenhouse', '--http', '0')
    const { port } = new URL(await urlOf(first))
    const second = ferrule('serve', '@greenhouse', '--http', port)
    expect((await second.exit()).code).toBe(1)
    expect(second.stderr).toContain(`another program listens at localhost:${port} already`)
  })

  it('serves under a further name, and the clients of 2024-11-05', async () => {
    const child = ferrule(
      'serve',
      '@greenhouse',
      '--http',
      '0',
      '--legacy-sse',
      '--allowed-origin',
      'https://app.example',
    )
    const url = new URL(await urlOf(child))
    const stream = await fetch(new URL('/sse', url), { headers: { Origin: 'https://app.example' } })
    expect(stream.status).toBe(200)
    expect(stream.headers.get('access-control-allow-origin')).toBe('https://app.example')
    await stream.body!.cancel()
  })
})

describe('what goes wrong in the process', () => {
  function rig(): { child: Child; levels: () => string[] } {
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-http-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const log = join(folder, 'gpio.txt')
    const child = new Child(process.execPath, ['--import', 'tsx', 'test/rig.ts', 'http', '0'], {
      env: { RIG_GPIO_LOG: log },
    })
    onTestFinished(() => child.stop())
    return {
      child,
      levels: () =>
        readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map(line => line.split(' ').slice(1).join(' ')),
    }
  }

  it('a promise that nobody looks after ends nothing', async () => {
    const { child } = rig()
    const url = await urlOf(child)
    const headers = await session(url)
    await (await post(url, call('reject', {}), headers)).text()
    await child.tells('a promise was rejected')
    expect(await (await post(url, call('echo', { text: 'here' }), headers)).text()).toContain('here')
  })

  it('a crash leaves the outputs safe', async () => {
    const { child, levels } = rig()
    const url = await urlOf(child)
    const headers = await session(url)
    for (const [name, args] of [
      ['pin_open', { line: 'relay' }],
      ['pin_set', { line: 'relay', value: 1 }],
      ['crash', {}],
    ] as const) {
      await (await post(url, call(name, args), headers)).text()
    }
    expect((await child.exit()).code).toBe(1)
    expect(child.stderr).toContain('crash: Error: crash from a timer')
    expect(levels().findLast(line => line.startsWith('relay'))).toBe('relay out 0')
  })
})

const sleep = async (ms: number, signal: AbortSignal) => {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

describe.skipIf(noPtys !== undefined)('ferrule bridge --http', () => {
  const firmwares = {
    'that speaks the compact link': linkFirmware({
      name: 'bench',
      actuators: {
        sleep: actuator({
          inputSchema: { type: 'object', properties: { ms: { type: 'number' }, tag: { type: 'string' } } },
          safe: { ms: 0, tag: '' },
          set: async ({ ms = 0 }, { signal }) => sleep(ms, signal),
        }),
      },
    }),
    'that speaks MCP itself': mcpFirmware(
      { name: 'bench' },
      {
        tools: {
          sleep: tool({
            inputSchema: { type: 'object', properties: { ms: { type: 'number' }, tag: { type: 'string' } } },
            async call({ ms = 0, tag }, { signal }: Call) {
              await sleep(ms, signal)
              return `slept ${tag}`
            },
          }),
        },
      },
    ),
  }

  it.each(Object.entries(firmwares))('answers each of two clients its own, for a board %s', async (_, firmware) => {
    const board = new CabledBoard(firmware)
    const child = ferrule('bridge', '--port', board.path, '--http', '0', '--no-share')
    const url = await urlOf(child)
    const [ada, eve] = await Promise.all([session(url), session(url)])
    const slow = post(url, call('sleep', { ms: 1200, tag: 'A' }), ada).then(each => each.text())
    const quick = await post(url, call('sleep', { ms: 10, tag: 'B' }), eve).then(each => each.text())
    expect(quick).toContain('"id":1')
    expect(quick).not.toMatch(/isError|slept A/)
    expect(await slow).not.toMatch(/isError|slept B/)
  })

  it('has the board, and a bridge that a host starts goes through it', async () => {
    const board = new CabledBoard(firmwares['that speaks the compact link'])
    const overHttp = ferrule('bridge', '--port', board.path, '--http', '0')
    const url = await urlOf(overHttp)
    const overStdio = ferrule('bridge', '--port', board.path)
    await overStdio.initialize()
    expect(await overStdio.call('sleep', { ms: 1 })).not.toContain('error')
    expect(overStdio.stderr).toContain(`process ${overHttp.process.pid} has it`)
    expect((await post(url, call('sleep', { ms: 1 }), await session(url))).status).toBe(200)
    overHttp.process.kill('SIGTERM')
    expect((await overHttp.exit()).code).toBe(0)
    await overStdio.tells('this process has the device now')
    expect(await overStdio.call('sleep', { ms: 1 })).not.toContain('error')
  })

  it('says who has the board already, and what to do', async () => {
    const board = new CabledBoard(firmwares['that speaks the compact link'])
    const overStdio = ferrule('bridge', '--port', board.path)
    await overStdio.initialize()
    const overHttp = ferrule('bridge', '--port', board.path, '--http', '0')
    expect((await overHttp.exit()).code).toBe(1)
    expect(overHttp.stderr).toContain(`process ${overStdio.process.pid} has the board`)
    expect(await overStdio.call('sleep', { ms: 1 })).not.toContain('error')
  })
})
