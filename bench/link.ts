/**
 * A device on a real pty, in a process of its own, and who calls it: the compact link beside MCP in lines of JSON, and
 * what the bridge adds. One call is in flight at a time. All callers have their turn in each round, so whatever else the
 * machine does is done to all of them; what is added is the difference to the device alone within a round.
 *
 *   npx tsx bench/link.ts [--quick] [--profile FOLDER]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LinkDevice, LinkHost } from '../boards/remote/link/index.ts'
import { actuator, type Board, createServer, Framer, type Link, serveLink } from '../runtime/index.ts'
import { Pty } from '../test/serial/pty.ts'
import { openPort } from '../transports/serial/index.ts'
import { call, type Era, opening } from './process.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Where the bridges leave their CPU profiles. */
    profile: { type: 'string' },
    /** This process is the device, with these kinds of firmware. */
    device: { type: 'string', multiple: true },
  },
})
const baud = 115_200
const [rounds, callsInRound] = options.quick ? [5, 100] : [20, 200]
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** An actuator with one integer and one boolean, which answers nothing but that it is done. */
const board: Board = {
  name: 'bench',
  version: '1.0.0',
  actuators: {
    set_led: actuator({
      inputSchema: {
        type: 'object',
        properties: { pin: { type: 'integer', minimum: 0, maximum: 40 }, on: { type: 'boolean' } },
        required: ['pin', 'on'],
      },
      safe: null,
      set: () => undefined,
    }),
  },
}

/** Puts firmware on a pty of its own, and gives its path. */
function plug(firmware: string, boot: number): string {
  const pty = new Pty()
  if (firmware === 'link') {
    const device = new LinkDevice({ board, id: `bench-${boot}`, boot, outlet: { write: bytes => pty.write(bytes) } })
    pty.onBytes = bytes => device.receive(bytes)
    return pty.path
  }
  const link: Link = {
    open: receiver => {
      pty.onBytes = bytes => receiver.bytes(bytes)
    },
    write: text => {
      pty.write(text)
      return true
    },
    pause() {},
    resume() {},
  }
  serveLink(createServer(board), link, () => {})
  return pty.path
}

/** Whoever calls the device. */
interface Caller {
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

async function overLink(path: string): Promise<Caller> {
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

async function overJson(path: string, era: Era): Promise<Caller> {
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
const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))

/** A host that starts a bridge, and calls the device through it. */
async function overBridge(name: string, path: string, era: Era, alone: Caller): Promise<Caller> {
  const flags = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile]
  const command = [...flags, ...program, 'bridge', '--port', path]
  const bridge = spawn(process.execPath, command, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CACHE_HOME: folder, XDG_RUNTIME_DIR: folder },
  })
  let told = ''
  bridge.stderr.on('data', text => {
    told += text
  })
  bridge.once('exit', code => {
    if (code !== 0) throw new Error(`the bridge ended with ${code}\n${told}`)
  })
  const answers = new Answers()
  bridge.stdout.on('data', chunk => answers.receive(chunk))
  const send = (line: string) => void (bridge.stdin as Writable).write(line)
  await open(era, send, answers)
  return {
    name: `${name}, ${eraNames[era]}`,
    alone,
    async call(i) {
      await callOnce(i, era, send, answers)
      return undefined
    },
    close: () => ended(bridge, () => bridge.stdin.end()),
  }
}

function ended(child: ChildProcess, end: () => void): Promise<void> {
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  end()
  return gone
}

/** What was measured of a caller: milliseconds of each call, by round, and its bytes. */
class Figures {
  readonly rounds: number[][] = []
  readonly out: number[] = []
  readonly back: number[] = []

  get all(): number[] {
    return this.rounds.flat()
  }

  /** The bytes of a call in the middle. Ids grow, and some need an escape. */
  get bytes(): number {
    return quantile(
      this.out.map((out, i) => out + this.back[i]!),
      0.5,
    )
  }
}

function quantile(list: readonly number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * q)]!
}

