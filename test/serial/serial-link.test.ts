import { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { createServer, serveLink } from '../../runtime/index.ts'
import { duplexStream, serialLink, serveSerial, streamLink } from '../../transports/serial/index.ts'
import { FakeDevice } from './fake-device.ts'
import { noPtys, Pty } from './pty.ts'
import { Recorder } from './recorder.ts'

/** What the host at the other end of the cable hears, line by line. */
class CableHost {
  heard = ''
  readonly pty: Pty
  #watchers = new Set<() => void>()

  constructor(pty: Pty) {
    this.pty = pty
    pty.onBytes = bytes => {
      this.heard += bytes.toString()
      for (const watcher of this.#watchers) watcher()
    }
  }

  request(id: number | string, method: string, params: object = {}): Promise<any> {
    this.pty.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return this.answer(id)
  }

  answer(id: number | string): Promise<any> {
    return new Promise(resolve => {
      const watcher = () => {
        const lines = this.heard.slice(0, this.heard.lastIndexOf('\n') + 1).split('\n')
        const found = lines.filter(line => line !== '').map(line => JSON.parse(line))
        const message = found.find(message => message.id === id)
        if (message !== undefined) resolve(message)
      }
      this.#watchers.add(watcher)
      watcher()
    })
  }
}

const board = {
  name: 'cable',
  version: '1.0.0',
  sensors: { soil: { title: 'Soil', unit: '/', read: () => 0.5 } },
} as const

const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } }

describe.skipIf(noPtys !== undefined)('A server at the end of a cable', () => {
  const used: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of used.splice(0).reverse()) await one.close()
  })

  it('answers over a port that is a link', async () => {
    const pty = new Pty()
    const host = new CableHost(pty)
    const link = serialLink(pty.path)
    used.push({ close: () => pty.unplug() }, { close: () => link.close('now') })
    const ended = new Promise<void>(resolve => serveLink(createServer(board), link, resolve))
    await link.opened
    const { result } = await host.request(1, 'initialize', handshake)
    expect(result.serverInfo.name).toBe('cable')
    pty.unplug()
    await ended
    expect(await link.over).toMatchObject({ code: 'lost' })
  })

  it('begins a new session when the cable comes back', async () => {
    const device = new FakeDevice()
    used.push(device)
    const recorder = new Recorder()
    const { onChange } = recorder.options
    const serving = serveSerial(createServer(board), device.path, { retryMs: 10, onChange })
    used.push(serving)
    for (const round of [1, 2]) {
      await recorder.until(() => recorder.state === 'open')
      const host = new CableHost(device.pty!)
      if (round === 2) {
        // The first host's handshake is not this one's.
        expect((await host.request('early', 'tools/list')).error).toBeDefined()
      }
      expect((await host.request(round, 'initialize', handshake)).result.serverInfo.name).toBe('cable')
      host.pty.write('{"jsonrpc":"2.0","id":"cut')
      if (round === 2) break
      device.unplug()
      await recorder.until(() => recorder.state === 'away')
      expect(serving.session).toBeUndefined()
      device.plug()
    }
    await serving.close()
    expect(recorder.story).toEqual(['open first', 'away lost', 'open unknown', 'closed'])
  })

  it('waits for a host that does not read, and ends when it goes', async () => {
    const written: string[] = []
    let more: (() => void) | undefined
    const duplex = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        written.push(chunk.toString())
        more = done
      },
    })
    const link = streamLink(duplexStream(duplex))
    let drained = 0
    let ended = 0
    link.open({
      bytes: () => {},
      end: () => ended++,
      drained: () => drained++,
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(link.write('x')).toBe(true)
    expect(link.write('y'.repeat(20_000))).toBe(false)
    more?.()
    await new Promise(resolve => setImmediate(resolve))
    expect([written.length, drained]).toEqual([2, 0])
    more?.()
    await new Promise(resolve => setImmediate(resolve))
    expect(drained).toBe(1)
    link.write('z'.repeat(20_000))
    duplex.destroy()
    expect(await link.over).toMatchObject({ code: 'lost' })
    expect([drained, ended]).toEqual([2, 1])
    expect(link.write('late')).toBe(true)
  })

  it('that cannot be opened ends at once', async () => {
    const link = serialLink('/dev/no-such-port')
    let ended = 0
    link.open({ bytes: () => {}, end: () => ended++, drained: () => {} })
    expect(await link.over).toMatchObject({ code: 'absent' })
    expect(ended).toBe(1)
  })
})
