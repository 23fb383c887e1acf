/**
 * The kinds of IO that parts are wired to, by the names of ECMA-419. A part is handed its IO, so it runs unchanged on local
 * pins, behind an expander, or against a model of its chip. What talks to the kernel may wait, so it gives promises.
 */

/** An output or input of one bit. Levels are logical: `active low` is the business of whoever made it. */
export interface Digital {
  read(): boolean
  /** Sets an output. Takes effect before it returns. */
  write(value: boolean): void
  /**
   * Calls `changed` after each edge, until the function returned is called; only where the pin can tell. `timeMs` is of a
   * clock that never goes back.
   */
  watch?(changed: (value: boolean, timeMs: number) => void): () => void
  close(): void
}

/** A pulse-width modulated output. */
export interface PWM {
  /** The share of the period that it is on, 0 to 1. */
  write(duty: number): void
  /** How often a second the period begins. */
  readonly hz: number
  close(): void
}

/** An analogue input. */
export interface Analog {
  /** The voltage in volts. */
  read(): Promise<number>
  close(): void
}

/** A peripheral at one address of an I2C bus. One transfer at a time; others wait for their turn. */
export interface I2C {
  /** 7-bit address. */
  readonly address: number
  /** What messages call this place: `0x76 on i2c-1`. */
  readonly title?: string
  write(bytes: Uint8Array): Promise<void>
  read(byteLength: number): Promise<Uint8Array>
  /** Writes, then reads after a repeated start: how most chips give a register. */
  writeRead(bytes: Uint8Array, byteLength: number): Promise<Uint8Array>
  close(): void
}

/** A peripheral on an SPI bus, selected by its chip-select line. */
export interface SPI {
  /** What messages call this place: `spidev0.0`. */
  readonly title?: string
  /** Sends the bytes and gives what came back meanwhile: as many. */
  transfer(bytes: Uint8Array): Promise<Uint8Array>
  close(): void
}

/** An asynchronous serial line (a UART). What comes is kept, within bounds, until it is read. */
export interface Serial {
  /** What messages call this place: `serial0`. */
  readonly title?: string
  /** Sends bytes, in the order of the calls. Over once the system has them: they may still be on their way. */
  write(bytes: Uint8Array): Promise<void>
  /** Gives the next bytes, as many as asked for. Rejects when they have not come in time. */
  read(byteLength: number, timeoutMs: number): Promise<Uint8Array>
  /** Forgets what has come and was not read. */
  flush(): void
  close(): void
}
