/** The examples for MicroPython and CircuitPython run in MicroPython, with parts that stand in for the hardware. */
import { readFileSync } from 'node:fs'
import { describe, expect, it, type TestContext } from 'vitest'
import type { CborInput } from '../../boards/remote/link/index.ts'
import { frameOf, messagesIn } from './micropython/frames.ts'
import { microPython } from './micropython/interpreters.ts'

const micro = microPython()
const session = 0x4a21
const folder = new URL('../../boards/microcontroller/micropython/examples/', import.meta.url)

/** An example that plays, and what its pins are. */
async function play(context: TestContext, name: string) {
  let sent: Uint8Array[] = []
  const python = await (await micro.or(context))(bytes => void sent.push(bytes))
  python.registerJsModule('rig', {
    source: readFileSync(new URL(`${name}.py`, folder), 'utf8'),
    sent: (hex: string) => void sent.push(Buffer.from(hex, 'hex')),
  })
  python.runPython(`import rig, parts
def begin():
    global player
    player = parts.play(rig.source, rig.sent)
def step(now, bytes_in): player.step(now, bytes_in)
def pin(number): return parts.pins[number]`)
  const begin = python.globals.get('begin')
  const step = python.globals.get('step')
  let now = 0
  let ask = 0
  const at = (bytes: Uint8Array): any[] => {
    sent = []
    step(now, Buffer.from(bytes).toString('hex'))
    return messagesIn(Buffer.concat(sent))
  }
  const say = (message: CborInput) => at(frameOf(message))
  begin()
  const [hello] = at(new Uint8Array())
  say([0, session, 1, new Map()])
  return {
    python,
    say,
    hello: hello[3] as Map<number, any>,
    pin: python.globals.get('pin') as (pin: number | string) => unknown,
    read: (sensor: number) => say([3, session, -1, sensor])[0],
    call: (actuator: number, ...args: CborInput[]) => say([4, session, ++ask, actuator, args]),
    pass: (ms: number, stepMs = 10) => {
      const told: any[] = []
      for (let passed = 0; passed < ms; passed += stepMs) {
        now += stepMs
        told.push(...say([1, session, -24]).filter(([kind, , id]) => !(kind === 12 && id === -24)))
      }
      return told
    },
    silence: (ms: number) => {
      now += ms
      return at(new Uint8Array())
    },
    restart: () => {
      begin()
      return at(new Uint8Array())[0][3] as Map<number, any>
    },
  }
}

describe('the examples', () => {
  it('the greenhouse reads, waters for a minute at most, and moves its window step by step', async context => {
    const { python, hello, read, call, pin, pass, say, restart } = await play(context, 'pico_greenhouse')
    expect(hello.get(1)).toBe('greenhouse')
    expect(hello.get(2)).toEqual(Uint8Array.of(0xe6, 0x61))
    expect(hello.get(6)).toBe(1)
    python.runPython('parts.adc[26] = 32768')
    expect(read(0)).toEqual([12, session, -1, 50])
    expect(read(1)[3]).toBeCloseTo(27.3, 0)
    expect(call(0, true)).toEqual([[12, session, 1]])
    expect(pin(15)).toBe(1)
    pass(59_900, 100)
    expect(pin(15)).toBe(1)
    pass(200)
    expect(pin(15)).toBe(0)
    expect(call(1, 50)[0].slice(0, 3)).toEqual([16, session, 2])
    const told = pass(2000)
    expect(told.at(-1)).toEqual([12, session, 2])
    expect(told.filter(([kind]) => kind === 16).length).toBeGreaterThan(3)
    expect(pin(16)).toBe(1_500_000)
    call(1, 100)
    pass(100)
    say([5, session, 3])
    // A cancel shuts it, and that takes its time as well.
    expect(pass(2000)).toContainEqual([13, session, 3, 10])
    expect(pin(16)).toBe(1_000_000)
    // It counts its starts in a file.
    expect(restart().get(6)).toBe(2)
  })

  it('the thermostat holds what it is told, by itself, and no frost when its host is gone', async context => {
    const { python, read, call, pin, pass, silence } = await play(context, 'thermostat')
    expect(read(0)).toEqual([13, session, -1, 12, expect.stringContaining('does not answer')])
    pass(1100)
    expect(read(0)).toEqual([12, session, -1, 19.5])
    expect(call(0, 22)).toEqual([[12, session, 1]])
    pass(1100)
    expect(pin(5)).toBe(1)
    expect(call(0, 26)[0].slice(0, 4)).toEqual([13, session, 2, 4])
    python.runPython("parts.probes['celsius'] = 22.5")
    pass(1100)
    expect(pin(5)).toBe(0)
    python.runPython("parts.probes['celsius'] = 18")
    pass(1100)
    expect(read(1)).toEqual([12, session, -1, true])
    silence(5000)
    silence(1100)
    expect(pin(5)).toBe(0)
    // Without a probe nothing is heated.
    call(0, 22)
    pass(1100)
    expect(pin(5)).toBe(1)
    python.runPython("parts.probes['found'] = []")
    pass(1100)
    expect(pin(5)).toBe(0)
  })

  it('the board with CircuitPython blinks, and stops in the middle', async context => {
    const { hello, read, call, pin, pass, say, restart } = await play(context, 'circuitpython_blink')
    expect(hello.get(6)).toBe(0)
    expect(read(0)).toEqual([12, session, -1, 31.5])
    call(0, true)
    expect(pin('LED')).toBe(true)
    call(0, false)
    expect(call(1, 3)[0]).toEqual([16, session, 3, 0, 3])
    expect(pass(1500)).toContainEqual([12, session, 3])
    call(1, 100)
    pass(100)
    expect(pin('LED')).toBe(true)
    expect(say([8, session, -2])).toEqual([
      [13, session, 4, 11],
      [12, session, -2],
    ])
    expect(pin('LED')).toBe(false)
    expect(restart().get(6)).toBe(1)
  })
})
