import { RemoteDevice, type StoredDevice } from '../../boards/remote/index.ts'
import {
  createServer,
  type RecordEntry,
  type RecordOutcome,
  type Server,
  type ServerOptions,
} from '../../runtime/index.ts'
import { seeded } from '../link/pair.ts'
import { modernMeta, TestClient } from '../memory-client.ts'
import { OwnedClock } from '../owned-clock.ts'
import { memoryStore } from '../remote/remote-rig.ts'
import { type Output, PinWitness, safetyChip } from './chip-pins.ts'

/** What comes of one byte on the wire: itself, another one, several, or none. */
export type Wire = (byte: number) => readonly number[]

export const through: Wire = byte => [byte]
export const nothing: Wire = () => []

/** A byte takes 85 µs. */
const partsOfMs = 12

/** What a call came to, as the model hears it. */
export interface Told {
  outcome: RecordOutcome
  text: string
}

/**
 * An MCP client, the bridge, and a chip on its cable: all that runs in the field but the processes, by one clock that
 * nobody waits for. Bytes take the time that they take at 115200 baud, and each of them passes through the test's hands.
 */
export class ChipHands {
  readonly chip: PinWitness['chip']
  readonly pins: PinWitness
  readonly clock = new OwnedClock()
  readonly device: RemoteDevice
  readonly server: Server
  readonly client: TestClient
  readonly told: string[] = []
  readonly record: RecordEntry[] = []
  readonly #store = memoryStore()
  toChip: Wire = through
  toHost: Wire = through
  #sent: number[] = []
  #soon: (() => void)[] = []
  #open = false

  /** Plugs a chip in, and waits until the bridge serves it. */
  static async start(options: ServerOptions = {}): Promise<ChipHands> {
    const hands = new ChipHands(new PinWitness(await safetyChip()), options)
    hands.plug()
    await hands.until(() => hands.server.board.name === 'safety', 5000)
    await hands.settle(hands.server.open())
    return hands
  }

  private constructor(pins: PinWitness, options: ServerOptions) {
    this.pins = pins
    this.chip = pins.chip
    this.device = new RemoteDevice({
      line: { write: data => this.#write(data) },
      label: '/dev/ttyACM0',
      clock: this.clock,
      random: seeded(3),
      store: this.#store,
      storeKey: 'the chip',
      onBoard: board => this.server.replaceBoard(board),
      diagnose: text => void this.told.push(text),
    })
    this.server = createServer(this.device.board, {
      clock: this.clock,
      diagnose: text => void this.told.push(text),
      recorder: {
        record: entry => void this.record.push(entry),
        begin: entry => ({ ready: undefined, end: how => void this.record.push({ ...entry, ...how }) }),
      },
      ...options,
    })
    this.client = new TestClient(this.server)
    this.chip.wire.onSent = byte => this.#sent.push(...this.toHost(byte))
  }

  /** What the bridge would keep on the disk. */
  get stored(): ReadonlyMap<string, StoredDevice> {
    return this.#store.kept
  }

  /** How often the chip says that it was started. */
  get boot(): number | undefined {
    return this.device.hello?.boot
  }

  plug(): void {
    this.toChip = through
    this.toHost = through
    this.#open = true
    this.device.opened()
  }

  /** The cable is pulled, and the computer notices. What is on the wire is lost. */
  unplug(): void {
    this.#open = false
    this.#sent = []
    this.chip.wire.coming.length = 0
    this.device.lost(new Error('/dev/ttyACM0 was unplugged'))
  }

  /** Has something happen between two instructions of the chip, before the next byte is whole. */
  soon(happens: () => void): void {
    this.#soon.push(happens)
  }

  /** Lets so many milliseconds go by, for everything. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed++) {
      for (let part = 0; part < partsOfMs; part++) {
        this.chip.run(0.001 / partsOfMs)
        for (const happens of this.#soon.splice(0)) happens()
      }
      const bytes = Uint8Array.from(this.#sent)
      this.#sent = []
      if (this.#open && bytes.length > 0) this.device.receive(bytes)
      await this.clock.advance(1)
    }
  }

  /** Lets time go by until something is so. Throws when it does not come about. */
  async until(isSo: () => boolean, ms: number): Promise<void> {
    for (let passed = 0; !isSo(); passed++) {
      if (passed > ms) throw new Error(`it did not come about in ${ms} ms: ${isSo}`)
      await this.pass(1)
    }
  }

  /** Lets time go by until a promise has settled, and gives what came of it. */
  async settle<T>(promise: Promise<T>, ms = 30_000): Promise<T> {
    let settled = false
    const mark = () => {
      settled = true
    }
    promise.then(mark, mark)
    await this.until(() => settled, ms)
    return promise
  }

  /** Waits until a host and the chip know each other again. */
  async reunited(): Promise<void> {
    await this.until(() => this.device.kind === 'link' && this.device.hello !== undefined, 15_000)
  }

  /** Calls a tool. */
  async call(output: Output, value: number | boolean): Promise<Told> {
    const args = { [argumentOf[output]]: value }
    const { result } = await this.client.modern('tools/call', { name: output, arguments: args }, modernMeta())
    const { outcome } = this.record.filter(({ event }) => event === 'call').at(-1)!
    return { outcome: outcome!, text: result.content[0].text }
  }

  /** Calls a tool, and lets the time go by that it takes. */
  calls(output: Output, value: number | boolean): Promise<Told> {
    return this.settle(this.call(output, value))
  }

  async read(sensor: 'calls_run' | 'is_armed'): Promise<unknown> {
    const { result } = await this.settle(this.client.modern('resources/read', { uri: `sensor://safety/${sensor}` }))
    const [{ v, vb }] = JSON.parse(result.contents[0].text)
    return v ?? vb
  }

  #write(data: Uint8Array | string): Promise<void> {
    if (!this.#open) return Promise.reject(new Error('the line is gone'))
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.chip.send([...bytes].flatMap(byte => this.toChip(byte)))
    return Promise.resolve()
  }
}

const argumentOf: Record<Output, string> = {
  pump: 'on',
  up: 'on',
  down: 'on',
  fan: 'on',
  servo: 'percent',
  saw: 'on',
  heater: 'level',
  valve: 'turns',
  lift: 'ms',
}
