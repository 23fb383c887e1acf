import type { LinkValue } from './link/index.ts'

/** A device as its sensors and actuators see it: by the numbers of one description. */
export interface DeviceAccess {
  /** How it is called in texts: `greenhouse (/dev/ttyACM0)`. */
  readonly name: string
  /** How long a request may wait for the device to come back, in milliseconds. */
  readonly patienceMs: number
  /** How long one answer may take where the description says nothing, in milliseconds. */
  readonly answerMs: number | undefined
  read(sensor: number, options: { signal: AbortSignal; timeMs: number }): Promise<LinkValue>
  call(
    actuator: number,
    args: readonly LinkValue[],
    options: {
      signal: AbortSignal
      timeMs: number
      onProgress(progress: number, total?: number, text?: string): void
    },
  ): Promise<LinkValue>
  /** Calls `changed` with each new value until the function that it returns is called. */
  watch(sensor: number, changed: (value: LinkValue) => void): () => void
  /**
   * A person lets the outputs that need it move, or no longer.
   *
   * @throws Error when the device is away or refuses
   */
  arm(armed: boolean): Promise<void>
  /** Everything to its safe value. */
  stop(): Promise<void>
}
