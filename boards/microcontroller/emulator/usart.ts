import type { CPU } from 'avr8js'

type Interrupt = Parameters<CPU['setInterruptFlag']>[0]

// ATmega328P datasheet (DS40002061), chapter 19, and its register summary.
const UCSRA = 0xc0
const UCSRB = 0xc1
const UCSRC = 0xc2
const UBRRL = 0xc4
const UBRRH = 0xc5
const UDR = 0xc6

const RXC = 0x80
const TXC = 0x40
const UDRE = 0x20
const DOR = 0x08
const U2X = 0x02
const MPCM = 0x01

const RXCIE = 0x80
const TXCIE = 0x40
const UDRIE = 0x20
const RXEN = 0x10
const TXEN = 0x08
const UCSZ2 = 0x04

const UPM1 = 0x20
const USBS = 0x08

const fifoBytes = 2

/** The wire that leads to a chip's receiver. It outlives resets of the chip, as a cable does. */
export interface SerialWire {
  /** Bytes that are on their way, in order. */
  readonly coming: number[]
  /** What came to a receiver that was off, or had no room. */
  lost: number
  /** A byte arrived whole. Called in the cycle of its stop bit. */
  onArrived?: ((byte: number) => void) | undefined
  /** The chip begins to send a byte. Called in the cycle of its start bit. */
  onBegun?: ((byte: number) => void) | undefined
  /** The chip has sent a byte. Called in the cycle of its stop bit. */
  onSent?: ((byte: number) => void) | undefined
}

/**
 * USART0 in asynchronous mode, to the cycle of each byte. It stands in the place of avr8js's own, which has neither the
 * second transmit register nor the receive FIFO, knows no overrun, and forgets a byte that waits when UCSR0B is written,
 * as every sketch does that sends by interrupt.
 */
export class Usart {
  readonly #cpu: CPU
  readonly #wire: SerialWire
  readonly #hz: number
  readonly #received: { byte: number; overrun: boolean }[] = []
  #arriving = false
  #sending: number | undefined
  #waiting: number | undefined

  /** @param hz the chip's clock */
  constructor(cpu: CPU, wire: SerialWire, hz: number) {
    this.#cpu = cpu
    this.#wire = wire
    this.#hz = hz
    cpu.data[UCSRA] = UDRE
    cpu.data[UCSRC] = 0x06
    cpu.writeHooks[UCSRA] = value => {
      cpu.data[UCSRA] = (cpu.data[UCSRA]! & ~(U2X | MPCM)) | (value & (U2X | MPCM))
      if (value & TXC) cpu.clearInterrupt(sent)
      return true
    }
    cpu.writeHooks[UCSRB] = value => {
      if (!(value & RXEN)) this.#flush()
      cpu.data[UCSRB] = value
      for (const interrupt of [received, empty, sent]) cpu.updateInterruptEnable(interrupt, value)
      return true
    }
    cpu.readHooks[UDR] = () => this.#read()
    cpu.writeHooks[UDR] = value => {
      if (cpu.data[UCSRB]! & TXEN) this.#write(value)
      return true
    }
    this.wake()
  }

  /** Has the next byte on the wire begin, if none is arriving: to be called when there are new ones. */
  wake(): void {
    if (this.#arriving || this.#wire.coming.length === 0) return
    this.#arriving = true
    this.#cpu.addClockEvent(this.#arrived, this.#cyclesPerByte)
  }

  readonly #arrived = () => {
    this.#arriving = false
    const byte = this.#wire.coming.shift()!
    const { data } = this.#cpu
    if (!(data[UCSRB]! & RXEN)) this.#wire.lost++
    else if (this.#received.length > fifoBytes) {
      // The third byte waits in the shift register, where the next one takes its place.
      this.#wire.lost++
      this.#received[fifoBytes] = { byte, overrun: true }
    } else this.#received.push({ byte, overrun: false })
    this.#showReceived()
    this.#wire.onArrived?.(byte)
    this.wake()
  }

  #read(): number {
    const taken = this.#received.shift()
    this.#showReceived()
    return taken?.byte ?? 0
  }

  #flush(): void {
    this.#received.length = 0
    this.#showReceived()
  }

  #showReceived(): void {
    const { data } = this.#cpu
    const [first] = this.#received
    data[UCSRA] = first?.overrun ? data[UCSRA]! | DOR : data[UCSRA]! & ~DOR
    if (first === undefined) this.#cpu.clearInterrupt(received)
    else this.#cpu.setInterruptFlag(received)
  }

  #write(byte: number): void {
    if (this.#sending === undefined) this.#begin(byte)
    else {
      this.#waiting = byte
      this.#cpu.clearInterrupt(empty)
    }
  }

  #begin(byte: number): void {
    this.#sending = byte
    this.#cpu.setInterruptFlag(empty)
    this.#cpu.addClockEvent(this.#sent, this.#cyclesPerByte)
    this.#wire.onBegun?.(byte)
  }

  readonly #sent = () => {
    const byte = this.#sending!
    this.#sending = undefined
    const next = this.#waiting
    this.#waiting = undefined
    this.#wire.onSent?.(byte)
    if (next === undefined) this.#cpu.setInterruptFlag(sent)
    else this.#begin(next)
  }

  /** Table 19-1. While nothing is set up, time passes as at 115200 baud, for bytes that nobody hears. */
  get #cyclesPerByte(): number {
    const { data } = this.#cpu
    if (!(data[UCSRB]! & (RXEN | TXEN))) return Math.round((this.#hz * 10) / 115_200)
    const size = ((data[UCSRC]! & 0x06) >> 1) | (data[UCSRB]! & UCSZ2)
    const dataBits = size === 7 ? 9 : 5 + size
    const bits = 1 + dataBits + (data[UCSRC]! & UPM1 ? 1 : 0) + (data[UCSRC]! & USBS ? 2 : 1)
    const divisor = ((data[UBRRH]! & 0x0f) << 8) | data[UBRRL]!
    return (divisor + 1) * (data[UCSRA]! & U2X ? 8 : 16) * bits
  }
}

const received: Interrupt = {
  address: 0x24,
  flagRegister: UCSRA,
  flagMask: RXC,
  enableRegister: UCSRB,
  enableMask: RXCIE,
  constant: true,
}
const empty: Interrupt = {
  address: 0x26,
  flagRegister: UCSRA,
  flagMask: UDRE,
  enableRegister: UCSRB,
  enableMask: UDRIE,
  constant: true,
}
const sent: Interrupt = {
  address: 0x28,
  flagRegister: UCSRA,
  flagMask: TXC,
  enableRegister: UCSRB,
  enableMask: TXCIE,
}
