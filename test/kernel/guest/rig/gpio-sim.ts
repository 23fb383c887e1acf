import { existsSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configure, text } from './files.ts'

/** What a simulated controller is like. */
export interface GpioSimOptions {
  label: string
  lines: number
  /** Names of lines by offset. */
  names?: Record<number, string>
  /** Lines that the kernel has given away, by offset: who has them. */
  hogs?: Record<number, string>
}

let made = 0

/** A controller of the kernel's gpio-sim, and the world at its pins. */
export class GpioSim {
  /** Its folder in `/dev`: `gpiochip0`. */
  readonly name: string
  readonly #config = `/sys/kernel/config/gpio-sim/sim${made++}`
  readonly #device: string
  #live = true

  constructor({ label, lines, names = {}, hogs = {} }: GpioSimOptions) {
    configure(this.#config)
    configure(`${this.#config}/bank`, { num_lines: lines, label })
    for (const [offset, name] of Object.entries(names)) configure(`${this.#config}/bank/line${offset}`, { name })
    for (const [offset, name] of Object.entries(hogs)) {
      configure(`${this.#config}/bank/line${offset}`)
      configure(`${this.#config}/bank/line${offset}/hog`, { name, direction: 'input' })
    }
    writeFileSync(`${this.#config}/live`, '1')
    this.name = text(`${this.#config}/bank/chip_name`)
    this.#device = `/sys/devices/platform/${text(`${this.#config}/dev_name`)}/${this.name}`
  }

  /** The voltage at a pin: true is high. */
  level(offset: number): boolean {
    return text(`${this.#device}/sim_gpio${offset}/value`) === '1'
  }

  /** The world pulls a pin up or down. */
  pull(offset: number, up: boolean): void {
    writeFileSync(`${this.#device}/sim_gpio${offset}/pull`, up ? 'pull-up' : 'pull-down')
  }

  /** The controller goes away, whoever holds its lines. */
  unplug(): void {
    if (!this.#live) return
    this.#live = false
    writeFileSync(`${this.#config}/live`, '0')
  }

  remove(): void {
    this.unplug()
    for (const folder of foldersIn(this.#config)) rmdirSync(folder)
  }
}

/** A folder of configfs with those in it, the innermost first. */
function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const inner = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
  return [...inner.flatMap(({ name }) => foldersIn(join(folder, name))), folder]
}
