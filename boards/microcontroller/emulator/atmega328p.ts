import type { AVRIOPort, CPU } from 'avr8js'
import { type Avr8js, loadAvr8js } from './avr8js.ts'
import { Pin, pinName } from './pin.ts'
import { Sleep } from './sleep.ts'
import { type SerialWire, Usart } from './usart.ts'

/** How a chip is made. */
export interface Atmega328pOptions {
  /** Its program memory, from address 0 on. */
  program: Uint8Array
  /** Its clock; 16 MHz when left out, as on an Arduino Uno. */
  hz?: number
  /** What its EEPROM holds; erased when left out. */
  eeprom?: Uint8Array
  /** Volts of its supply, and so of the ADC's usual reference; 5 when left out. */
  supply?: number
  /** Goes through each count of each timer while the chip sleeps, for a test that compares. */
  stepwiseSleep?: boolean
}

/** Why a chip began anew, as its register MCUSR shows it. */
export type ResetCause = 'power' | 'pin' | 'watchdog'

/** Bytes of an ATmega328P. */
export const flashBytes = 32_768
const sramBytes = 2048
const eepromBytes = 1024
const sramStart = 0x100

const MCUSR = 0x54
const SMCR = 0x53
const sleepEnabled = 0x01
const sleepOpcode = 0x9588
const seiOpcode = 0x9478
const SREG = 0x5f
const interruptsOn = 0x80
const resetFlags: Record<ResetCause, number> = { power: 0x01, pin: 0x02, watchdog: 0x08 }

/**
 * An ATmega328P that runs a program. It has no time of its own: it goes where `run` takes it, cycle by cycle and always
 * the same way. What runs on it is the machine code for the real chip; avr8js executes it.
 *
 * Of the chip there are: the processor, timers 0 to 2, USART0, the ADC, the EEPROM, the watchdog, the pins with their
 * interrupts. Every sleep mode is idle mode. The analogue comparator, SPI, I2C, and writing to the flash are not there.
 */
export class Atmega328p {
  readonly hz: number
  readonly eeprom: Uint8Array
  /** Volts on the channels of the ADC, 0 to 7. */
  readonly volts = new Float64Array(8)
  /** The wire to and from its USART0. */
  readonly wire: SerialWire = { coming: [], lost: 0 }
  /** How often it began anew. */
  resets = 0
  /** Cycles in which it did not sleep. */
  awakeCycles = 0
  readonly #library: Avr8js
  readonly #program: Uint16Array
  readonly #supply: number
  readonly #stepwise: boolean
  readonly #pins = new Map<string, Pin>()
  readonly #outside = new Map<string, boolean>()
  readonly #rounds: Round[] = []
  readonly #sram = new Uint8Array(sramBytes)
  #cpu!: CPU
  #usart!: Usart
  #sleep!: Sleep
  #ports!: Map<string, AVRIOPort>
  #asleep = false
  #resetDue: ResetCause | undefined

  /**
   * Makes a chip and switches it on.
   *
   * @throws EmulatorMissing when the package avr8js is not there
   */
  static async create(options: Atmega328pOptions): Promise<Atmega328p> {
    return new Atmega328p(options, await loadAvr8js())
  }

