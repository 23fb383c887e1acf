import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { here, type MicroPython } from './interpreters.ts'

/** A board in Python, played step by step by a clock that the test holds. */
export interface Stepped {
  /** Takes bytes at a time in milliseconds, and gives what the board sent until then. */
  step(now: number, bytes: Uint8Array): Promise<Uint8Array>
  /** It loses its memory, and starts with another boot count at the next step. */
  restart(boot: number): void
  close(): void
}

/** The way to make a board that runs in MicroPython, in this process. */
export async function inMicroPython(
  load: (print: (bytes: Uint8Array) => void) => Promise<MicroPython>,
  module: string,
  boot: number,
): Promise<{ step(now: number, bytes: Uint8Array): Uint8Array; restart(boot: number): void; python: MicroPython }> {
  let sent: Uint8Array[] = []
  const python = await load(bytes => void sent.push(bytes))
  python.registerJsModule('rig', { sent: (hex: string) => void sent.push(Buffer.from(hex, 'hex')) })
  const restart = (starts: number) => python.runPython(`player = steps.Steps(${module}.make, ${starts}, rig.sent)`)
  python.runPython(`import rig, steps, ${module}
def step(now, bytes_in): player.step(now, bytes_in)`)
  restart(boot)
  const step = python.globals.get('step')
  return {
    python,
    restart,
    step(now, bytes) {
      sent = []
      step(now, Buffer.from(bytes).toString('hex'))
      return Buffer.concat(sent)
    },
  }
}

/** The same for MicroPython as for a child. */
export async function steppedInMicroPython(
  load: Parameters<typeof inMicroPython>[0],
  module: string,
  boot: number,
): Promise<Stepped> {
  const { step, restart } = await inMicroPython(load, module, boot)
  return { step: async (now, bytes) => step(now, bytes), restart, close() {} }
}

/** A board that runs in CPython, as a child. */
export function steppedInCPython(python: string, module: string, boot: number): Stepped {
  const child = spawn(python, ['-B', join(here, 'stepped.py'), module], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async step(now, bytes) {
      child.stdin.write(`${JSON.stringify([now, Buffer.from(bytes).toString('hex'), boot])}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error('the board in CPython ended: see what it wrote on stderr')
      return Buffer.from(JSON.parse(value), 'hex')
    },
    restart(starts) {
      boot = starts
    },
    close: () => void child.stdin.end(),
  }
}
