/** What can be declared, what cannot, and the ports of different boards: small programs under both interpreters. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it, type TestContext } from 'vitest'
import { projectDir } from '../child.ts'
import { cPython, microPython } from './micropython/interpreters.ts'

const micro = microPython()
const full = cPython()
const cwd = `${projectDir}boards/microcontroller/micropython`

const interpreters: [string, (context: TestContext, code: string) => Promise<string>][] = [
  [
    'MicroPython',
    async (context, code) => {
      const printed: Uint8Array[] = []
      const python = await (await micro.or(context))(bytes => void printed.push(bytes))
      python.runPython(code)
      return Buffer.concat(printed).toString().replaceAll('\r', '')
    },
  ],
  [
    'CPython',
    async (context, code) =>
      execFileSync(await full.or(context), ['-B', '-c', code], { cwd, encoding: 'utf8' }).replaceAll('\r', ''),
  ],
]

const prologue = `
import ferrule
from ferrule import Arg
board = ferrule.Board("bench", id="B1", boot=1)
def wrong(declare):
    try:
        declare(lambda **named: None)
        print("fine")
    except ValueError as error:
        print(error)
`

describe.each(interpreters)('in %s', (_, run) => {
  it.for([
    [
      'a name',
      `wrong(lambda f: ferrule.Board("2 words"))`,
      "'2 words' is no name: a letter, then letters, digits, _ or -",
    ],
    [
      'a misspelled option',
      `wrong(board.actuator(safe=[False], on=bool, hold_fro=5, name="x"))`,
      'hold_fro: 5 is no option and no type of an argument',
    ],
    [
      'a safe value that does not fit',
      `wrong(board.actuator(safe=[7], to=Arg(int, 0, 5), name="x"))`,
      'x: safe: to must lie between 0 and 5',
    ],
    [
      'a safe value that is not all there',
      `wrong(board.actuator(safe={"a": 1}, a=int, b=int, name="x"))`,
      'x: safe: b is missing',
    ],
    [
      'a safe value of a list where the order is not known',
      `wrong(board.actuator(safe=[1, 2], a=int, b=int, name="x"))`,
      "x: name the arguments, as in safe={'a': ...}",
    ],
    [
      'a rule without a safe value',
      `wrong(board.actuator(safe=None, on=bool, hold_for=5, name="x"))`,
      'x: hold_for, group and arming need a safe value',
    ],
    ['two of a name', `board.sensor(name="x")(lambda: 1)\nwrong(board.sensor(name="x"))`, 'x is there twice'],
    [
      'a readback of nothing',
      `board.actuator(safe=None, name="x", readback="y")(lambda: 1)\nwrong(lambda f: board.start())`,
      'x: there is no such sensor to read back',
    ],
    [
      'texts that no frame holds',
      `board.sensor(name="x", description="y" * 1100)(lambda: 1)\nwrong(lambda f: board.start())`,
      "'x': its texts are too long for the link",
    ],
  ] as const)('%s is refused with a reason', async ([, code, reason], context) => {
    expect(await run(context, prologue + code)).toBe(`${reason}\n`)
  })

  it('a UART of MicroPython and a port of CircuitPython are read without waiting, and written whole', async context => {
    const code = `
import ferrule
class Uart:
    def __init__(self):
        self.out = bytearray()
        self.full = True
    def any(self):
        return 1
    def readinto(self, buffer):
        buffer[0] = 65
        return 1
    def write(self, view):
        # A transmit buffer that takes a little at a time, and nothing now and then.
        self.full = not self.full
        if self.full:
            return None
        self.out.extend(view[:7])
        return min(7, len(view))
class Usb:
    in_waiting = 0
    timeout = 1
    write_timeout = None
    def readinto(self, buffer):
        raise RuntimeError
    def write(self, view):
        raise OSError(5)
uart = Uart()
board = ferrule.Board("bench", uart, id="B1", boot=1)
print(board.poll(), bytes(uart.out).count(b"\\n"), uart.out[:2] == b"\\n\\xfe", uart.out[-1])
usb = Usb()
board = ferrule.Board("bench", usb, id="B1", boot=1)
# What is written to a port that is gone is lost, and no more.
print(board.poll(), usb.timeout, usb.write_timeout)
`
    expect(await run(context, code)).toBe('True 2 True 10\nFalse 0 0.5\n')
  })

  it('goes on beside other tasks of asyncio, and is safe when it is cancelled', async context => {
    const code = `
import asyncio
import ferrule
class Line:
    def read(self, buffer): return 0
    def write(self, view): return len(view)
board = ferrule.Board("bench", Line(), id="B1", boot=1)
moves = []
@board.actuator(safe=[False], initial=[True], on=bool)
def pump(on): moves.append(on)
async def main():
    task = asyncio.create_task(board.run_async())
    await asyncio.sleep(0.01)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print(moves)
try:
    asyncio.run(main())
except AttributeError:
    # MicroPython in JavaScript has the loop of JavaScript. A turn by hand instead.
    import sys
    class Loop:
        @staticmethod
        def sleep(seconds):
            yield
    sys.modules["asyncio"] = Loop
    turns = board.run_async()
    turns.send(None)
    turns.close()
    print(moves)
`
    expect(await run(context, code)).toBe('[True, False]\n')
  })
})
