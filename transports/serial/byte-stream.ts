import type { PortError } from './port-error.ts'

/** Takes what comes out of a byte stream. */
export interface ByteReceiver {
  /** Bytes came. The chunk is the receiver's during the call only: who keeps bytes copies them. */
  bytes(chunk: Uint8Array): void
  /** The stream is over. Called once, and nothing comes after it. `reason` is missing when this side closed it. */
  closed(reason: PortError | undefined): void
}

/** Bytes to and from a device: a serial port, a TCP connection, a Node stream. It is opened once and closed once. */
export interface ByteStream {
  /** What to call it in messages: `/dev/ttyACM0`, `tcp://192.168.1.7:3333`. */
  readonly name: string
  /**
   * Opens it. From then on bytes flow to the receiver, whether it wants to answer or not.
   *
   * @throws PortError when it cannot be opened; `closed` is not called then
   */
  open(receiver: ByteReceiver): Promise<void>
  /**
   * Sends bytes, or a text as UTF-8, after what was given before. The bytes must stay as they are until the promise is
   * settled. It resolves when the platform has taken them, which is the back-pressure, and rejects with a PortError when
   * the stream ended before. Nobody has to look at a rejection.
   */
  write(data: Uint8Array | string): Promise<void>
  /** How many bytes wait to be taken by the platform. */
  readonly pendingBytes: number
  /** Gives no more bytes until `resume`. That the stream ended is told all the same. */
  pause(): void
  resume(): void
  /**
   * Sends what waits, within a bound of time, and closes. The second call waits for the first.
   *
   * @param now what waits is thrown away
   */
  close(now?: 'now'): Promise<void>
}

/** How fast bytes are sent to a device that cannot take them at the speed of the line. */
export interface Pacing {
  /** No more than so many bytes in `ms` milliseconds. */
  bytes: number
  ms: number
}
