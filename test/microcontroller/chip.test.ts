import { describe, expect, it } from 'vitest'
import { chipWith, cyclesPerByte, echo, halt, poke, serialOn } from './program.ts'

const bytes = (text: string) => [...Buffer.from(text)]

describe('the pins of an emulated chip', () => {
  const blink = `LDI r16, 0x20\nOUT 0x04, r16\nLDI r17, 0\nloop: OUT 0x05, r16\nNOP\nNOP\nOUT 0x05, r17\nRJMP loop`

  it('are seen as they change, cycle by cycle', async () => {
    const chip = await chipWith(blink)
    const seen: [boolean, number][] = []
    chip.pin('PB5').onChange((high, cycle) => seen.push([high, cycle]))
    chip.runUntil(20)
    // RJMP takes two cycles, the others one.
    expect(seen.slice(0, 4)).toEqual([
      [true, 3],
      [false, 6],
      [true, 9],
      [false, 12],
    ])
    expect(chip.pin('PB5').pulse.cycles).toBe(3)
  })

  it('have the names of an Arduino Uno too', async () => {
    const chip = await chipWith(halt)
    const names = ['D0', 'D7', 'D8', 'D13', 'A0', 'A5', 'D14', 'PB7']
    expect(names.map(name => chip.pin(name).name)).toEqual(['PD0', 'PD7', 'PB0', 'PB5', 'PC0', 'PC5', 'PC0', 'PB7'])
    expect(() => chip.pin('D20')).toThrow('no pin D20')
  })

  it('tell how much of the time they are high', async () => {
    const chip = await chipWith(blink)
    chip.runUntil(8002)
    expect(chip.pin('D13').duty()).toBeCloseTo(0.5, 2)
    chip.runUntil(16_002)
    expect(chip.pin('D13').duty()).toBeCloseTo(0.5, 2)
  })

  it('are driven by the timers: a servo pulse of 1.5 ms every 20 ms', async () => {
    // Timer 1: fast PWM up to ICR1 (mode 14), divided by 64, output on OC1A.
    const chip = await chipWith(
      `SBI 0x04, 1\n${poke([135, 4999 >> 8], [134, 4999 & 0xff], [137, 374 >> 8], [136, 374 & 0xff], [128, 0x82], [129, 0x1b])}\n${halt}`,
    )
    chip.run(0.11)
    expect(chip.pin('D9').pulse.cycles / chip.hz).toBeCloseTo(0.0015, 5)
    expect(chip.pin('D9').rises).toBe(5)
  })

  it('read what is put on them from outside', async () => {
    const chip = await chipWith('SBI 0x04, 5\nloop: SBIC 0x09, 2\nSBI 0x05, 5\nRJMP loop')
    chip.run(0.001)
    expect(chip.pin('D13').high).toBe(false)
    chip.pin('D2').set(true)
    chip.run(0.001)
    expect(chip.pin('D13').high).toBe(true)
  })
})

describe('the serial line of an emulated chip', () => {
  it('takes the time that bytes take, both ways', async () => {
    const chip = await chipWith(echo)
    const arrived: number[] = []
    const sent: number[] = []
    chip.wire.onArrived = () => arrived.push(chip.cycles)
    chip.wire.onSent = () => sent.push(chip.cycles)
    chip.run(0.001)
    const from = chip.cycles
    chip.send(bytes('abc'))
    chip.run(0.01)
    // An event is seen between two instructions, of at most three cycles here.
    for (const [index, at] of arrived.entries()) expect(at - from - (index + 1) * cyclesPerByte).toBeLessThanOrEqual(12)
    expect(arrived).toHaveLength(3)
    expect(sent).toHaveLength(3)
    expect(sent[0]! - arrived[0]!).toBeGreaterThanOrEqual(cyclesPerByte)
    expect(sent[2]! - sent[1]!).toBeGreaterThanOrEqual(cyclesPerByte - 12)
  })

  it('loses what a program is too slow for, as the real one does: the third byte that nobody fetched', async () => {
    // Waits for as long as five bytes take, then reads two of them and shows the overrun.
    const wait = 'LDI r20, 30\nouter: LDI r19, 0\ninner: DEC r19\nBRNE inner\nDEC r20\nBRNE outer'
    const read = 'LDS r21, 0xc0\nLDS r18, 0xc6\nSTS 0xc6, r18\nSTS 0x100, r21'
    const chip = await chipWith(`${serialOn}\n${wait}\n${read}\n${halt}`)
    chip.run(0.00002)
    chip.send(bytes('abcde'))
    chip.run(0.01)
    expect(chip.wire.lost).toBe(2)
  })

  it('loses what comes before the receiver is on', async () => {
    const chip = await chipWith(halt)
    chip.send(bytes('abc'))
    chip.run(0.01)
    expect(chip.wire.lost).toBe(3)
    expect(chip.wire.coming).toEqual([])
  })

  it('gives two bytes in a row without a gap', async () => {
    const chip = await chipWith(`${serialOn}\n${poke([198, 65])}\n${poke([198, 66])}\n${halt}`)
    const sent: [number, number][] = []
    chip.wire.onSent = byte => sent.push([byte, chip.cycles])
    chip.run(0.01)
    expect(sent.map(([byte]) => byte)).toEqual([65, 66])
    expect(sent[1]![1] - sent[0]![1] - cyclesPerByte).toBeLessThanOrEqual(3)
  })
})

