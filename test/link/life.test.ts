import { describe, expect, it } from 'vitest'
import {
  type CborInput,
  deviceArray,
  FrameWriter,
  hostArray,
  LinkCode,
  LinkDownError,
  type LinkError,
  LinkHost,
  readFrame,
  readHostMessage,
  UnknownOutcomeError,
  writeCbor,
} from '../../boards/remote/link/index.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { countingBoard, Pair } from './pair.ts'

const fan = 0
const door = 1
const mode = 2

function frame(item: CborInput): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  writeCbor(writer, item)
  return writer.end()
}

/** What the host wrote, message by message. */
function messagesOf(lines: readonly Uint8Array[]) {
  const into = new Uint8Array(1024)
  return lines.map(line => readHostMessage(into, 0, readFrame(line, 1, line.length - 1, into)))
}

describe('finding the device', () => {
  it('hello is repeated until the board has booted', async () => {
    const pair = new Pair(countingBoard())
    pair.plugged = false
    pair.host.start()
    await pair.clock.advance(8000)
    expect(pair.events).toEqual([])
    expect(pair.sent.host.length).toBeGreaterThan(6)
    pair.plugged = true
    await pair.clock.advance(1600)
    expect(pair.events).toEqual(['ready'])
    const hellos = pair.sent.host.length
    pair.host.keepAlive(false)
    await pair.clock.advance(20_000)
    expect(pair.sent.host.length).toBe(hellos)
  })

  it('a device that says hello at its boot is answered at once', async () => {
    const pair = new Pair(countingBoard())
    pair.plugged = false
    pair.host.start()
    await pair.clock.advance(5000)
    pair.plugged = true
    pair.device.start()
    await pair.clock.advance(5)
    expect(pair.events).toEqual(['ready'])
  })

  it('a question waits for a device that is away, and says after a while that nothing was moved', async () => {
    const { board, moves } = countingBoard()
    const pair = new Pair({ board, moves })
    pair.plugged = false
    pair.host.start()
    const early = pair.host.call(fan, [1, true])
    const late = pair.host.call(fan, [2, true])
    pair.clock.setTimeout(() => {
      pair.plugged = true
    }, 1000)
    await pair.during(Promise.all([early, late]))
    pair.plugged = false
    await pair.clock.advance(30_000)
    await expect(pair.during(pair.host.call(fan, [3, true]))).rejects.toThrow(LinkDownError)
    expect(moves.filter(({ on }) => on).map(({ level }) => level)).toEqual([1, 2])
  })

  it('a device of another version is told of, and not used', async () => {
    const said: string[] = []
    const host = new LinkHost({
      clock: new OwnedClock(),
      outlet: { write: () => {} },
      diagnose: text => void said.push(text),
    })
    host.start()
    const session = (host as unknown as { session: number }).session
    expect(session).toBe(0)
    const written: Uint8Array[] = []
    const other = new LinkHost({
      clock: new OwnedClock(),
      outlet: { write: bytes => void written.push(bytes) },
      diagnose: text => void said.push(text),
    })
    other.start()
    const hello = messagesOf(written)[0] as { session: number }
    other.receive(frame(deviceArray({ kind: 'hello', session: hello.session, version: 2, members: new Map() })))
    expect(said.join()).toContain('another version')
    expect(other.hello).toBeUndefined()
    host.close()
    other.close()
  })

  it('text of the device is given out, and a frame behind text is taken', async () => {
    const pair = new Pair(countingBoard())
    pair.toHost = bytes => Uint8Array.from([...Buffer.from('debug: '), ...bytes])
    await pair.ready()
    expect(pair.events).toEqual(['ready'])
    expect(pair.texts).toContain('debug: ')
  })
})

