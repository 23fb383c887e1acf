import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digital } from '../../boards/raspberry-pi/gpio/digital.ts'
import { findLine } from '../../boards/raspberry-pi/gpio/find-line.ts'
import { atHeader, positionOf } from '../../boards/raspberry-pi/gpio/header.ts'
import { type FakeChip, FakeGpio, pi4 } from './fake-gpio.ts'
import boards from './header-chips.json' with { type: 'json' }

/** The message and the code of what is thrown. */
function thrown(act: () => unknown): { code: string; message: string } {
  try {
    act()
  } catch (failed) {
    const { code, message } = failed as { code: string; message: string }
    return { code, message }
  }
  throw new Error('nothing was thrown')
}

describe('which line is meant', () => {
  it.each(boards)('$board', ({ chips, sysfs, pin, right }) => {
    const gpio = new FakeGpio(chips, sysfs as Record<string, string> | undefined)
    if ('error' in right) expect(thrown(() => digital({ pin, ...gpio.system })).message).toBe(right.error)
    else {
      const found = findLine({ pin, ...gpio.system })
      expect({ chip: found.chip.name, offset: found.offset }).toEqual(right)
    }
    expect(gpio.touched.filter(what => what.includes('line'))).toEqual([])
    if (sysfs !== undefined) expect(readFileSync(join(gpio.root, 'sys/class/gpio/export'), 'utf8')).toBe('')
    expect(gpio.descriptors).toBe(0)
  })

  const where = (pin: string | number, chip?: string, chips: readonly FakeChip[] = pi4) => {
    const { chip: found, offset, title } = findLine({ pin, ...(chip && { chip }), ...new FakeGpio(chips).system })
    return `${found.name} ${offset}: ${title}`
  }

  it('by BCM number, by position, by name, and by controller', () => {
    expect(where('GPIO17')).toBe('gpiochip0 17: GPIO17 (pin 11)')
    expect(where('gpio40')).toBe('gpiochip0 40: GPIO40')
    expect(where('pin 11')).toBe('gpiochip0 17: GPIO17 (pin 11)')
    expect(where('SDA1')).toBe('gpiochip0 2: SDA1')
    expect(where('PWR_LED_OFF')).toBe('gpiochip1 2: PWR_LED_OFF')
    expect(where(3, 'raspberrypi-exp-gpio')).toBe('gpiochip1 3: line 3 of raspberrypi-exp-gpio')
    expect(where('BT_ON', 'gpiochip1')).toBe('gpiochip1 0: BT_ON')
  })

  it('what is none says why', () => {
    expect(() => where('pin 9')).toThrow('pin 9 of the header is no line that can be read or set: it is ground')
    expect(() => where('pin 1')).toThrow('it is 3.3 V')
    expect(() => where('pin 41')).toThrow('the header has pins 1 to 40')
    expect(() => where(17)).toThrow("pin 17 may mean two things: write 'GPIO17' or 'pin 17'")
    expect(() => where('17')).toThrow('may mean two things')
    expect(() => where('RELAY')).toThrow(
      "no line is named RELAY on pinctrl-bcm2711, raspberrypi-exp-gpio: write 'GPIO17', 'pin 11', or a name of gpioinfo",
    )
    expect(() => where(8, 'gpiochip1')).toThrow('line 8 of gpiochip1 is out of range: raspberrypi-exp-gpio has lines 0')
    expect(() => where(1, 'gpiochip7')).toThrow('there is no controller gpiochip7, but gpiochip0 (pinctrl-bcm2711')
    const twins: FakeChip[] = [0, 1].map(i => ({ name: `gpiochip${i}`, label: 'pca9536', lines: 4, named: { 0: 'A' } }))
    expect(() => where('A', undefined, twins)).toThrow('2 lines are named A on pca9536, pca9536')
  })

  it('a link of an older number to the same controller makes nothing ambiguous', () => {
    const gpio = new FakeGpio([{ name: 'gpiochip0', label: 'pinctrl-rp1', lines: 54 }])
    symlinkSync('gpiochip0', join(gpio.root, 'dev/gpiochip4'))
    const open = gpio.open.bind(gpio)
    gpio.open = path => open(path.replace('gpiochip4', 'gpiochip0'))
    expect(findLine({ pin: 'GPIO17', ...gpio.system }).chip.path).toMatch(/gpiochip0$/)
  })

  it('the header has each of its 28 lines once', () => {
    const lines = Array.from({ length: 40 }, (_, i) => atHeader(i + 1)).filter(what => typeof what === 'number')
    expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 28 }, (_, i) => i))
    expect([2, 3, 14, 15, 18, 21].map(positionOf)).toEqual([3, 5, 8, 10, 12, 40])
    expect(positionOf(28)).toBeUndefined()
  })
})