  private constructor(
    { program, hz = 16e6, eeprom, supply = 5, stepwiseSleep = false }: Atmega328pOptions,
    library: Avr8js,
  ) {
    this.hz = hz
    this.#library = library
    this.#supply = supply
    this.#stepwise = stepwiseSleep
    const flash = new Uint8Array(flashBytes).fill(0xff)
    flash.set(program)
    this.#program = new Uint16Array(flash.buffer)
    this.eeprom = new Uint8Array(eepromBytes).fill(0xff)
    if (eeprom !== undefined) this.eeprom.set(eeprom.subarray(0, eepromBytes))
    for (const [port, count] of [
      ['B', 8],
      ['C', 7],
      ['D', 8],
    ] as const) {
      for (let bit = 0; bit < count; bit++) {
        const name = `P${port}${bit}`
        this.#pins.set(
          name,
          new Pin(
            name,
            () => this.cycles,
            high => this.#setOutside(name, high),
          ),
        )
      }
    }
    this.#begin('power', 0)
  }

  /** Cycles since it was made. Resets do not begin them anew. */
  get cycles(): number {
    return this.#cpu.cycles
  }

  /** Seconds of its own time since it was made. */
  get seconds(): number {
    return this.cycles / this.hz
  }

  /** A pin by its name: `PB5`, or `D13` as on an Arduino Uno. */
  pin(name: string): Pin {
    const pin = this.#pins.get(pinName(name))
    if (pin === undefined)
      throw new Error(`an ATmega328P has no pin ${name}: it has PB0 to PB7, PC0 to PC6, PD0 to PD7`)
    return pin
  }

  /** Every pin, in the order of the datasheet. */
  get pins(): readonly Pin[] {
    return [...this.#pins.values()]
  }

  /** Puts bytes on the wire to its receiver, each of which takes its time. */
  send(bytes: Iterable<number>): void {
    for (const byte of bytes) this.wire.coming.push(byte)
    this.#usart.wake()
  }

  /** Calls `callback` every so many seconds of its time, between two instructions. */
  every(seconds: number, callback: () => void): void {
    const cycles = Math.max(1, Math.round(seconds * this.hz))
    this.#rounds.push({ cycles, due: this.cycles + cycles, callback })
  }

  /** Has it begin anew, at once and in the middle of anything. The memory keeps what it holds, as on the real one. */
  reset(cause: ResetCause = 'pin'): void {
    this.#sram.set(this.#cpu.data.subarray(sramStart))
    this.#begin(cause, this.cycles)
    this.resets++
  }

  /** Lets so many seconds of its time go by. */
  run(seconds: number): void {
    this.runUntil(this.cycles + Math.round(seconds * this.hz))
  }

  /** Lets its time go by until a cycle, or one or two more where an instruction is not over by then. */
  runUntil(cycle: number): void {
    while (this.cycles < cycle) {
      const next = this.#rounds.reduce((least, { due }) => Math.min(least, due), cycle)
      this.#execute(next)
      for (const round of this.#rounds) {
        if (round.due > this.cycles) continue
        round.due += round.cycles
        round.callback()
      }
    }
  }

  /** How many bytes of its memory nothing ever wrote to since the power came: what lies between variables and stack. */
  get untouchedBytes(): number {
    let longest = 0
    let run = 0
    for (let index = 0; index < sramBytes; index++) {
      run = this.#cpu.data[sramStart + index] === freshByte(index) ? run + 1 : 0
      longest = Math.max(longest, run)
    }
    return longest
  }

  #execute(until: number): void {
    const { avrInstruction } = this.#library
    const cpu = this.#cpu
    const { progMem, data } = cpu
    while (cpu.cycles < until && this.#resetDue === undefined) {
      if (this.#asleep) {
        this.#doze(until)
        continue
      }
      const from = cpu.cycles
      const opcode = progMem[cpu.pc]!
      if (opcode === sleepOpcode && data[SMCR]! & sleepEnabled) this.#asleep = true
      avrInstruction(cpu)
      this.awakeCycles += cpu.cycles - from
      // The instruction behind SEI comes before any interrupt (section 7.7), so that none slips in between SEI and SLEEP.
      if (opcode !== seiOpcode && !this.#asleep) cpu.tick()
    }
    if (this.#resetDue !== undefined) this.reset(this.#resetDue)
  }

  /** Lets a sleeping chip get to the next thing that happens. An interrupt wakes it. */
  #doze(until: number): void {
    const cpu = this.#cpu
    const listening = (cpu.data[SREG]! & interruptsOn) !== 0
    if (!listening || cpu.nextInterrupt < 0) cpu.cycles = Math.max(cpu.cycles, this.#sleep.quietUntil(until))
    cpu.tick()
    if (listening && (cpu.data[SREG]! & interruptsOn) === 0) this.#asleep = false
  }

  #begin(cause: ResetCause, cycles: number): void {
    const library = this.#library
    const cpu = new library.CPU(this.#program, sramBytes)
    cpu.cycles = cycles
    cpu.data.set(cause === 'power' ? this.#sram.map((_, index) => freshByte(index)) : this.#sram, sramStart)
    cpu.data[MCUSR] = resetFlags[cause]
    // The watchdog calls this in the middle of an instruction.
    cpu.reset = () => {
      this.#resetDue = 'watchdog'
    }
    this.#cpu = cpu
    this.#asleep = false
    this.#resetDue = undefined
    for (const pin of this.#pins.values()) pin.drivenBy(false, cycles)
    this.#ports = new Map([
      ['B', this.#port('B', library.portBConfig)],
      ['C', this.#port('C', library.portCConfig)],
      ['D', this.#port('D', library.portDConfig)],
    ])
    const timers = [library.timer0Config, library.timer1Config, library.timer2Config].map(
      config => new library.AVRTimer(cpu, config),
    )
    this.#sleep = new Sleep(cpu, timers, this.#stepwise)
    const adc = new library.AVRADC(cpu, library.adcConfig)
    adc.avcc = this.#supply
    adc.aref = this.#supply
    adc.onADCRead = input => {
      const volts = input.type === library.ADCMuxInputType.SingleEnded ? this.volts[input.channel]! : 0
      const steps = Math.floor((volts / adc.referenceVoltage) * 1024)
      cpu.addClockEvent(() => adc.completeADCRead(Math.min(1023, Math.max(0, steps))), adc.sampleCycles)
    }
    new library.AVREEPROM(cpu, {
      readMemory: address => this.eeprom[address % eepromBytes]!,
      writeMemory: (address, value) => {
        this.eeprom[address % eepromBytes]! &= value
      },
      eraseMemory: address => {
        this.eeprom[address % eepromBytes] = 0xff
      },
    })
    new library.AVRWatchdog(cpu, library.watchdogConfig, new library.AVRClock(cpu, this.hz))
    this.#usart = new Usart(cpu, this.wire, this.hz)
  }

  #port(letter: string, config: ConstructorParameters<Avr8js['AVRIOPort']>[1]): AVRIOPort {
    const cpu = this.#cpu
    const port = new this.#library.AVRIOPort(cpu, config)
    const pins = [0, 1, 2, 3, 4, 5, 6, 7].map(bit => this.#pins.get(`P${letter}${bit}`))
    let before = 0
    port.addListener(value => {
      const driven = value & cpu.data[config.DDR]!
      const changed = driven ^ before
      before = driven
      for (let bit = 0; changed >> bit !== 0; bit++) {
        if (changed & (1 << bit)) pins[bit]?.drivenBy((driven & (1 << bit)) !== 0, cpu.cycles)
      }
    })
    for (const [bit, pin] of pins.entries()) {
      if (pin !== undefined && this.#outside.has(pin.name)) port.setPin(bit, this.#outside.get(pin.name)!)
    }
    return port
  }

  #setOutside(name: string, high: boolean): void {
    this.#outside.set(name, high)
    this.#ports.get(name[1]!)!.setPin(Number(name[2]), high)
  }
}

interface Round {
  cycles: number
  due: number
  callback: () => void
}

/** What a memory holds when the power comes: something that no program is likely to write there. */
function freshByte(index: number): number {
  return (index * 167 + 91) & 0xff
}
