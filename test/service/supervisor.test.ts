/** What a service tells its supervisor (sd_notify(3)), over real sockets. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { notifySocket, socketAddress } from '../../bin/service/notify-socket.ts'
import { Supervisor, takeSupervisor } from '../../bin/service/supervisor.ts'
import { Child } from '../child.ts'
import { canListen, Notified } from './notified.ts'

vi.setConfig({ testTimeout: 120_000 })

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A board whose file tells what is done, in order, and whether anybody can come in meanwhile. */
function tellingBoard(port: number): { file: string; done: () => string[] } {
  const folder = folderOfTest()
  const log = join(folder, 'log.txt')
  writeFileSync(log, '')
  const file = join(folder, 'board.mjs')
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs'
     import { connect } from 'node:net'
     const tell = text => appendFileSync(${JSON.stringify(log)}, text + '\\n')
     tell('load' + (process.env.NOTIFY_SOCKET ? ' with NOTIFY_SOCKET' : ''))
     const comesIn = () => new Promise(resolve => connect(${port}, '127.0.0.1')
       .on('connect', () => resolve('connected')).on('error', error => resolve(error.code)))
     export default {
       name: 'lamp',
       async open() { tell('open') },
       close() { tell('close') },
       sensors: { light: { read() { tell('read'); return 1 }, history: { everyMs: 1000 } } },
       actuators: {
         lamp: {
           inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
           safe: { on: false },
           async set({ on }) { tell((on ? 'on ' : 'off ') + await comesIn()) },
         },
         jam: {
           inputSchema: { type: 'object' },
           safe: null,
           set() { for (;;); },
         },
       },
     }`,
  )
  return { file, done: () => readFileSync(log, 'utf8').trim().split('\n') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

function ferrule(args: string[], env: Record<string, string> = {}): Child {
  const run = folderOfTest()
  const own = { FERRULE_RUNTIME_DIR: join(run, 'run'), FERRULE_STATE_DIR: join(run, 'state') }
  const child = new Child(process.execPath, ['--import', 'tsx', 'bin/ferrule.ts', ...args], { env: { ...own, ...env } })
  onTestFinished(() => child.stop())
  return child
}

describe('the address of a supervisor', () => {
  it('is a path with a zero behind it, or a name with a zero before it and none behind', () => {
    expect(socketAddress('/run/x').subarray(2)).toEqual(Buffer.from('/run/x\0'))
    expect(socketAddress('@run/x').subarray(2)).toEqual(Buffer.from('\0run/x'))
    expect(socketAddress('/run/x').readUInt16LE()).toBe(1)
  })

  it('is refused where it is none, or too long', () => {
    for (const address of ['', 'run/x', 'vsock:2:1', `/${'x'.repeat(107)}`, `@${'x'.repeat(108)}`]) {
      expect(() => socketAddress(address)).toThrow(/no socket|too long/)
    }
    expect(socketAddress(`/${'x'.repeat(106)}`)).toHaveLength(110)
  })
})

describe('what a supervisor is told', () => {
  function supervised(watchdogMs?: number) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const sent: string[] = []
    const said: string[] = []
    let refused = false
    const send = (text: string) => {
      if (refused) throw new Error('sendto /run/notify: EAGAIN')
      sent.push(text)
    }
    const supervisor = new Supervisor({ send, watchdogMs, say: text => void said.push(text) })
    return { supervisor, sent, said, refuse: (is: boolean) => (refused = is) }
  }

  it('readiness with the status, then life at half the time, and the status when it changed', () => {
    const { supervisor, sent } = supervised(10_000)
    let clients = 0
    supervisor.ready(() => `lamp, ${clients} clients`)
    expect(sent.splice(0)).toEqual(['READY=1\nSTATUS=lamp, 0 clients\nWATCHDOG=1'])
    vi.advanceTimersByTime(4999)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(1)
    expect(sent.splice(0)).toEqual(['WATCHDOG=1'])
    clients = 2
    vi.advanceTimersByTime(5000)
    expect(sent.splice(0)).toEqual(['STATUS=lamp, 2 clients\nWATCHDOG=1'])
    supervisor.stopping()
    vi.advanceTimersByTime(5000)
    expect(sent).toEqual([
      'STOPPING=1\nSTATUS=puts its outputs into their safe state, and ends\nWATCHDOG=1',
      'WATCHDOG=1',
    ])
  })

  it('no word about life when nobody watches', () => {
    const { supervisor, sent } = supervised()
    supervisor.ready(() => 'lamp')
    vi.advanceTimersByTime(60_000)
    expect(sent).toEqual(['READY=1\nSTATUS=lamp'])
  })

  it('what could not be sent is sent later, and that is said once', () => {
    const { supervisor, sent, said, refuse } = supervised(10_000)
    refuse(true)
    supervisor.ready(() => 'lamp')
    vi.advanceTimersByTime(5000)
    expect(said).toEqual(['systemd could not be told how the service is: sendto /run/notify: EAGAIN'])
    refuse(false)
    vi.advanceTimersByTime(5000)
    expect(sent).toEqual(['READY=1\nSTATUS=lamp\nWATCHDOG=1'])
  })

  it('no second word begins in a status', () => {
    const { supervisor, sent } = supervised()
    supervisor.tells('lamp\nMAINPID=1')
    expect(sent).toEqual(['STATUS=lamp MAINPID=1'])
  })
})

describe.skipIf(!canListen())('over a real socket', () => {
  it.each(['path', 'name'] as const)('a supervisor with a %s is reached, and knows who speaks', async where => {
    const notified = await Notified.at(where)
    notifySocket(notified.address)('READY=1\nSTATUS=grün')
    const { pid } = await notified.hears(({ STATUS }) => STATUS === 'grün', 'a status')
    expect(pid).toBe(process.pid)
  })

  it('the environment keeps nothing of it, and another process is not watched', async () => {
    const notified = await Notified.at()
    const env = { NOTIFY_SOCKET: notified.address, WATCHDOG_USEC: '10000000', WATCHDOG_PID: '1', HOME: '/x' }
    const supervisor = await takeSupervisor(env, () => {})
    expect(env).toEqual({ HOME: '/x' })
    supervisor?.ready(() => 'lamp')
    const { words } = await notified.hears(({ READY }) => READY === '1', 'readiness')
    expect(words).toEqual({ READY: '1', STATUS: 'lamp' })
  })

  it('a supervisor that is not there, or that cannot be reached, is told to the operator, and the board is served', async () => {
    const said: string[] = []
    const say = (text: string) => void said.push(text)
    const gone = await takeSupervisor({ NOTIFY_SOCKET: '/nowhere/notify' }, say)
    gone?.ready(() => 'lamp')
    expect(await takeSupervisor({ NOTIFY_SOCKET: 'vsock:2:1' }, say)).toBeUndefined()
    expect(await takeSupervisor({}, say)).toBeUndefined()
    expect(said).toEqual([expect.stringContaining('ENOENT'), expect.stringContaining('vsock:2:1 is no socket')])
  })

  it('a service is ready when its outputs are safe and it listens; it tells its clients, its life and its end', async () => {
    const notified = await Notified.at()
    const port = await freePort()
    const { file, done } = tellingBoard(port)
    const env = { NOTIFY_SOCKET: notified.address, WATCHDOG_USEC: '400000' }
    const child = ferrule(['serve', file, '--http', String(port)], env)
    const { pid, words } = await notified.hears(({ READY }) => READY === '1', 'readiness')
    expect(pid).toBe(child.process.pid)
    expect(words.STATUS).toBe(`lamp at http://localhost:${port}/mcp, no client`)
    expect(done().slice(0, 3)).toEqual(['load', 'open', 'off ECONNREFUSED'])
    await (await fetch(words.STATUS!.split(' ')[2]!.slice(0, -1), { method: 'POST', body: '{}' })).text()
    await notified.more(3)
    child.process.kill('SIGTERM')
    await notified.hears(({ STOPPING }) => STOPPING === '1', 'the end')
    expect((await child.exit()).code).toBe(0)
    expect(new Set(notified.told.map(told => told.pid))).toEqual(new Set([child.process.pid]))
  })

  it('a blocked loop tells nothing any more', async () => {
    const notified = await Notified.at()
    const port = await freePort()
    const { file } = tellingBoard(port)
    const child = ferrule(['serve', file, '--http', String(port)], {
      NOTIFY_SOCKET: notified.address,
      WATCHDOG_USEC: '400000',
    })
    await notified.hears(({ READY }) => READY === '1', 'readiness')
    await notified.more(2)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'jam',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    })
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'jam',
    }
    fetch(`http://localhost:${port}/mcp`, { method: 'POST', headers, body }).catch(() => {})
    // Silence for three times the watchdog's period, by this process's own clock.
    for (let last = -1; last !== notified.told.length; ) {
      last = notified.told.length
      await new Promise(resolve => setTimeout(resolve, 1200))
    }
    await child.stop()
  })

  it('without its hardware it does not stay: it ends, to be started anew', async () => {
    const notified = await Notified.at()
    const folder = folderOfTest()
    const file = join(folder, 'board.mjs')
    writeFileSync(file, `export default { name: 'lamp', open() { throw new Error('no chip at 0x76') } }`)
    const child = ferrule(['serve', file, '--http', '0'], { NOTIFY_SOCKET: notified.address })
    expect((await child.exit()).code).toBe(1)
    expect(child.stderr).toContain('no chip at 0x76')
    expect(notified.told.some(({ words }) => words.READY === '1')).toBe(false)
  })
})