describe('an output', () => {
  it('that is active low is opened at its inactive level, direction and level in one step', () => {
    const gpio = new FakeGpio(pi4)
    const relay = digital({ pin: 'GPIO17', mode: 'output', activeLow: true, ...gpio.system })
    relay.write(true)
    expect(relay.read()).toBe(true)
    relay.write(false)
    relay.close()
    expect(gpio.physical).toEqual(['GPIO17 out 1', 'GPIO17 out 0', 'GPIO17 out 1', 'GPIO17 out 1'])
    expect(gpio.touched).toContain('gpiochip0 line 17 for ferrule PID')
    expect(gpio.descriptors).toBe(0)
  })

  it('begins as it is told to and ends at its safe level', () => {
    const gpio = new FakeGpio(pi4)
    const valve = digital({ pin: 'GPIO5', mode: 'output', initial: true, safe: true, ...gpio.system })
    valve.write(false)
    valve.close()
    expect(gpio.physical).toEqual(['GPIO5 out 1', 'GPIO5 out 0', 'GPIO5 out 1'])
    expect(gpio.lineConfig('gpiochip0', 5)).toBeUndefined()
  })

  it('drives one level only where that is asked for', () => {
    const gpio = new FakeGpio(pi4)
    digital({ pin: 'GPIO5', mode: 'output', drive: 'open-drain', pull: 'up', ...gpio.system })
    expect(gpio.lineConfig('gpiochip0', 5)?.flags).toBe(8 | 64 | 256)
  })

  it('is closed twice without harm, and does nothing after that', () => {
    const gpio = new FakeGpio(pi4)
    const lamp = digital({ pin: 'GPIO5', mode: 'output', ...gpio.system })
    lamp.close()
    lamp.close()
    expect(thrown(() => lamp.write(true))).toEqual({ code: 'EBADF', message: 'GPIO5 (pin 29) is closed' })
    expect(gpio.physical).toEqual(['GPIO5 out 0', 'GPIO5 out 0'])
  })
})

describe('an input', () => {
  it('is taken as it is told to', () => {
    const gpio = new FakeGpio(pi4)
    const button = digital({ pin: 'pin 16', activeLow: true, pull: 'up', debounceMs: 2.5, ...gpio.system })
    expect(gpio.lineConfig('gpiochip0', 23)).toEqual({ flags: 2 | 4 | 256, debounceUs: 2500 })
    gpio.drive('gpiochip0', 23, true)
    expect(button.read()).toBe(false)
    gpio.drive('gpiochip0', 23, false)
    expect(button.read()).toBe(true)
    expect(() => button.write(true)).toThrow("was taken as an input: take it with mode: 'output' to set it")
    expect(gpio.physical).toEqual([])
  })

  it('tells each edge to everybody who watches, until they stop', () => {
    const gpio = new FakeGpio(pi4)
    const button = digital({ pin: 'GPIO23', activeLow: true, debounceMs: 5, ...gpio.system })
    const edge = (high: boolean, timeMs: number) => gpio.drive('gpiochip0', 23, high, timeMs)
    const first: unknown[] = []
    const second: unknown[] = []
    edge(true, 1)
    const stopFirst = button.watch!((...what) => first.push(what))
    const stopSecond = button.watch!((...what) => second.push(what))
    expect(gpio.lineConfig('gpiochip0', 23)).toEqual({ flags: 2 | 4 | 16 | 32, debounceUs: 5000 })
    edge(false, 1234.5)
    stopFirst()
    stopFirst()
    edge(true, 1250)
    stopSecond()
    edge(false, 1300)
    expect(first).toEqual([[true, 1234.5]])
    expect(second).toEqual([
      [true, 1234.5],
      [false, 1250],
    ])
    expect(gpio.lineConfig('gpiochip0', 23)).toEqual({ flags: 2 | 4, debounceUs: 5000 })
  })

  it('is closed while it is watched', () => {
    const gpio = new FakeGpio(pi4)
    const button = digital({ pin: 'GPIO23', ...gpio.system })
    const stop = button.watch!(() => button.close())
    gpio.drive('gpiochip0', 23, true)
    stop()
    button.close()
    expect(gpio.descriptors).toBe(0)
  })
})

describe('what cannot be had', () => {
  it('a pin that the device tree gives away, with the name of who has it', () => {
    const gpio = new FakeGpio([{ ...pi4[0]!, taken: { 4: 'onewire@0' } }])
    const failed = thrown(() => digital({ pin: 'GPIO4', mode: 'output', ...gpio.system }))
    expect(failed.code).toBe('EBUSY')
    expect(failed.message).toBe(
      'GPIO4 (pin 7) is taken by "onewire@0": a program that runs, or a line of /boot/firmware/config.txt that gives the pin away',
    )
    expect(gpio.descriptors).toBe(0)
  })

  it('a pin that was taken before', () => {
    const gpio = new FakeGpio(pi4)
    const lamp = digital({ pin: 'GPIO5', mode: 'output', ...gpio.system })
    expect(() => digital({ pin: 'pin 29', ...gpio.system })).toThrow('GPIO5 (pin 29) is taken by "held in this test"')
    lamp.close()
    digital({ pin: 'pin 29', ...gpio.system }).close()
  })

  it('a controller that may not be opened: says which group to join', () => {
    const gpio = new FakeGpio(pi4)
    gpio.open = () => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    }
    const failed = thrown(() => digital({ pin: 'GPIO5', ...gpio.system }))
    expect(failed.code).toBe('EACCES')
    expect(failed.message).toMatch(
      /dev\/gpiochip0 may not be opened by this user: sudo usermod -aG gpio \S+, and log in again$/,
    )
  })

  it('a controller that is removed while lines of it are held', () => {
    const gpio = new FakeGpio(pi4)
    const lamp = digital({ pin: 'GPIO5', mode: 'output', ...gpio.system })
    const button = digital({ pin: 'GPIO6', ...gpio.system })
    button.watch!(() => {})
    gpio.remove()
    const gone = { code: 'ENODEV', message: 'GPIO5 (pin 29) is gone: its controller was removed' }
    expect(thrown(() => lamp.write(true))).toEqual(gone)
    expect(() => button.read()).toThrow('GPIO6 (pin 31) is gone: its controller was removed')
    lamp.close()
    button.close()
    expect(gpio.descriptors).toBe(0)
  })
})