describe('a call', () => {
  it('whose answer got lost is answered from memory', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    let lost = 0
    pair.toHost = bytes => (lost++ < 3 ? new Uint8Array(0) : bytes)
    expect(await pair.during(pair.host.call(fan, [5, true]))).toBe(null)
    expect(moves).toEqual([{ level: 5, on: true }])
    expect(pair.host.counters.repeats).toBe(3)
  })

  it('is sent five times, each wait twice as long, and then its outcome is unknown', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves, host: { baud: 9600 } }).ready()
    pair.host.keepAlive(false)
    pair.toHost = () => new Uint8Array(0)
    const at: number[] = []
    const started = pair.clock.now()
    pair.toDevice = bytes => {
      at.push(pair.clock.now() - started)
      return bytes
    }
    await expect(pair.during(pair.host.call(fan, [5, true]))).rejects.toThrow(UnknownOutcomeError)
    expect(moves.length).toBe(1)
    const calls = messagesOf(pair.sent.host).filter(({ kind }) => kind === 'call')
    expect(calls.length).toBe(5)
    const waits = at.slice(1, 5).map((time, index) => time - at[index]!)
    // 16 bytes out, 98 back at 9600 baud, 50 ms to answer and 20 ms of margin.
    for (const [index, wait] of waits.entries()) {
      expect(wait / 2 ** index).toBeGreaterThan(180)
      expect(wait / 2 ** index).toBeLessThan(300)
    }
    expect(pair.events.at(-1)).toContain('lost')
  })

  it('in flight at a restart ends as unknown, and is not sent again', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    const call = pair.host.call(door, [30])
    await pair.clock.advance(200)
    pair.reset(300)
    await expect(pair.during(call)).rejects.toThrow(/unknown/)
    await pair.clock.advance(5000)
    expect(pair.events).toEqual(['ready', 'lost: the device restarted', 'ready again'])
    expect(moves.filter(({ on }) => on)).toEqual([{ level: 30, on: true }])
  })

  it('that met a restart which nobody saw says that nothing was moved', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    pair.toHost = () => new Uint8Array(0)
    pair.reset()
    await pair.clock.advance(5)
    pair.toHost = bytes => bytes
    await expect(pair.during(pair.host.call(fan, [5, true]))).rejects.toThrow(/nothing was moved/)
    await pair.clock.advance(100)
    await pair.during(pair.host.call(fan, [6, true]))
    expect(moves.filter(({ on }) => on)).toEqual([{ level: 6, on: true }])
  })

  it('out of range, of the wrong type, or too short is refused on the device', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    const refusal = (actuator: number, args: never[]) =>
      pair.during(pair.host.call(actuator, args)).then(
        () => 'ran',
        (error: LinkError) => error.code,
      )
    expect(await refusal(fan, [-1, true] as never[])).toBe(LinkCode.OutOfRange)
    expect(await refusal(fan, [100_000_001, true] as never[])).toBe(LinkCode.OutOfRange)
    expect(await refusal(fan, [1.5, true] as never[])).toBe(LinkCode.BadArguments)
    expect(await refusal(fan, ['1', true] as never[])).toBe(LinkCode.BadArguments)
    expect(await refusal(fan, [1] as never[])).toBe(LinkCode.BadArguments)
    expect(await refusal(fan, [1, true, 2] as never[])).toBe(LinkCode.BadArguments)
    expect(await refusal(mode, ['noon'] as never[])).toBe(LinkCode.OutOfRange)
    expect(await refusal(mode, ['day', 'too long'] as never[])).toBe(LinkCode.OutOfRange)
    expect(await refusal(9, [] as never[])).toBe(LinkCode.Unknown)
    expect(moves).toEqual([])
    expect(await refusal(fan, [100_000_000, true] as never[])).toBe('ran')
  })

  it('that takes long tells how far it is, outlives its first wait, and others go on beside it', async () => {
    const { board, state } = countingBoard()
    const pair = await new Pair({ board }).ready()
    const progress: unknown[] = []
    const call = pair.host.call(door, [30], { onProgress: (...args) => void progress.push(args) })
    await pair.clock.advance(9000)
    expect(progress).toContainEqual([1, 2, 'half'])
    await expect(pair.during(pair.host.call(door, [1]))).rejects.toMatchObject({ code: LinkCode.Busy })
    for (let level = 0; level < 95; level++) await pair.during(pair.host.call(fan, [level, true]), 2)
    state.moving!()
    expect(await pair.during(call)).toEqual({ arrived: true })
  })

  it('that was cancelled ends so, with its actuator safe', async () => {
    const { board, state } = countingBoard()
    const pair = await new Pair({ board }).ready()
    const abort = new AbortController()
    const call = pair.host.call(door, [30], { signal: abort.signal })
    await pair.clock.advance(500)
    abort.abort(new Error('no more'))
    await expect(pair.during(call)).rejects.toMatchObject({ code: LinkCode.Cancelled })
    expect(state.moving).toBeDefined()
    // Before it was sent, it never is.
    const sent = pair.sent.host.length
    await expect(pair.host.call(fan, [1, true], { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow(
      'early',
    )
    expect(pair.sent.host.length).toBe(sent)
  })

  it('that takes longer than it may is ended by the device', async () => {
    const pair = await new Pair(countingBoard()).ready()
    await expect(pair.during(pair.host.call(door, [30], { timeMs: 20_000 }))).rejects.toMatchObject({
      code: LinkCode.TimedOut,
    })
  })

  it('that is longer than the device can take is refused at the host', async () => {
    const pair = await new Pair(countingBoard()).ready()
    await expect(pair.host.call(mode, ['x'.repeat(2000)])).rejects.toMatchObject({ code: LinkCode.TooLarge })
  })
})

describe('fail-safe', () => {
  it('fires when the host falls silent, once, on time, and calls that run are broken off', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves, device: { failSafeMs: 2000 } }).ready()
    await pair.during(pair.host.call(fan, [80, true]))
    await pair.clock.advance(60_000)
    expect(moves.length, 'while the host lives nothing is made safe').toBe(1)
    const running = pair.host.call(door, [30])
    await pair.clock.advance(100)
    pair.host.keepAlive(false)
    const failed = expect(running).rejects.toMatchObject({ code: LinkCode.Stopped })
    await pair.clock.advance(1800)
    expect(moves.length).toBe(2)
    await pair.clock.advance(300)
    expect(moves.slice(2)).toEqual([{ level: 0, on: false }])
    await failed
    await pair.clock.advance(60_000)
    expect(moves.length).toBe(3)
  })

  it('a shorter period may be asked for, a longer one is not granted', async () => {
    const short = await new Pair({ ...countingBoard(), host: { failSafeMs: 1000 } }).ready()
    expect(short.host.hello!.failSafeMs).toBe(1000)
    const long = await new Pair({ ...countingBoard(), host: { failSafeMs: 60_000 } }).ready()
    expect(long.host.hello!.failSafeMs).toBe(5000)
  })

  it('frames of another session do not feed it', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves, device: { failSafeMs: 1000 } }).ready()
    await pair.during(pair.host.call(fan, [80, true]))
    pair.host.keepAlive(false)
    for (let i = 0; i < 20; i++) {
      pair.device.receive(frame(hostArray({ kind: 'ping', session: pair.host.session ^ 1, id: -1 })))
      await pair.clock.advance(100)
    }
    expect(moves.at(-1)).toEqual({ level: 0, on: false })
  })
})

