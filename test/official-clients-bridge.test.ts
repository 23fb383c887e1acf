/**
 * The official clients drive the bridge over real pipes, and it drives a board over a real pty: one that speaks the
 * compact link, and one that speaks MCP itself. Each line that the bridge sends is checked against the official schemas.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { actuator, type Board } from '../runtime/index.ts'
import { type Firmware, linkFirmware, mcpFirmware, type Program } from './bridge/cabled-board.ts'
import { type ClientKind, type Command, clientKinds, type OfficialClient } from './official/clients.ts'
import { Recording } from './official/recording.ts'
import { FakeDevice } from './serial/fake-device.ts'
import { noPtys } from './serial/pty.ts'

const soilUri = 'sensor://greenhouse/soil'

/** Something that is waited for, and happens once for each who waits. */
class Event {
  #waiting: (() => void)[] = []

  next(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  happen(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** A greenhouse on a cable: what it was told to do is written down, and its door stands still until it may go on. */
class Greenhouse {
  readonly cable = new FakeDevice()
  readonly fan: number[] = []
  readonly doorStopped = new Event()
  readonly mayGoOn = new Event()
  #soil = 0.25
  #soilChanged: (value: number) => void = () => {}
  #program: Program | undefined = undefined
  #boots = 0
  readonly #firmware: Firmware

  constructor(firmware: (board: Board) => Firmware) {
    this.#firmware = firmware(this.#board())
    this.#listen()
  }

  /** Its program begins to run. Until then it takes nothing in and says nothing. */
  boot(): void {
    const { pty } = this.cable
    this.#program = this.#firmware(bytes => pty?.write(bytes), ++this.#boots)
  }

  unplug(): void {
    this.cable.unplug()
    this.#program?.end()
    this.#program = undefined
  }

  plug(): void {
    this.cable.plug()
    this.#listen()
  }

  set soil(value: number) {
    this.#soil = value
    this.#soilChanged(value)
  }

  close(): void {
    this.unplug()
    this.cable.close()
  }

  #listen(): void {
    this.cable.pty!.onBytes = bytes => this.#program?.receive(bytes)
  }

  #board(): Board {
    return {
      name: 'greenhouse',
      version: '1.0.0',
      description: 'A greenhouse on a cable.',
      sensors: {
        soil: {
          title: 'Soil moisture',
          unit: '/',
          minIntervalMs: 10,
          read: () => this.#soil,
          watch: changed => {
            this.#soilChanged = changed
            return () => {
              this.#soilChanged = () => {}
            }
          },
        },
      },
      actuators: {
        fan: actuator({
          title: 'Fan',
          inputSchema: {
            type: 'object',
            properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
            required: ['percent'],
          },
          safe: { percent: 0 },
          set: ({ percent }) => void this.fan.push(percent),
        }),
        door: actuator({
          title: 'Door',
          safe: null,
          set: async (_, call) => {
            const stopped = new Promise<never>((_, reject) => {
              call.signal.addEventListener('abort', () => {
                this.doorStopped.happen()
                reject(call.signal.reason)
              })
            })
            const going = this.mayGoOn.next()
            call.progress(1, 2, 'half open')
            await Promise.race([going, stopped])
            return 'open'
          },
        }),
      },
    }
  }
}

interface BoardKind {
  readonly name: string
  /** Whether it can be told to make itself safe. MCP has no words for that. */
  readonly stops: boolean
  readonly firmware: (board: Board) => Firmware
}

const boardKinds: readonly BoardKind[] = [
  { name: 'a board on the compact link', stops: true, firmware: board => linkFirmware(board) },
  { name: 'a board that speaks MCP itself', stops: false, firmware: board => mcpFirmware(board) },
]

interface World {
  readonly client: OfficialClient
  readonly board: Greenhouse
}

/** In the order of a day: each finds the board plugged in, and leaves it so. */
const scenarios: Record<string, (world: World) => Promise<unknown>> = {
  async 'lists what the board has'({ client }) {
    const tools = await client.list('tools')
    expect(tools.map(({ name }) => name).sort()).toEqual(['arm_outputs', 'door', 'fan', 'stop_all'])
    expect(tools.find(({ name }) => name === 'fan')).toMatchObject({
      title: 'Fan',
      inputSchema: { properties: { percent: { minimum: 0, maximum: 100 } }, required: ['percent'] },
      annotations: { readOnlyHint: false },
    })
    expect((await client.list('resources')).map(({ uri }) => uri)).toContain(soilUri)
  },
  async 'reads a sensor'({ client, board }) {
    board.soil = 0.25
    const { contents } = await client.read(soilUri)
    const [record] = JSON.parse(contents[0].text)
    expect(record).toMatchObject({ v: 0.25 })
    expect(contents[1].text).toContain('Soil moisture')
  },
  async 'moves an actuator, once for each call'({ client, board }) {
    board.fan.length = 0
    for (const percent of [30, 30, 45]) expect((await client.call('fan', { percent })).isError).toBeFalsy()
    expect(board.fan).toEqual([30, 30, 45])
  },
  async 'hears of a change of what it watches'({ client, board }) {
    const stop = await client.watch(soilUri)
    await client.read(soilUri)
    const { mark } = client.heard
    board.soil = 0.5
    expect((await client.heard.next('the change', isUpdate, mark)).params.uri).toBe(soilUri)
    expect((await client.read(soilUri)).contents[0].text).toContain('0.5')
    await stop()
  },
  async 'hears how far a call is'({ client, board }) {
    const steps: any[] = []
    const onprogress = (step: any) => {
      steps.push(step)
      board.mayGoOn.happen()
    }
    expect(textOf(await client.call('door', {}, { onprogress }))).toContain('open')
    expect(steps).toMatchObject([{ progress: 1, total: 2, message: 'half open' }])
  },
  async 'is told what is wrong with its arguments, and nothing moves'({ client, board }) {
    board.fan.length = 0
    for (const [args, why] of [
      [{ percent: 200 }, /at most 100/],
      [{ percent: 'fast' }, /percent/],
      [{}, /percent/],
    ] as const) {
      const result = await client.call('fan', args)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(why)
    }
    await expect(client.call('no_such_tool')).rejects.toMatchObject({ code: -32602 })
    expect(board.fan).toEqual([])
  },
  async 'cancels a call, and the board hears of it'({ client, board }) {
    const controller = new AbortController()
    const stopped = board.doorStopped.next()
    const call = client.call('door', {}, { signal: controller.signal, onprogress: () => controller.abort('too slow') })
    await expect(call).rejects.toThrow('too slow')
    await stopped
    expect((await client.call('fan', { percent: 5 })).isError).toBeFalsy()
  },
  async 'is told the truth when the cable is pulled in a call, and works on when it is back'({ client, board }) {
    board.fan.length = 0
    const lost = await client.call('door', {}, { onprogress: () => board.unplug() })
    expect(lost.isError).toBe(true)
    expect(textOf(lost)).toMatch(/not known|unknown|nobody knows|may have/i)
    expect((await client.list('tools')).map(({ name }) => name).sort()).toEqual([
      'arm_outputs',
      'door',
      'fan',
      'stop_all',
    ])
    board.plug()
    board.boot()
    await backAt(client, 70)
    expect(board.fan.filter(percent => percent !== 0)).toEqual([70])
    expect(JSON.parse((await client.read(soilUri)).contents[0].text)[0]).toMatchObject({ v: 0.5 })
  },
}

/** Takes some seconds by its nature, so that one client is enough. */
async function whileAway(client: OfficialClient, board: Greenhouse): Promise<void> {
  board.fan.length = 0
  board.unplug()
  const away = await client.call('fan', { percent: 60 })
  expect(away.isError).toBe(true)
  expect(textOf(away)).toMatch(/away|not there|gone|cable/)
  board.plug()
  board.boot()
  await backAt(client, 61)
  expect(board.fan.filter(percent => percent !== 0)).toEqual([61])
}

/** Calls until the board is back: the port may take a moment to be found, and each call in it ends in an error. */
async function backAt(client: OfficialClient, percent: number): Promise<void> {
  let result: any
  do {
    result = await client.call('fan', { percent })
    if (result.isError) expect(textOf(result)).toMatch(/away|not there|gone|cable|does not answer/)
  } while (result.isError)
}

/** One that finds out what the bridge speaks, and takes what is slow for old; and the two of the handshake. */
const chosen = clientKinds.filter(({ name, revision }) => revision >= '2025-11-25' && !name.includes('insists'))

for (const kind of boardKinds) {
  describe.skipIf(noPtys !== undefined)(kind.name, () => {
    let board: Greenhouse
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'fb-'))
      board = new Greenhouse(kind.firmware)
    })
    afterAll(() => {
      board.close()
      rmSync(folder, { recursive: true, force: true })
    })

    for (const [at, client] of chosen.entries())
      drive(client, { isFirst: at === 0, stops: kind.stops, folder: () => folder, board: () => board })
  })
}

