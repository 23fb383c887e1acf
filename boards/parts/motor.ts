import { actuator } from '../../runtime/board.ts'
import type { Digital, PWM } from '../io.ts'
import type { ActuatorPart, ActuatorSettings } from './part.ts'
import { type WaitOptions, wait } from './wait.ts'

/** What a motor driver of two direction inputs and one for the speed is wired to: TB6612FNG, L298N. */
export interface MotorOptions extends ActuatorSettings, WaitOptions {
  /** The input that is high to turn one way: IN1. */
  forward: Digital
  /** The input that is high to turn the other way: IN2. */
  backward: Digital
  /** The input for the speed: PWM, or EN. */
  speed: PWM
  /** How long it rests before it turns the other way, in milliseconds; 200 when left out. */
  restMs?: number
}

/** A motor behind a driver. The two direction inputs are never both on. Standing still is its safe state. */
export function motor(options: MotorOptions): ActuatorPart<'motor'> {
  const { forward, backward, speed, restMs = 200, clock, ...settings } = options
  let direction = 0

  function stop(): void {
    // Each is tried, whatever became of the others.
    const failures = [() => speed.write(0), () => forward.write(false), () => backward.write(false)].flatMap(attempt)
    direction = 0
    if (failures.length > 0) throw failures[0]
  }

  async function turn(percent: number, signal: AbortSignal): Promise<void> {
    const wanted = Math.sign(percent)
    const turned = direction
    if (wanted === 0 || wanted !== turned) stop()
    if (wanted === 0) return
    if (wanted === -turned) await wait(restMs, options, signal)
    signal.throwIfAborted()
    try {
      const input = wanted > 0 ? forward : backward
      input.write(true)
      direction = wanted
      speed.write(Math.abs(percent) / 100)
    } catch (thrown) {
      stop()
      throw thrown
    }
  }

  return {
    actuators: {
      motor: actuator({
        title: 'Motor',
        description: 'Turns the motor: 100 is full speed forward, -100 full speed backward, 0 stops it.',
        inputSchema: {
          type: 'object',
          properties: { percent: { type: 'number', minimum: -100, maximum: 100 } },
          required: ['percent'],
          additionalProperties: false,
        },
        absolute: true,
        safe: { percent: 0 },
        ...settings,
        set: ({ percent }, call) => turn(percent, call.signal),
      }),
    },
    open: stop,
    close: () => {
      try {
        stop()
      } finally {
        for (const io of [speed, forward, backward]) io.close()
      }
    },
  }
}

function attempt(work: () => void): unknown[] {
  try {
    work()
    return []
  } catch (thrown) {
    return [thrown]
  }
}