describe('stop', () => {
  it('goes ahead of all that waits, makes everything safe, and ends what runs', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves, delayMs: 20 }).ready()
    const running = pair.host.call(door, [30])
    const ended = expect(running).rejects.toMatchObject({ code: LinkCode.Stopped })
    await pair.clock.advance(200)
    const waiting = [1, 2, 3].map(level => pair.host.call(fan, [level, true]))
    const stop = pair.host.stop()
    expect(messagesOf(pair.sent.host.slice(-1))[0]!.kind).toBe('stop')
    expect(await pair.during(stop)).toEqual([])
    await ended
    await pair.during(Promise.all(waiting))
    expect(moves.findIndex(({ on }) => !on)).toBeLessThan(3)
  })

  it('is obeyed without a session, and from another host', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    await pair.during(pair.host.call(fan, [80, true]))
    pair.device.receive(frame(hostArray({ kind: 'stop', session: 1, id: -21 })))
    await pair.clock.advance(10)
    expect(moves.at(-1)).toEqual({ level: 0, on: false })
  })

  it('names what did not get safe', async () => {
    const { board } = countingBoard()
    board.actuators!.fan!.set = () => {
      throw new Error('i2c is stuck')
    }
    const pair = await new Pair({ board }).ready()
    expect(await pair.during(pair.host.stop())).toEqual([fan])
  })

  it('waits for an actuator that takes a while to get safe', async () => {
    const { board } = countingBoard()
    const clock = new OwnedClock()
    board.actuators!.fan!.set = () => new Promise<void>(resolve => void clock.setTimeout(resolve, 900))
    const pair = await new Pair({ board, clock }).ready()
    expect(await pair.during(pair.host.stop())).toEqual([])
    board.actuators!.fan!.set = () => new Promise<void>(() => {})
    expect(await pair.during(pair.host.stop())).toEqual([fan])
  })

  it('says so when the device is gone', async () => {
    const pair = await new Pair(countingBoard()).ready()
    pair.plugged = false
    await expect(pair.during(pair.host.stop())).rejects.toThrow(LinkDownError)
  })
})

