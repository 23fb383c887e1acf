import { describe, expect, it } from 'vitest'
import type { DeviceAccess } from '../../boards/remote/device-access.ts'
import { cleanText, cleanValue } from '../../boards/remote/device-text.ts'
import { readStored } from '../../boards/remote/index.ts'
import type { LinkActuator, LinkDescription, LinkValue } from '../../boards/remote/link/index.ts'
import { LinkCode, LinkError, UnknownOutcomeError } from '../../boards/remote/link/index.ts'
import { fitName } from '../../boards/remote/names.ts'
import { boardName, remoteBoard, unknownBoard } from '../../boards/remote/remote-board.ts'
import { createServer } from '../../runtime/index.ts'
import { seeded } from '../link/pair.ts'
import { quietCall } from './quiet-call.ts'

/** A device that records what it is asked, and answers as it is told. */
function fakeDevice(answer: () => LinkValue = () => null) {
  const calls: [number, readonly LinkValue[]][] = []
  const device: DeviceAccess = {
    name: 'rig (/dev/ttyACM0)',
    patienceMs: 1000,
    answerMs: undefined,
    read: async () => answer(),
    call: async (number, args) => {
      calls.push([number, args])
      return answer()
    },
    watch: () => () => {},
    arm: async () => {},
    stop: async () => {},
  }
  return { device, calls }
}

function boardOf(parts: Partial<LinkDescription>, answer?: () => LinkValue) {
  const told: string[] = []
  const { device, calls } = fakeDevice(answer)
  const description = { hash: 1, name: 'rig', sensors: [], actuators: [], ...parts }
  const board = remoteBoard(description, {
    firmware: '1.0',
    label: '/dev/ttyACM0',
    device,
    tell: text => void told.push(text),
  })
  expect(() => createServer(board, { readSensorsTool: true })).not.toThrow()
  return { board, told, calls }
}

const lamp: LinkActuator = {
  name: 'lamp',
  arguments: [{ name: 'percent', type: 'number', optional: false, minimum: 0, maximum: 100 }],
  safe: [0],
  hints: 7,
}
const read = (board: ReturnType<typeof boardOf>['board'], name: string) =>
  Promise.resolve(board.sensors![name]!.read({ signal: new AbortController().signal }))

describe('sensors', () => {
  it('a unit outside the registry is told in the description', () => {
    const { board } = boardOf({ sensors: [{ name: 'flow', type: 'number', unit: 'gal/min', description: 'Inlet.' }] })
    expect(board.sensors!.flow).toMatchObject({ description: 'Says of itself: "Inlet." In gal/min.' })
    expect(board.sensors!.flow!.unit).toBeUndefined()
  })

  it('bounds in the wrong order, and numbers that mean nothing, cost themselves only', () => {
    const { board } = boardOf({
      sensors: [{ name: 't', type: 'number', minimum: 5, maximum: 1, ttlMs: -1, deadBand: Number.NaN, timeoutMs: 0 }],
    })
    expect(board.sensors!.t).not.toHaveProperty('minimum')
    expect(board.sensors!.t).not.toHaveProperty('ttlMs')
  })

  it('no reading is an error that says so', async () => {
    const { board } = boardOf({ sensors: [{ name: 't', type: 'number' }] })
    await expect(read(board, 't')).rejects.toThrow('rig (/dev/ttyACM0) has no reading of it at the moment')
  })

  it('a text is a value: without control characters', async () => {
    const { board } = boardOf({ sensors: [{ name: 't', type: 'string' }] }, () => '\u001b[31mred\u0007\u202e\nline')
    expect(await read(board, 't')).toBe('red\nline')
  })

  it('of any type are given as JSON', async () => {
    const { board } = boardOf({ sensors: [{ name: 't', type: 'any' }] }, () => ({ a: [1, Uint8Array.of(1, 2)] }))
    expect(await read(board, 't')).toBe('{"a":[1,"AQI="]}')
  })
})

