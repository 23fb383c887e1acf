import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { oneWireThermometers } from '../sysfs/one-wire.ts'
import { entriesIn } from './entries.ts'
import type { Hint } from './hint.ts'

/** What is on the 1-Wire buses, beside the thermometers. */
export interface FoundOneWire {
  /** How many buses are on. */
  buses: number
  /** The addresses of chips that are no thermometers. */
  others: string[]
  hints: Hint[]
}

const folder = 'sys/bus/w1/devices'

/** Looks at the 1-Wire buses. Nothing is asked of any chip: the kernel searches them by itself. */
export function foundOneWire({ root = '/' }: SystemOptions): FoundOneWire {
  const entries = entriesIn(root, folder)
  const buses = entries.filter(name => name.startsWith('w1_bus_master')).length
  const thermometers = oneWireThermometers({ root })
  const chips = entries.filter(name => /^[\da-f]{2}-[\da-f]{12}$/.test(name) && !thermometers.includes(name))
  // What a search finds on a line that nothing pulls up: addresses of a family that does not exist.
  const ghosts = chips.filter(name => name.startsWith('00-'))
  const others = chips.filter(name => !ghosts.includes(name))
  const hints: Hint[] = []
  if (ghosts.length > 0) {
    hints.push({
      what: '1-Wire',
      text: `finds ${ghosts[0]}, which no chip is called: nothing pulls the line up`,
      todo: ['a resistor of 4.7 kΩ between data and 3.3 V'],
    })
  } else if (buses > 0 && thermometers.length + others.length === 0) {
    hints.push({
      what: '1-Wire',
      text: 'is on, and no chip answers (a new one takes up to ten seconds)',
      todo: ['check data at GPIO4 (pin 7), 3.3 V, ground, and a resistor of 4.7 kΩ between data and 3.3 V'],
    })
  }
  return { buses, others, hints }
}
