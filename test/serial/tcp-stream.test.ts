import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { duplexStream, openPort, tcpStream } from '../../transports/serial/index.ts'
import { byteStreamContract, type StreamUnderTest } from './byte-stream-contract.ts'
import { Recorder } from './recorder.ts'

/** A device behind a network, as ser2net offers it. */
class FakeSer2net {
  heard = ''
  socket: Socket | undefined = undefined
  server: Server = createServer()
  port = 0
  readonly #watchers = new Set<() => void>()

  async listen(port = 0): Promise<void> {
    this.server = createServer(socket => {
      this.socket = socket
      socket.on('error', () => {})
      socket.on('data', bytes => {
        this.heard += bytes.toString('latin1')
        for (const watcher of this.#watchers) watcher()
      })
    }).listen(port, '127.0.0.1')
    await once(this.server, 'listening')
    this.port = (this.server.address() as AddressInfo).port
  }

  hears(text: string): Promise<void> {
    return new Promise(resolve => {
      const watcher = () => {
        if (this.heard.includes(text)) resolve()
      }
      this.#watchers.add(watcher)
      watcher()
    })
  }

  /** It is gone, with whoever was connected. */
  async leave(): Promise<void> {
    this.socket?.destroy()
    this.server.close()
    await once(this.server, 'close')
  }
}

byteStreamContract('a TCP connection', async () => {
  const device = new FakeSer2net()
  await device.listen()
  return {
    stream: tcpStream('127.0.0.1', device.port),
    send: bytes => void device.socket?.write(bytes),
    heard: () => device.heard,
    hears: text => device.hears(text),
    block: blocked => void (blocked ? device.socket?.pause() : device.socket?.resume()),
    leave: () => device.socket?.destroy(),
    done: () => void device.server.close(),
  }
})

byteStreamContract('a Node stream', () => {
  const toDevice = new PassThrough()
  const toHost = new PassThrough()
  const stream = Duplex.from({ writable: toDevice, readable: toHost })
  let heard = ''
  const watchers = new Set<() => void>()
  toDevice.on('error', () => {})
  toHost.on('error', () => {})
  toDevice.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1')
    for (const watcher of watchers) watcher()
  })
  const under: StreamUnderTest = {
    stream: duplexStream(stream, { name: 'pipes' }),
    send: bytes => void toHost.write(bytes),
    heard: () => heard,
    hears: text =>
      new Promise(resolve => {
        const watcher = () => {
          if (heard.includes(text)) resolve()
        }
        watchers.add(watcher)
        watcher()
      }),
    block: blocked => void (blocked ? toDevice.pause() : toDevice.resume()),
    leave: () => void toHost.end(),
    done: () => {
      toDevice.destroy()
      toHost.destroy()
    },
  }
  return under
})

describe('A device behind a network', () => {
  const used: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of used.splice(0).reverse()) await one.close()
  })

  it('is waited for, comes, goes and comes back', async () => {
    const device = new FakeSer2net()
    await device.listen()
    await device.leave()
    const recorder = new Recorder()
    const spec = `tcp://127.0.0.1:${device.port}`
    const port = openPort(spec, { retryMs: 5, longestRetryMs: 20, ...recorder.options })
    used.push(port)
    await recorder.until(() => recorder.state === 'away')
    expect(port.reason?.message).toBe(
      `${spec} cannot be reached: nothing listens there: is ser2net (or the board) running on this port?`,
    )
    for (const round of [1, 2]) {
      await device.listen(device.port)
      used.push({ close: () => device.server.close() })
      await recorder.until(() => recorder.state === 'open')
      await port.write(`round ${round}\n`)
      await device.hears(`round ${round}\n`)
      device.socket?.write(`heard ${round}\n`)
      await recorder.hears(`heard ${round}\n`)
      if (round === 2) break
      await device.leave()
      await recorder.until(() => recorder.state === 'away')
    }
    expect(recorder.story).toEqual(['away unreachable', 'open first', 'away lost', 'open unknown'])
  })

  it('that does not answer is given up in time', async () => {
    // An address of a network that is set aside for documents: nothing answers there.
    const stream = tcpStream('192.0.2.1', 3333, { connectMs: 50 })
    await expect(stream.open(new Recorder())).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('can be left while it is being connected to', async () => {
    const stream = tcpStream('192.0.2.1', 3333)
    const opening = stream.open(new Recorder())
    opening.catch(() => {})
    await stream.close()
    await expect(opening).rejects.toThrow('tcp://192.0.2.1:3333')
  })

  it('is called by its address', () => {
    expect(tcpStream('::1', 3333).name).toBe('tcp://[::1]:3333')
  })
})
