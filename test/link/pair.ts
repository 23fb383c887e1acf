import { LinkDevice, type LinkDeviceOptions, LinkHost, type LinkHostOptions } from '../../boards/remote/link/index.ts'
import { actuator, type Board } from '../../runtime/index.ts'
import { OwnedClock } from '../owned-clock.ts'

/** What happens to bytes on their way. The default lets them through. */
export type Line = (bytes: Uint8Array) => Uint8Array

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** A line that flips a bit of, loses or doubles one byte in `every`, by chance. */
export function noisyLine(random: () => number, every: number): Line {
  return bytes => {
    const out: number[] = []
    for (const byte of bytes) {
      if (random() >= 1 / every) out.push(byte)
      else {
        const what = random()
        if (what < 1 / 3) out.push(byte ^ (1 << Math.floor(random() * 8)))
        else if (what < 2 / 3) out.push(byte, byte)
      }
    }
    return Uint8Array.from(out)
  }
}

/** How a pair is made. */
export interface PairOptions {
  board: Board
  /** What its moves are written down in: emptied of those that the device makes at its start. */
  moves?: unknown[]
  clock?: OwnedClock
  host?: Partial<LinkHostOptions>
  device?: Partial<LinkDeviceOptions>
  toDevice?: Line
  toHost?: Line
  /** How long bytes take from one side to the other, in milliseconds. */
  delayMs?: number
}

/** A host and a device, joined in memory. Bytes take a moment, and go no further when the device is unplugged. */
export class Pair {
  readonly clock: OwnedClock
  readonly host: LinkHost
  readonly texts: string[] = []
  readonly events: string[] = []
  /** Everything that was written, by side, as it left. */
  readonly sent = { host: [] as Uint8Array[], device: [] as Uint8Array[] }
  device: LinkDevice
  boot = 1
  plugged = true
  toDevice: Line
  toHost: Line
  readonly #options: PairOptions

  constructor(options: PairOptions) {
    this.#options = options
    this.clock = options.clock ?? new OwnedClock()
    this.toDevice = options.toDevice ?? (bytes => bytes)
    this.toHost = options.toHost ?? (bytes => bytes)
    this.host = new LinkHost({
      clock: this.clock,
      random: seeded(7),
      outlet: {
        write: bytes => {
          this.sent.host.push(bytes)
          this.later(() => this.plugged && this.device.receive(this.toDevice(bytes)))
        },
      },
      onText: (bytes, start, end) => void this.texts.push(Buffer.from(bytes.subarray(start, end)).toString('latin1')),
      onReady: (_, restarted) => void this.events.push(restarted ? 'ready again' : 'ready'),
      onLost: why => void this.events.push(`lost: ${why}`),
      ...options.host,
    })
    this.device = this.makeDevice()
  }

  makeDevice(): LinkDevice {
    const boot = this.boot
    const device: LinkDevice = new LinkDevice({
      board: this.#options.board,
      clock: this.clock,
      id: 'A1B2',
      boot,
      outlet: {
        write: bytes => {
          if (this.device !== device && this.device !== undefined) return
          this.sent.device.push(bytes)
          this.later(() => this.plugged && this.host.receive(this.toHost(bytes)))
        },
      },
      ...this.#options.device,
    })
    return device
  }

  /** The device restarts: what it had in memory is gone, also what came for it meanwhile. */
  reset(bootMs = 0): void {
    const before = this.device
    this.boot++
    this.plugged = false
    void before.close()
    const start = () => {
      this.device = this.makeDevice()
      this.plugged = true
      this.device.start()
    }
    if (bootMs > 0) this.clock.setTimeout(start, bootMs)
    else start()
  }

  later(run: () => void): void {
    this.clock.setTimeout(run, this.#options.delayMs ?? 1)
  }

  /** Starts both sides and waits until they know each other. */
  async ready(): Promise<this> {
    this.device.start()
    this.#options.moves?.splice(0)
    this.host.start()
    await this.clock.advance(50)
    return this
  }

  /** Waits for a promise while the clock runs. */
  async during<T>(promise: Promise<T>, stepMs = 10, mostMs = 200_000): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    promise.then(end, end)
    for (let passed = 0; !over; passed += stepMs) {
      if (passed > mostMs) throw new Error('it never ends')
      await this.clock.advance(stepMs)
    }
    return promise
  }
}

/** A board whose moves can be counted. */
export function countingBoard() {
  const moves: { level: number; on: boolean }[] = []
  const state = { level: 0, on: false, temperature: 21.5, moving: undefined as (() => void) | undefined }
  const board = {
    name: 'bench',
    version: '1.2.3',
    title: 'Test bench',
    sensors: {
      temperature: {
        title: 'Temperature',
        unit: 'Cel',
        deadBand: 0.5,
        minIntervalMs: 100,
        read: () => state.temperature,
      },
      level: { type: 'integer', read: () => state.level },
      slow: { read: () => new Promise<number>(() => {}), timeoutMs: 500 },
      broken: {
        read: () => {
          throw new Error('ds18b20 does not answer: check the wiring')
        },
      },
      greeting: { type: 'string', read: () => 'grüß Gott' },
      picture: { type: 'data', read: () => Uint8Array.from({ length: 300 }, (_, at) => at & 0xff) },
      album: { type: 'data', read: () => new Uint8Array(2000) },
    },
    actuators: {
      fan: actuator({
        title: 'Fan',
        inputSchema: {
          type: 'object',
          properties: {
            level: { type: 'integer', minimum: 0, maximum: 100_000_000 },
            on: { type: 'boolean' },
          },
          required: ['level', 'on'],
        },
        safe: { level: 0, on: false },
        set(args) {
          moves.push(args)
          Object.assign(state, args)
          return undefined
        },
      }),
      door: actuator({
        inputSchema: { type: 'object', properties: { seconds: { type: 'number', minimum: 0, maximum: 60 } } },
        safe: {},
        timeoutMs: 20_000,
        async set({ seconds }, call) {
          if (seconds === undefined) {
            state.moving?.()
            return 'safe'
          }
          moves.push({ level: seconds, on: true })
          await new Promise<void>((resolve, reject) => {
            state.moving = resolve
            call.signal.addEventListener('abort', () => reject(call.signal.reason))
            call.progress(1, 2, 'half')
          })
          return { arrived: true }
        },
      }),
      mode: actuator({
        inputSchema: {
          type: 'object',
          properties: { mode: { type: 'string', enum: ['day', 'night'] }, note: { type: 'string', maxLength: 5 } },
          required: ['mode'],
        },
        reversible: true,
        absolute: true,
        safe: null,
        set: ({ mode }) => mode,
      }),
      shape: actuator({
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'array', items: { type: 'number' } } },
          minProperties: 1,
        },
        outputSchema: { type: 'object' },
        safe: null,
        set: args => ({ got: args }),
      }),
    },
  } satisfies Board
  return { board: board as Board, moves, state }
}