describe('an emulated chip', () => {
  it('measures the volts on its channels', async () => {
    const start = poke([124, 0x42], [122, 0xc7])
    const wait = 'loop: LDS r17, 0x7a\nSBRC r17, 6\nRJMP loop'
    const chip = await chipWith(
      `${serialOn}\n${start}\n${wait}\nLDS r18, 0x78\nSTS 0xc6, r18\nLDS r18, 0x79\nSTS 0xc6, r18\n${halt}`,
    )
    chip.volts[2] = 2.5
    const sent: number[] = []
    chip.wire.onSent = byte => sent.push(byte)
    chip.run(0.01)
    expect(sent[0]! + sent[1]! * 256).toBe(512)
  })

  const countStarts = `
    SBI 0x1f, 0
    IN r17, 0x20
    INC r17
    OUT 0x20, r17
    LDI r18, 4
    SBI 0x1f, 2
    SBI 0x1f, 1
    ${halt}`

  it('keeps its EEPROM, and what its memory holds, over a reset', async () => {
    const chip = await chipWith(`${poke([512, 7])}\n${countStarts}`)
    chip.run(0.01)
    const untouched = chip.untouchedBytes
    expect(chip.eeprom[0]).toBe(0)
    chip.reset()
    chip.run(0.01)
    chip.reset()
    chip.run(0.01)
    expect(chip.eeprom[0]).toBe(2)
    expect(chip.resets).toBe(2)
    expect(chip.untouchedBytes).toBe(untouched)
    expect(chip.seconds).toBeCloseTo(0.03, 5)
  })

  it('lets go of its pins when it is reset', async () => {
    const chip = await chipWith('SBIC 0x09, 2\nhalt: RJMP halt\nSBI 0x04, 5\nSBI 0x05, 5\nRJMP halt')
    chip.run(0.001)
    expect(chip.pin('D13').high).toBe(true)
    chip.pin('D2').set(true)
    chip.reset()
    chip.run(0.001)
    expect(chip.pin('D13')).toMatchObject({ high: false, falls: 1 })
  })

  it('is reset by its watchdog, and shows it', async () => {
    // WDCE and WDE, then WDE alone: 16 ms. The flag of the cause goes to port B.
    const chip = await chipWith(
      `LDI r16, 0xff\nOUT 0x04, r16\nIN r17, 0x34\nOUT 0x05, r17\n${poke([96, 0x18])}\nLDI r16, 0x08\nSTS 96, r16\n${halt}`,
    )
    chip.run(0.01)
    expect([chip.resets, chip.pin('PB0').high, chip.pin('PB3').high]).toEqual([0, true, false])
    chip.run(0.01)
    expect([chip.resets, chip.pin('PB0').high, chip.pin('PB3').high]).toEqual([1, false, true])
  })

  it('shows how much of its memory was never written to', async () => {
    const idle = await chipWith(halt)
    expect(idle.untouchedBytes).toBe(2048)
    const used = await chipWith(`${poke([256, 1], [511, 1], [2303, 1])}\n${halt}`)
    used.run(0.001)
    expect(used.untouchedBytes).toBe(0x8ff - 0x1ff - 1)
  })

  it('calls back in its own time', async () => {
    const chip = await chipWith(halt)
    const at: number[] = []
    chip.every(0.001, () => at.push(chip.cycles))
    chip.run(0.0035)
    expect(at.map(cycle => Math.round(cycle / 16))).toEqual([1000, 2000, 3000])
  })

  it('does the same each time', async () => {
    const trace = async () => {
      const chip = await chipWith(echo)
      const seen: string[] = []
      chip.wire.onSent = byte => seen.push(`${byte} ${chip.cycles}`)
      chip.send(bytes('the same each time'))
      // In stretches of any length.
      for (let part = 1; part < 60; part++) chip.run(part / 100_000)
      return seen
    }
    expect(await trace()).toEqual(await trace())
  })
})
