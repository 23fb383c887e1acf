import { Atmega328p, EmulatorMissing, RealTime, wireGreenhouse } from '../../boards/microcontroller/emulator/index.ts'
import type { Arguments } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { loadImage } from './image.ts'
import { LineServer } from './line-server.ts'

/** `ferrule emulate`: a chip that runs an image, with its serial line on a TCP port, until a signal comes. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const [host, port] = addressOf(String(values.listen ?? '127.0.0.1:0'))
  const image = loadImage(positionals[0])
  const chip = await Atmega328p.create({ program: image.program }).catch(thrown => {
    throw thrown instanceof EmulatorMissing ? new Failure(thrown.message) : thrown
  })
  wireGreenhouse(chip)
  const time: RealTime = new RealTime(chip, { onStretch: () => line.flush() })
  const line = new LineServer({ chip, time, say, resetOnOpen: values['reset-on-open'] === true })
  const address = await line.listen(host, port).catch(thrown => {
    throw new Failure(`cannot listen at ${host}:${port}: ${reasons[thrown.code] ?? thrown.message}`)
  })
  if (values.pins === true) showPins(chip)
  process.stdout.write(`${address}\n`)
  say(`${image.name} runs on an emulated ATmega328P; its serial line is at ${address}`)
  say(`serve it to a host: ferrule bridge --port ${address}`)
  time.start()
  const leave = () => {
    time.stop()
    line.close()
    if (time.lostMs > 0) say(`this machine was too slow for the chip: its clock lost ${Math.round(time.lostMs)} ms`)
    process.exit(exitCodes.ok)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave)
  // Whoever started it and is gone without a word left its standard input at an end.
  if (values['while-stdin'] === true) process.stdin.once('end', leave).once('close', leave).resume()
}

/** The shortest time between two lines about a pin that moves all the time, as one with PWM does, in seconds. */
const leastSeconds = 1

/** Prints what the pins do. */
function showPins(chip: Atmega328p): void {
  for (const pin of chip.pins) {
    let due = 0
    pin.onChange((high, cycle) => {
      const seconds = cycle / chip.hz
      if (seconds < due) return
      due = pin.rises + pin.falls > 4 ? seconds + leastSeconds : 0
      say(`${seconds.toFixed(3)} s  ${pin.name} ${high ? 'high' : 'low'}`)
    })
  }
}

function addressOf(text: string): [host: string, port: number] {
  const [, host = '', digits = ''] = /^(\[[0-9a-f:.]+\]|[^:[\]]+):(\d{1,5})$/i.exec(text) ?? []
  if (host === '' || Number(digits) > 65_535) {
    throw new Failure(`--listen is HOST:PORT, such as 127.0.0.1:5000, not ${text}`, exitCodes.wrongUse)
  }
  return [host.replace(/^\[|\]$/g, ''), Number(digits)]
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program listens there; leave --listen out, and a free port is taken',
  EACCES: 'it is not allowed; take a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the name is not known',
}

function say(text: string): void {
  process.stderr.write(`ferrule: ${text}\n`)
}
