import { actuator } from '../../runtime/board.ts'
import type { Digital } from '../io.ts'
import type { ActuatorPart, ActuatorSettings } from './part.ts'

/** What a relay is wired to. */
export interface RelayOptions extends ActuatorSettings {
  /** The output that switches it. That of a module which switches on low is made `activeLow`. */
  digital: Digital
}

/** A relay, or anything else that is on or off. Off is its safe state. */
export function relay({ digital, ...settings }: RelayOptions): ActuatorPart<'relay'> {
  return {
    actuators: {
      relay: actuator({
        title: 'Relay',
        description: 'Switches what is wired to the relay on or off.',
        inputSchema: {
          type: 'object',
          properties: { on: { type: 'boolean' } },
          required: ['on'],
          additionalProperties: false,
        },
        absolute: true,
        safe: { on: false },
        ...settings,
        set: ({ on }) => digital.write(on),
      }),
    },
    open: () => digital.write(false),
    close: () => {
      try {
        digital.write(false)
      } finally {
        digital.close()
      }
    },
  }
}