describe('watching', () => {
  it('tells changes beyond the dead band, no more often than asked for, also after a restart', async () => {
    const { board, state } = countingBoard()
    const pair = await new Pair({ board }).ready()
    const seen: unknown[] = []
    const end = pair.host.watch(0, ({ value }) => void seen.push(value), { minIntervalMs: 200 })
    await pair.clock.advance(1000)
    state.temperature = 21.8
    await pair.clock.advance(1000)
    state.temperature = 23
    await pair.clock.advance(1000)
    expect(seen).toEqual([21.5, 23])
    pair.reset(100)
    await pair.clock.advance(1000)
    state.temperature = 25
    await pair.clock.advance(1000)
    expect(seen).toEqual([21.5, 23, 25])
    end()
    await pair.clock.advance(100)
    state.temperature = 30
    await pair.clock.advance(1000)
    expect(seen).toEqual([21.5, 23, 25])
  })

  it('an update that got lost is made good by the next ping', async () => {
    const { board, state } = countingBoard()
    const pair = await new Pair({ board }).ready()
    const seen: unknown[] = []
    pair.host.watch(0, ({ value }) => void seen.push(value))
    await pair.clock.advance(300)
    pair.toHost = () => new Uint8Array(0)
    state.temperature = 40
    await pair.clock.advance(150)
    pair.toHost = bytes => bytes
    await pair.clock.advance(2500)
    expect(seen).toEqual([21.5, 40])
  })

  it('a sensor that stopped answering is told once, as null', async () => {
    const { board } = countingBoard()
    let works = true
    board.sensors!.broken = {
      minIntervalMs: 50,
      read: () => {
        if (works) return 1
        throw new Error('gone')
      },
    }
    const pair = await new Pair({ board }).ready()
    const seen: unknown[] = []
    pair.host.watch(3, ({ value }) => void seen.push(value))
    await pair.clock.advance(200)
    works = false
    await pair.clock.advance(500)
    works = true
    await pair.clock.advance(500)
    expect(seen).toEqual([1, null, 1])
  })
})

describe('two hosts on one line', () => {
  it('with the same ids never get each other’s answers, and the one that lost its session hears of it', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    const first = pair.host
    const lost: string[] = []
    const second = new LinkHost({
      clock: pair.clock,
      random: () => 0.999,
      outlet: { write: bytes => pair.later(() => pair.device.receive(bytes)) },
      onLost: why => void lost.push(why),
    })
    pair.toHost = bytes => {
      second.receive(bytes)
      return bytes
    }
    const running = first.call(door, [30])
    const ended = expect(running).rejects.toThrow(/unknown/)
    await pair.clock.advance(100)
    first.keepAlive(false)
    second.start()
    await pair.clock.advance(100)
    expect(second.hello?.name).toBe('bench')
    await pair.during(second.call(fan, [2, true]))
    expect(moves.at(-1)).toEqual({ level: 2, on: true })
    await pair.during(Promise.allSettled([first.read(0)]))
    await ended
    expect(pair.events.at(-2)).toContain('another program')
    second.close()
  })

  it('a late answer of an earlier session is dropped and told', async () => {
    const said: string[] = []
    const pair = await new Pair({ ...countingBoard(), host: { diagnose: text => void said.push(text) } }).ready()
    const late = pair.host.counters.late
    pair.host.receive(frame(deviceArray({ kind: 'result', session: pair.host.session ^ 1, id: 1, item: 5, ageMs: 0 })))
    pair.host.receive(frame(deviceArray({ kind: 'result', session: pair.host.session, id: 99, item: 5, ageMs: 0 })))
    expect(pair.host.counters.late).toBe(late + 2)
    expect(said).toEqual([expect.stringContaining('late result'), expect.stringContaining('question 99')])
  })

  it('a hello of the same number after other frames forgets the ids; before them it is a copy', async () => {
    const { board, moves } = countingBoard()
    const pair = await new Pair({ board, moves }).ready()
    pair.host.keepAlive(false)
    const hello = frame([0, 0x4a21, 1, new Map()])
    const call = (level: number) => frame([4, 0x4a21, 1, fan, [level, true]])
    for (const bytes of [hello, hello, call(1), call(1), hello, call(2)]) pair.device.receive(bytes)
    await settled()
    expect(moves.map(({ level }) => level)).toEqual([1, 2])
  })
})

describe('the end', () => {
  it('suspended, it is silent until it is started again; closed, nothing waits and no timer is left', async () => {
    const pair = await new Pair(countingBoard()).ready()
    const call = pair.host.call(door, [30])
    const ended = expect(call).rejects.toThrow(/the cable was pulled while .* unknown/)
    await pair.clock.advance(100)
    pair.host.suspend()
    await ended
    const sent = pair.sent.host.length
    await pair.clock.advance(10_000)
    expect(pair.sent.host.length).toBe(sent)
    pair.host.start()
    await pair.clock.advance(2000)
    expect(pair.events.at(-1)).toBe('ready')
    const read = pair.host.read(2)
    const closed = expect(read).rejects.toThrow('closed')
    await pair.clock.advance(5)
    pair.host.close()
    await closed
    await pair.device.close()
    await pair.clock.advance(30_000)
    expect(pair.clock.pending).toBe(0)
    expect(pair.host.pending).toBe(0)
  })

  it('a line whose write throws is one on which frames get lost', async () => {
    const clock = new OwnedClock()
    const host = new LinkHost({
      clock,
      outlet: {
        write: () => {
          throw new Error('EIO')
        },
      },
    })
    host.start()
    const read = expect(host.read(0)).rejects.toThrow(LinkDownError)
    await clock.advance(4000)
    await read
    host.close()
    expect(clock.pending).toBe(0)
  })
})