interface Drive {
  /** Nobody ever saw the board before. */
  isFirst: boolean
  stops: boolean
  /** Where the bridge keeps what it knows. */
  folder(): string
  board(): Greenhouse
}

/** One client with a bridge of its own, from its start to its end. */
function drive(kind: ClientKind, { isFirst, stops, folder, board }: Drive): void {
  describe(kind.name, () => {
    const recording = new Recording()
    const client = kind.make()
    afterEach(() => recording.check())
    afterAll(async () => {
      await client.close()
      recording.remove()
    })

    it(isFirst ? 'is served although nobody saw the board before' : 'is served before the board boots', async () => {
      if (isFirst) board().boot()
      await client.connect(bridge(recording, board().cable.path, folder()))
      const { info, version, capabilities } = client.about()
      // What it is called is known from the run before.
      if (!isFirst) expect(info).toMatchObject({ name: 'greenhouse', version: '1.0.0' })
      if (version !== undefined) expect(version).toBe(kind.revision)
      expect(capabilities).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } })
      expect((await client.list('tools')).map(({ name }) => name).sort()).toEqual([
        'arm_outputs',
        'door',
        'fan',
        'stop_all',
      ])
      if (!isFirst) board().boot()
      await backAt(client, 1)
    })

    for (const [name, run] of Object.entries(scenarios)) it(name, () => run({ client, board: board() }))

    if (isFirst) it('is told that the board is away', () => whileAway(client, board()))

    it('is surprised by nothing that the bridge sends', () => {
      expect(client.errors).toEqual([])
    })

    it(`ends the bridge with code 0 when it closes${stops ? ', and the board is safe' : ''}`, async () => {
      await client.watch(soilUri)
      await client.call('fan', { percent: 80 })
      await client.close()
      expect(recording.runs().at(-1)!.end).toEqual({ code: 0, signal: null })
      if (stops) expect(board().fan.at(-1)).toBe(0)
      // Switched off, for whoever comes next.
      board().unplug()
      board().plug()
    })
  })
}

/** The command line of a bridge that keeps what it knows in a folder of its own. */
function bridge(recording: Recording, port: string, folder: string): Command {
  const { command, args, cwd } = recording.command('bin/ferrule.ts', 'bridge', '--port', port)
  return { command: 'env', args: [`XDG_CACHE_HOME=${folder}`, `XDG_RUNTIME_DIR=${folder}`, command, ...args], cwd }
}

function textOf(result: any): string {
  return result.content[0].text
}

function isUpdate({ method }: any): boolean {
  return method === 'notifications/resources/updated'
}
