import { actuator } from '../../runtime/board.ts'
import type { Digital, PWM } from '../io.ts'
import type { ActuatorPart, ActuatorSettings } from './part.ts'
import { type WaitOptions, wait } from './wait.ts'

/** What a buzzer is wired to. */
export interface BuzzerOptions extends ActuatorSettings, WaitOptions {
  /** For one that sounds by itself (active): the output that switches it. For one that does not (passive): its tone. */
  output: Digital | PWM
  /** The longest sound, in seconds; 5 when left out. */
  maximumSeconds?: number
}

/** A buzzer. It sounds while a call runs and is silent afterwards, however the call ended. */
export function buzzer(options: BuzzerOptions): ActuatorPart<'buzzer'> {
  const { output, maximumSeconds = 5, clock, ...settings } = options
  const sound = (on: boolean) => ('hz' in output ? output.write(on ? 0.5 : 0) : output.write(on))

  async function buzz(seconds: number, signal: AbortSignal): Promise<void> {
    sound(false)
    if (seconds === 0) return
    signal.throwIfAborted()
    try {
      sound(true)
      await wait(seconds * 1000, options, signal)
    } finally {
      sound(false)
    }
  }

  return {
    actuators: {
      buzzer: actuator({
        title: 'Buzzer',
        description: 'Sounds for a while, then is silent.',
        inputSchema: {
          type: 'object',
          properties: { seconds: { type: 'number', minimum: 0, maximum: maximumSeconds } },
          required: ['seconds'],
          additionalProperties: false,
        },
        reversible: true,
        momentary: true,
        safe: { seconds: 0 },
        ...settings,
        set: ({ seconds }, call) => buzz(seconds, call.signal),
      }),
    },
    open: () => sound(false),
    close: () => {
      try {
        sound(false)
      } finally {
        output.close()
      }
    },
  }
}