describe('actuators', () => {
  it('take bytes in base64', async () => {
    const { board, calls } = boardOf({
      actuators: [{ name: 'show', arguments: [{ name: 'picture', type: 'data', optional: false }], hints: 0 }],
    })
    const { tools } = createServer(board)
    expect(tools.entry('show')!.listed.inputSchema).toMatchObject({
      properties: { picture: { type: 'string', contentEncoding: 'base64' } },
    })
    await board.actuators!.show!.set({ picture: 'AQID' }, quietCall())
    expect(calls).toEqual([[0, [Uint8Array.of(1, 2, 3)]]])
    await expect(Promise.resolve(board.actuators!.show!.set({ picture: '%' }, quietCall()))).rejects.toThrow('base64')
  })

  it('what the device keeps to is told to whoever calls it', () => {
    const { board } = boardOf({
      sensors: [{ name: 'rpm', type: 'number' }],
      actuators: [{ ...lamp, description: 'A fan.', holdForMs: 5000, minIntervalMs: 500, readback: 0 }],
    })
    expect(board.actuators!.lamp!.description).toBe('Says of itself: "A fan."')
  })

  it('after an unknown outcome the sensor that shows it is named', async () => {
    const { board } = boardOf(
      { sensors: [{ name: 'rpm', type: 'number' }], actuators: [{ ...lamp, readback: 0 }] },
      () => {
        throw new UnknownOutcomeError('it went away: whether it ran is unknown. Read a sensor that shows it')
      },
    )
    await expect(board.actuators!.lamp!.set({ percent: 1 }, quietCall())).rejects.toThrow('shows it: rpm does')
  })

  it('a code of the sketch comes with the text of the sketch', async () => {
    const { board } = boardOf({ actuators: [lamp] }, () => {
      throw new LinkError(-7, 'tank\u0000empty')
    })
    await expect(board.actuators!.lamp!.set({ percent: 1 }, quietCall())).rejects.toThrow(
      'rig (/dev/ttyACM0): tank empty',
    )
  })

  it('a safe state that does not fit costs the safe state, and is told', () => {
    const { board, told } = boardOf({ actuators: [{ ...lamp, safe: [500] }] })
    expect(board.actuators!.lamp!.safe).toBeNull()
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('safe state')
  })

  it('a schema that is none costs its actuator only', () => {
    const bad = { name: 'x', type: 'any' as const, optional: false, schema: '{"type":"nonsense"}' }
    const { board, told } = boardOf({ actuators: [{ name: 'odd', arguments: [bad], hints: 0 }, lamp] })
    expect(Object.keys(board.actuators!)).toEqual(['lamp'])
    expect(told[0]).toMatch(/^left out: .*odd/)
  })

  it('those for a person only say so: they are in no list of a model', () => {
    const { board } = boardOf({ actuators: [{ ...lamp, name: 'calibrate', audience: 1 }, lamp] })
    expect(board.actuators!.calibrate!.audience).toBe('person')
    expect(board.actuators!.lamp!.audience).toBeUndefined()
  })

  it('one that has the name of the tool that reads sensors gets another', () => {
    const { board, told } = boardOf({ actuators: [{ ...lamp, name: 'read_sensors' }] })
    expect(Object.keys(board.actuators!)).toEqual(['read_sensors_2'])
    expect(told).toHaveLength(1)
  })
})

describe('the rules of a device', () => {
  it('are told in the words of a board, and kept by the device', () => {
    const rules = { holdForMs: 5000, minIntervalMs: 500, maxRate: 10, group: 3, arming: true, safe: [0] }
    const { board } = boardOf({ actuators: [{ ...lamp, ...rules }] })
    expect(board.actuators!.lamp).toMatchObject({
      selfKept: true,
      holdForMs: 5000,
      minIntervalMs: 500,
      maxRate: 10,
      group: '3',
      arming: true,
    })
  })

  it.each([
    [undefined, undefined],
    [0, undefined],
    [1, 'first'],
    [2, 'each'],
    [3, 'each'],
  ])('confirm %s means %s: what is not known is taken for the stricter one', (confirm, expected) => {
    const { board } = boardOf({ actuators: [{ ...lamp, ...(confirm !== undefined && { confirm }) }] })
    expect(board.actuators!.lamp!.confirm).toBe(expected)
  })
})

describe('names and texts of a device', () => {
  it.each([
    ['soil.moisture', 'soil_moisture'],
    ['1wire', 'sensor_1wire'],
    ['Größe', 'Gro_e'],
    ['__x--', 'x'],
    ['温度', 'sensor'],
    ['a'.repeat(80), 'a'.repeat(64)],
  ])('"%s" is called %s', (raw, name) => {
    expect(fitName(raw, 'sensor')).toBe(name)
  })

  it('two that become the same are numbered', () => {
    const { board, told } = boardOf({
      sensors: ['a.b', 'a b', 'a_b'].map(name => ({ name, type: 'number' as const })),
    })
    expect(Object.keys(board.sensors!)).toEqual(['a_b', 'a_b_2', 'a_b_3'])
    expect(told).toHaveLength(3)
  })

  it('a board is called what it says, else where it is', () => {
    expect(boardName('greenhouse', '/dev/ttyACM0')).toBe('greenhouse')
    expect(boardName('', '/dev/ttyACM0')).toBe('ttyACM0')
    expect(boardName('', 'usb:2341:0043')).toBe('usb_2341_0043')
    expect(boardName('', '/dev/serial/by-id/usb-x')).toBe('serial_by-id_usb-x')
    expect(() => createServer(unknownBoard('tcp://10.0.0.7:3333'))).not.toThrow()
  })

  it('colours, control characters, hidden and reversing characters are taken out', () => {
    expect(cleanText('\u001b[1;31mE (5) \u200btag:\u0007\u202eabc\u{e0041}\r\nnext\u2028line')).toBe(
      'E (5) tag: abc next line',
    )
    expect(cleanText('x'.repeat(1000))).toHaveLength(300)
    expect(cleanText(`${'x'.repeat(298)}😀😀`)).toBe(`${'x'.repeat(298)}…`)
    expect(cleanValue('a\tb\nc\u0000\u009b\ud800')).toBe('a\tb\nc')
  })

  it('titles and descriptions are bounded', () => {
    const long = 'x'.repeat(10_000)
    const { board } = boardOf({
      title: long,
      description: long,
      sensors: [{ name: 's', type: 'number', title: long, description: long }],
      actuators: [{ ...lamp, title: long, description: long }],
    })
    expect(JSON.stringify(board).length).toBeLessThan(8000)
  })
})

