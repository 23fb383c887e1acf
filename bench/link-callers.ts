import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { LinkHost } from '../boards/remote/link/index.ts'
import { Framer } from '../runtime/index.ts'
import { openPort } from '../transports/serial/index.ts'
import { call, type Era, opening } from './process.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Whoever calls the device. */
export interface Caller {
  name: string
  /** Makes a call, and tells the bytes of it on the cable, there and back, where they can be seen. */
  call(i: number): Promise<readonly [number, number] | undefined>
  /** The device alone, as it is called by what stands between. */
  alone?: Caller
  close(): unknown
}

/** Lines of JSON that come in: gives the answer that is waited for. */
class Answers {
  readonly #framer = new Framer({ onLine: (...line) => this.#line(...line), onOverlong: () => {} })
  readonly #decoder = new TextDecoder()
  #wanted = ''
  #come: (line: string) => void = () => {}

  receive(chunk: Uint8Array): void {
    this.#framer.push(chunk)
  }

  next(id: number): Promise<string> {
    this.#wanted = `"id":${id},`
    return new Promise(resolve => {
      this.#come = resolve
    })
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    const line = this.#decoder.decode(bytes.subarray(start, end))
    if (line.includes(this.#wanted)) this.#come(line)
  }
}

/** Opens the way of an era, over whatever takes lines. */
async function open(era: Era, send: (line: string) => void, answers: Answers): Promise<void> {
  const opened = answers.next(0)
  send(opening(era))
  await opened
  if (era === 'legacy') send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
}

async function callOnce(i: number, era: Era, send: (line: string) => void, answers: Answers) {
  const line = call(i + 1, era)
  const answer = answers.next(i + 1)
  send(line)
  const answered = await answer
  if (answered.includes('"error"') || answered.includes('"isError":true')) throw new Error(answered)
  return [line.length, Buffer.byteLength(answered) + 1] as const
}

/** The device alone, by the host's side of the link. */
export async function overLink(path: string): Promise<Caller> {
  let ready: () => void = () => {}
  const greeted = new Promise<void>(resolve => {
    ready = resolve
  })
  const port = openPort(path, {
    onBytes: chunk => host.receive(chunk),
    onChange: ({ state }) => state === 'open' && host.start(),
  })
  const host: LinkHost = new LinkHost({ outlet: port, onReady: () => ready() })
  await greeted
  return {
    name: 'the compact link',
    async call(i) {
      const { bytesOut, bytesIn } = host.counters
      await host.call(0, [17, i % 2 === 1])
      return [host.counters.bytesOut - bytesOut, host.counters.bytesIn - bytesIn]
    },
    close() {
      host.close()
      return port.close()
    },
  }
}

/** The device alone, by a client that knows nothing but lines. */
export async function overJson(path: string, era: Era): Promise<Caller> {
  const answers = new Answers()
  let opened: () => void = () => {}
  const isOpen = new Promise<void>(resolve => {
    opened = resolve
  })
  const port = openPort(path, {
    onBytes: chunk => answers.receive(chunk),
    onChange: ({ state }) => state === 'open' && opened(),
  })
  await isOpen
  const send = (line: string) => void port.write(line)
  await open(era, send, answers)
  return {
    name: `MCP in JSON, ${eraNames[era]}`,
    call: i => callOnce(i, era, send, answers),
    close: () => port.close(),
  }
}

const eraNames: Record<Era, string> = { legacy: 'handshake era', modern: 'modern era' }
// As people run it, where it was built.
const built = here('../dist/bin/ferrule.js')
const program = existsSync(built) ? [built] : ['--import', 'tsx', here('../bin/ferrule.ts')]

/** What stands between a host and the device. */
export interface Between {
  name: string
  /** What Node is to run. */
  command: readonly string[]
  era: Era
  /** The device alone. */
  alone: Caller
  /** Where it keeps what it knows, and meets its copies. */
  folder: string
}

/** The command line of a bridge. */
export function bridge(path: string): string[] {
  return [...program, 'bridge', '--port', path]
}

/** The command line of what only copies bytes. */
export function copier(path: string): string[] {
  return ['--import', 'tsx', here('link-copier.ts'), path]
}

/** A host that starts a process, and calls the device through it. */
export async function through({ name, command, era, alone, folder }: Between): Promise<Caller> {
  const child = spawn(process.execPath, command, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CACHE_HOME: folder, XDG_RUNTIME_DIR: folder },
  })
  let told = ''
  child.stderr.on('data', text => {
    told += text
  })
  child.once('exit', code => {
    if (code !== 0) throw new Error(`${name} ended with ${code}\n${told}`)
  })
  const answers = new Answers()
  child.stdout.on('data', chunk => answers.receive(chunk))
  const send = (line: string) => void child.stdin.write(line)
  await open(era, send, answers)
  return {
    name: `${name}, ${eraNames[era]}`,
    alone,
    async call(i) {
      await callOnce(i, era, send, answers)
      return undefined
    },
    close: () => ended(child, () => child.stdin.end()),
  }
}

/** Ends a process, and waits until it is gone. */
export function ended(child: ChildProcess, end: () => void): Promise<void> {
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  end()
  return gone
}
