import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Digital } from '../../io.ts'
import { hardwareError } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { claim } from '../kernel/turns.ts'

const leds = 'sys/class/leds'

/** Which LED of the board is meant. */
export interface LedOptions extends SystemOptions {
  /** What the kernel calls it: `ACT`, `PWR`. */
  name: string
}

/**
 * Takes an LED of the board from what lights it otherwise (its trigger), until it is closed.
 *
 * @throws HardwareError when there is none of that name, or this user may not set it
 */
export function led({ name, root = '/' }: LedOptions): Digital {
  const folder = join(root, leds, name)
  const title = `LED ${name}`
  const file = (attribute: string) => join(folder, attribute)
  const used = <Result>(use: () => Result): Result => {
    try {
      return use()
    } catch (thrown) {
      throw hardwareError(title, thrown, {
        ENOENT: `is not there; there is ${names(root)}`,
        EACCES:
          'may be set by root only, unless a udev rule says otherwise: see "Who may use pins and buses" in docs/raspberry-pi.md',
      })
    }
  }
  const release = claim(folder, title)
  let trigger: string
  let brightest: string
  try {
    ;[trigger, brightest] = used(() => {
      const chosen = /\[(.+)\]/.exec(readFileSync(file('trigger'), 'utf8'))?.[1] ?? 'none'
      const most = readFileSync(file('max_brightness'), 'utf8').trim()
      writeFileSync(file('trigger'), 'none')
      return [chosen, most]
    })
  } catch (thrown) {
    release()
    throw thrown
  }
  let closed = false
  return {
    read: () => used(() => Number(readFileSync(file('brightness'), 'utf8')) > 0),
    write: value => used(() => writeFileSync(file('brightness'), value ? brightest : '0')),
    close() {
      if (closed) return
      closed = true
      release()
      used(() => writeFileSync(file('trigger'), trigger))
    },
  }
}

function names(root: string): string {
  try {
    return readdirSync(join(root, leds)).join(', ') || 'none'
  } catch {
    return 'none'
  }
}
