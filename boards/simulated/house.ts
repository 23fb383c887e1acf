import type { Clock } from '../../runtime/clock.ts'
import { allOff, type GreenhouseState, morning, step, type Weather, weatherAt } from './climate.ts'
import { World } from './world.ts'

/** What a {@link House} is made of. */
export interface HouseOptions {
  clock: Clock
  /** Chooses its weather. */
  seed: number
  /** Simulated seconds to one second of the clock. */
  speed: number
  /** What it is called when it cannot be used. */
  name: string
}

/** A greenhouse that lives by the clock: its state as of now, who watches its pump, and whether it may be used. */
export class House {
  readonly #name: string
  readonly #seed: number
  readonly #world: World<GreenhouseState>
  readonly #pumpWatchers = new Set<(running: boolean) => void>()
  #pumpWasRunning = false
  #closed = false

  constructor({ clock, seed, speed, name }: HouseOptions) {
    this.#name = name
    this.#seed = seed
    this.#world = new World({
      clock,
      speed,
      state: morning(),
      step: (state, dt, time) => step(state, dt, weatherAt(seed, time)),
    })
  }

  /** Simulated seconds since the house was made, up to the last look. */
  get time(): number {
    return this.#world.time
  }

  /** The weather at the last look. */
  get weather(): Weather {
    return weatherAt(this.#seed, this.time)
  }

  /** Brings the house up to now. Who watches the pump hears of it here, since its timer runs out between two looks. */
  look(): GreenhouseState {
    const state = this.#world.now()
    const running = state.pumpLeft > 0
    if (running !== this.#pumpWasRunning) {
      this.#pumpWasRunning = running
      for (const changed of this.#pumpWatchers) changed(running)
    }
    return state
  }

  /** Like `look`, for who wants to move something. Throws when the house is closed. */
  usable(): GreenhouseState {
    if (this.#closed) throw new Error(`${this.#name} is closed: start the program again`)
    return this.look()
  }

  /** Changes the state as of now. */
  change(how: (state: GreenhouseState) => void): void {
    how(this.#world.now())
    this.look()
  }

  /** Calls `changed` whenever the pump starts or stops, until the function that it returned is called. */
  watchPump(changed: (running: boolean) => void): () => void {
    // One function may watch twice; each has to be taken away by itself.
    const watcher = (running: boolean) => changed(running)
    this.#pumpWatchers.add(watcher)
    return () => this.#pumpWatchers.delete(watcher)
  }

  /** Lets it be used, again too. */
  open(): void {
    this.#closed = false
  }

  /** Switches everything off. Afterwards it can be looked at, but not used. */
  close(): void {
    this.change(allOff)
    this.#closed = true
  }
}
