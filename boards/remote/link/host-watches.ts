import type { LinkValue } from './value.ts'

/** How a sensor is watched: what is left out is as the device's description says. */
export interface HostWatchOptions {
  /** Smaller changes are not told. */
  deadBand?: number
  /** Changes are told at most this often, in milliseconds. */
  minIntervalMs?: number
}

/** A reading, and how old it was when the device sent it. */
export interface LinkReading {
  value: LinkValue
  ageMs: number
}

/** Takes each new reading of a watched sensor. A value of `null` says that the sensor gives none at the moment. */
export type ReadingReceiver = (reading: LinkReading) => void

interface HostWatch extends HostWatchOptions {
  receivers: Set<ReadingReceiver>
  last: LinkValue | undefined
}

/** What the host's watches ask of the link. */
export interface HostWatchesOptions {
  /** Asks the device to watch; resolves with the value that stands now. */
  watch(sensor: number, options: HostWatchOptions): Promise<LinkReading>
  unwatch(sensor: number): Promise<unknown>
  read(sensor: number): Promise<LinkReading>
}

/** The watches of the host. They outlive sessions: a device that comes back is asked to watch again. */
export class HostWatches {
  readonly #options: HostWatchesOptions
  readonly #watches = new Map<number, HostWatch>()
  #updates = 0
  #asking = 0

  constructor(options: HostWatchesOptions) {
    this.#options = options
  }

  /** Watches until the function that it returns is called. The first to watch a sensor says how. */
  add(sensor: number, receiver: ReadingReceiver, options: HostWatchOptions): () => void {
    const known = this.#watches.get(sensor)
    const watch = known ?? { ...options, receivers: new Set(), last: undefined }
    const own: ReadingReceiver = reading => receiver(reading)
    watch.receivers.add(own)
    this.#watches.set(sensor, watch)
    if (known === undefined) this.#begin(sensor, watch)
    return () => {
      if (!watch.receivers.delete(own) || watch.receivers.size > 0 || this.#watches.get(sensor) !== watch) return
      this.#watches.delete(sensor)
      this.#options.unwatch(sensor).catch(() => {})
    }
  }

  /** A new session: the device knows of no watch. */
  renew(): void {
    this.#updates = 0
    for (const [sensor, watch] of this.#watches) this.#begin(sensor, watch)
  }

  /** Other firmware: the numbers mean other sensors, and nobody is told of those. */
  clear(): void {
    this.#watches.clear()
  }

  /** The device told of a change. */
  update(sensor: number, reading: LinkReading): void {
    this.#updates = (this.#updates + 1) & 0xff
    const watch = this.#watches.get(sensor)
    if (watch !== undefined) tell(watch, reading)
  }

  /** The device says how many updates it sent: when some got lost, what is watched is read. */
  compare(updates: number): void {
    if (updates === this.#updates || this.#asking > 0) return
    this.#updates = updates
    for (const [sensor, watch] of this.#watches) this.#settle(watch, this.#options.read(sensor))
  }

  #begin(sensor: number, { receivers: _, last: __, ...options }: HostWatch): void {
    this.#settle(this.#watches.get(sensor)!, this.#options.watch(sensor, options))
  }

  #settle(watch: HostWatch, reading: Promise<LinkReading>): void {
    this.#asking++
    reading
      .then(
        taken => tell(watch, taken),
        () => {},
      )
      .finally(() => this.#asking--)
  }
}

function tell(watch: HostWatch, reading: LinkReading): void {
  if (watch.last === reading.value) return
  watch.last = reading.value
  for (const receiver of watch.receivers) receiver(reading)
}