it('a code that means refused says that nothing was moved', async () => {
  const { board } = boardOf({ actuators: [lamp] }, () => {
    throw new LinkError(LinkCode.Interlocked)
  })
  await expect(board.actuators!.lamp!.set({ percent: 1 }, quietCall())).rejects.toThrow(
    'refused by rig (/dev/ttyACM0), and nothing was moved: another actuator of its group is on',
  )
})

it('what a device says of a rule is followed by what to do, unless it says that itself', async () => {
  const said = async (code: number, text: string) => {
    const { board } = boardOf({ actuators: [lamp] }, () => {
      throw new LinkError(code, text)
    })
    return (
      (await Promise.resolve(board.actuators!.lamp!.set({ percent: 1 }, quietCall())).catch(each => each)) as Error
    ).message
  }
  expect(await said(LinkCode.Interlocked, 'cooler is on')).toMatch(
    /cooler is on \(another actuator .* safe state first\)$/,
  )
  expect(await said(LinkCode.TooSoon, 'wait 300 ms')).toMatch(/wait 300 ms \(it moved a moment ago/)
  expect(await said(LinkCode.NotArmed, 'door is open')).toMatch(/door is open \(.*until a person arms the outputs/)
  expect(await said(LinkCode.TooSoon, 'It rests. Call again in 2 s')).toMatch(/moved: It rests\. Call again in 2 s$/)
})

const texts = [
  '',
  'x'.repeat(300),
  '\u0000\u202e',
  '{"type":"object"}',
  '{"$ref":"http://elsewhere"}',
  '{"type":7}',
  '[',
  'Cel',
]
const numbers = [-1, 0, 0.1, 3, 1e9, Number.MAX_VALUE, 5e-324]
const values = [null, '', 7, true, [], [null], [[1], 'a'], { a: 1 }, Uint8Array.of(255)]
const oddities: Record<string, readonly unknown[]> = {
  ...Object.fromEntries(['title', 'description', 'unit', 'schema', 'output'].map(key => [key, texts])),
  ...Object.fromEntries(['minimum', 'maximum', 'step', 'ttlMs', 'deadBand', 'timeoutMs'].map(key => [key, numbers])),
  ...Object.fromEntries(['maxLength', 'holdForMs', 'minIntervalMs', 'maxRate', 'confirm'].map(key => [key, numbers])),
  readback: numbers,
  initial: values,
  values: values.filter(Array.isArray),
  safe: [null, ...values.filter(Array.isArray)],
  name: ['', '0', 'x'.repeat(200), '__proto__', 'constructor', 'good', 'well'],
}

it.each([1, 2, 3, 4, 5, 6])('whatever a device or a file says of itself, the rest of it is served (seed %i)', seed => {
  const random = seeded(seed)
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  const odd = (entry: object) => {
    const changed: Record<string, unknown> = { ...entry }
    for (let times = 0; times < 3; times++) {
      const key = pick(Object.keys(oddities))
      changed[key] = pick(oddities[key]!)
    }
    return changed
  }
  const types = ['number', 'integer', 'boolean', 'string', 'data', 'any']
  for (let round = 0; round < 40; round++) {
    const argument = odd({ name: pick(['', 'x', '__proto__']), type: pick(types), optional: true })
    const description = {
      hash: 1,
      name: pick(oddities.name!),
      sensors: [{ name: 'good', type: 'number' }, odd({ name: 's', type: pick(types) })],
      actuators: [{ ...lamp, name: 'well' }, odd({ name: 'a', arguments: [argument], hints: 0 })],
    }
    const stored = readStored({ kind: 'link', id: '', firmware: '', description })
    if (stored?.kind !== 'link') throw new Error('it was not taken')
    const { board } = boardOf(stored.description)
    expect(Object.keys(board.sensors!)).toContain('good')
    expect(Object.keys(board.actuators!)).toContain('well')
  }
})
