import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { vi } from 'vitest'
import { LinkHost, type LinkHostOptions } from '../../../boards/remote/link/index.ts'
import { OwnedClock } from '../../owned-clock.ts'
import { here, type MicroPython } from './interpreters.ts'
import { inMicroPython } from './stepped.ts'

/** The bench in Python, and the project's own host at the other end of its line. */
export interface Hosted {
  readonly host: LinkHost
  readonly texts: string[]
  readonly logs: string[]
  readonly events: string[]
  /** What happens to the bytes on their way to the device. */
  toDevice: (bytes: Uint8Array) => Uint8Array
  /** Waits for a promise while time goes by. */
  during<T>(promise: Promise<T>): Promise<T>
  /** Waits until something is so. */
  until(isSo: () => boolean): Promise<void>
  /** The device loses its memory and starts anew. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** What hosts of both kinds have in common. */
class Ears {
  readonly texts: string[] = []
  readonly logs: string[] = []
  readonly events: string[] = []

  options(): Partial<LinkHostOptions> {
    return {
      onText: (bytes, start, end) => void this.texts.push(Buffer.from(bytes.subarray(start, end)).toString()),
      onLog: (severity, text) => void this.logs.push(`${severity} ${text}`),
      onReady: (_, restarted) => void this.events.push(restarted ? 'ready again' : 'ready'),
      onLost: why => void this.events.push(why),
    }
  }
}

const pollEveryMs = 5

/** In MicroPython, in this process, on a clock of its own: nothing waits for real. */
export async function hostedInMicroPython(
  load: (print: (bytes: Uint8Array) => void) => Promise<MicroPython>,
  options: Partial<LinkHostOptions> = {},
): Promise<Hosted & { clock: OwnedClock; python: MicroPython }> {
  const clock = new OwnedClock()
  const start = clock.now()
  const ears = new Ears()
  let boot = 1
  let device = await inMicroPython(load, 'bench', boot)
  let waiting: Uint8Array[] = []
  const host = new LinkHost({
    clock,
    outlet: { write: bytes => void waiting.push(bytes) },
    ...ears.options(),
    ...options,
  })
  let timer: unknown
  const poll = () => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    const sent = device.step(clock.now() - start, hosted.toDevice(bytes))
    if (sent.length > 0) host.receive(sent)
    timer = clock.setTimeout(poll, pollEveryMs)
  }
  const until = async (isSo: () => boolean) => {
    for (let passed = 0; !isSo(); passed += pollEveryMs) {
      if (passed > 200_000) throw new Error('it never becomes so')
      await clock.advance(pollEveryMs)
    }
  }
  const hosted: Hosted & { clock: OwnedClock; python: MicroPython } = {
    host,
    texts: ears.texts,
    logs: ears.logs,
    events: ears.events,
    clock,
    python: device.python,
    toDevice: bytes => bytes,
    until,
    async during(promise) {
      let over = false
      const end = () => {
        over = true
      }
      promise.then(end, end)
      await until(() => over)
      return promise
    },
    async restart() {
      device = await inMicroPython(load, 'bench', ++boot)
      waiting = []
    },
    async close() {
      host.close()
      clock.clearTimeout(timer)
    },
  }
  poll()
  host.start()
  await until(() => host.hello !== undefined)
  return hosted
}

/** In CPython, as a child on pipes: everything is real. */
export async function hostedInCPython(python: string, options: Partial<LinkHostOptions> = {}): Promise<Hosted> {
  const ears = new Ears()
  let boot = 1
  let child: ChildProcess
  const host = new LinkHost({
    baud: 0,
    outlet: { write: bytes => void child.stdin!.write(hosted.toDevice(bytes)) },
    ...ears.options(),
    ...options,
  })
  const begin = () => {
    const started = spawn(python, ['-B', join(here, 'main.py'), String(boot++)], { stdio: ['pipe', 'pipe', 'inherit'] })
    started.stdin.on('error', () => {})
    started.stdout.on('data', (chunk: Buffer) => {
      if (child === started) host.receive(chunk)
    })
    child = started
  }
  const gone = (which: ChildProcess) =>
    new Promise<void>(resolve => {
      if (which.exitCode !== null || which.signalCode !== null) return resolve()
      which.once('exit', () => resolve())
    })
  const hosted: Hosted = {
    host,
    texts: ears.texts,
    logs: ears.logs,
    events: ears.events,
    toDevice: bytes => bytes,
    until: isSo =>
      vi.waitFor(
        () => {
          if (!isSo()) throw new Error('it never becomes so')
        },
        { timeout: 30_000, interval: 5 },
      ),
    during: promise => promise,
    async restart() {
      const before = child
      begin()
      before.kill('SIGKILL')
      await gone(before)
    },
    async close() {
      host.close()
      // The end of its input ends it.
      child.stdin!.end()
      await gone(child)
    },
  }
  begin()
  host.start()
  await hosted.until(() => host.hello !== undefined)
  return hosted
}
