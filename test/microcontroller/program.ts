import { assemble } from 'avr8js/dist/cjs/utils/assembler.js'
import { Atmega328p, type Atmega328pOptions } from '../../boards/microcontroller/emulator/index.ts'

/** A chip that runs a program in assembly language. */
export function chipWith(source: string, options: Omit<Atmega328pOptions, 'program'> = {}): Promise<Atmega328p> {
  const { bytes, errors } = assemble(source)
  if (errors.length > 0) throw new Error(errors.join('\n'))
  return Atmega328p.create({ program: bytes, ...options })
}

/** Instructions that write registers in this order: address in the data space, value. */
export function poke(...registers: [address: number, value: number][]): string {
  return registers.map(([address, value]) => `LDI r16, ${value}\nSTS ${address}, r16`).join('\n')
}

/** USART0 at 115200 baud, receiver and transmitter on: 10 bits of 136 cycles make a byte. */
export const serialOn = poke([196, 16], [192, 0x02], [194, 0x06], [193, 0x18])
export const cyclesPerByte = 17 * 8 * 10

/** Gives back every byte that comes. */
export const echo = `
${serialOn}
loop:
LDS r17, 0xc0
SBRS r17, 7
RJMP loop
LDS r18, 0xc6
STS 0xc6, r18
RJMP loop`

/** Sleeps from then on, which costs the test nothing. */
export const halt = 'LDI r16, 1\nOUT 0x33, r16\nSLEEP\nhalt: RJMP halt'