describe('what comes first at a start', () => {
  it('the outputs are safe before anybody is asked, listened to, or a sensor read', async () => {
    const port = await freePort()
    const { file, done } = tellingBoard(port)
    let doneWhenAsked: string[] | undefined
    const issuer = createHttpServer((_, response) => {
      doneWhenAsked ??= done()
      response.writeHead(503).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void issuer.close())
    await new Promise(resolve => issuer.once('listening', resolve))
    const at = `http://localhost:${(issuer.address() as AddressInfo).port}`
    const oauth = ['--oauth-issuer', at, '--oauth-audience', `http://localhost:${port}/mcp`]
    const child = ferrule(['serve', file, '--http', String(port), ...oauth])
    await child.tells('serves lamp')
    expect(doneWhenAsked?.slice(0, 3)).toEqual(['load', 'open', 'off ECONNREFUSED'])
    expect(done().slice(0, 3)).toEqual(['load', 'open', 'off ECONNREFUSED'])
  })

  it.each([
    ['a port that is taken', async (port: number) => void createServer().listen(port, '127.0.0.1').unref()],
    ['tokens that nobody has', async () => {}],
  ])('%s keeps it from serving, and not from making safe', async (why, hinder) => {
    const port = await freePort()
    const { file, done } = tellingBoard(await freePort())
    await hinder(port)
    const where = why.startsWith('a port') ? [String(port)] : [`0.0.0.0:${port}`]
    const child = ferrule(['serve', file, '--http', ...where], { XDG_CONFIG_HOME: folderOfTest() })
    expect((await child.exit()).code).toBe(1)
    expect(child.stderr).toMatch(/listens at .* already|asks for a token/)
    expect(done()).toContain('off ECONNREFUSED')
    expect(done().at(-1)).toBe('close')
  })
})

describe('ferrule safe', () => {
  it('makes safe what nobody serves, says so, and ends', async () => {
    const { file, done } = tellingBoard(await freePort())
    const child = ferrule(['safe', file])
    expect((await child.exit()).code).toBe(0)
    expect(child.lines.slice(0, 2)).toEqual([
      'lamp: its outputs are safe',
      '  lamp  set to its safe state; no sensor shows it',
    ])
    expect(done()).toContain('off ECONNREFUSED')
    expect(done().at(-1)).toBe('close')
  })

  it('fails when something could not be made safe', async () => {
    const file = join(folderOfTest(), 'board.mjs')
    writeFileSync(file, `export default { name: 'lamp', open() { throw new Error('no chip at 0x76') } }`)
    const child = ferrule(['safe', file])
    expect((await child.exit()).code).toBe(1)
    expect(child.lines[0]).toBe('lamp: NOT SAFE')
  })
})
