/** Where the link writes: a serial port, a TCP socket, the other end of a pair in memory. */
export interface ByteOutlet {
  /**
   * Takes a whole frame, its newline included. The bytes are never changed afterwards, so they may be kept until they
   * are sent. May throw when the line is gone: to the link that is a frame that got lost.
   */
  write(bytes: Uint8Array): void
}