const spread = (list: readonly number[], digits = 3) =>
  `**${quantile(list, 0.5).toFixed(digits)}** (${quantile(list, 0.25).toFixed(digits)}-${quantile(list, 0.75).toFixed(digits)})`

async function measure(callers: readonly Caller[]): Promise<Map<Caller, Figures>> {
  const figures = new Map(callers.map(caller => [caller, new Figures()]))
  let calls = 0
  const some = async (caller: Caller, count: number, into?: Figures) => {
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const before = performance.now()
      const bytes = await caller.call(++calls)
      times.push(performance.now() - before)
      if (bytes === undefined || into === undefined) continue
      into.out.push(bytes[0])
      into.back.push(bytes[1])
    }
    into?.rounds.push(times)
  }
  // Until the code is warm.
  for (const caller of callers) await some(caller, callsInRound * 3)
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < callers.length; i++) {
      const caller = callers[(i + round) % callers.length]!
      await some(caller, callsInRound, figures.get(caller))
    }
  }
  return figures
}

function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const line = (row: string[]) => `| ${row.map((text, i) => text.padEnd(widths[i]!)).join(' | ')} |`
  return [line(rows[0]!), line(widths.map(width => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n')
}

function report(figures: Map<Caller, Figures>): string {
  const alone = [['device alone', 'calls a second', 'ms a call', 'bytes there', 'back', `ms at ${baud} baud`]]
  const between = [['through the bridge', 'ms a call', 'added, ms', `ms at ${baud} baud`]]
  for (const [caller, own] of figures) {
    const wireMs = ({ bytes }: Figures) => (bytes * 10_000) / baud
    if (caller.alone === undefined) {
      const perSecond = 1000 / (own.all.reduce((sum, ms) => sum + ms, 0) / own.all.length)
      const bytes = [own.out, own.back].map(list => String(quantile(list, 0.5)))
      alone.push([caller.name, perSecond.toFixed(0), spread(own.all), ...bytes, wireMs(own).toFixed(2)])
    } else {
      const base = figures.get(caller.alone)!
      const added = own.rounds.map((times, round) => quantile(times, 0.5) - quantile(base.rounds[round]!, 0.5))
      const atBaud = wireMs(base) + quantile(own.all, 0.5)
      between.push([caller.name, spread(own.all), spread(added), atBaud.toFixed(2)])
    }
  }
  const { length, 0: cpu } = cpus()
  return [
    `Node ${process.version}, ${process.platform} ${process.arch}, ${length} x ${cpu?.model.trim()}, load ${loadavg()[0]!.toFixed(1)}`,
    `One call in flight, ${rounds} rounds of ${callsInRound}. **Median** (quartiles). At ${baud} baud: bytes x 10 / baud on top.`,
    '',
    table(alone),
    '',
    table(between),
    '',
  ].join('\n')
}

async function bench(): Promise<void> {
  const kinds = ['link', 'json', 'json', 'link', 'link', 'json']
  const device = fork(
    here('link.ts'),
    kinds.flatMap(kind => ['--device', kind]),
  )
  const paths = await new Promise<string[]>(resolve => device.once('message', found => resolve(found as string[])))
  const link = await overLink(paths[0]!)
  const legacy = await overJson(paths[1]!, 'legacy')
  const modern = await overJson(paths[2]!, 'modern')
  const callers = [
    link,
    legacy,
    modern,
    await overBridge('the compact link', paths[3]!, 'legacy', link),
    await overBridge('the compact link', paths[4]!, 'modern', link),
    await overBridge('the same, by a second copy', paths[4]!, 'modern', link),
    await overBridge('a device that speaks MCP', paths[5]!, 'modern', modern),
  ]
  process.stdout.write(report(await measure(callers)))
  for (const caller of callers.reverse()) await caller.close()
  await ended(device, () => device.disconnect())
  rmSync(folder, { recursive: true, force: true })
}

if (options.device === undefined) await bench()
else {
  process.once('disconnect', () => process.exit())
  process.send!(options.device.map(plug))
}
