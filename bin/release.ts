import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { ownerOf, specsOf } from './bridge/identity.ts'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { asFailure } from './line-options.ts'
import { controlDevice } from './share/control.ts'

/** `ferrule release`: has the bridge let go of a port, and take it back when the upload is done. */
export async function run({ positionals, values, rest }: Arguments): Promise<void> {
  const spec = positionals[0]!
  const owner = await ownerOf(...asFailure(() => specsOf(spec)))
  if (owner === undefined) throw new Failure(`no bridge of yours has ${spec}: it is free, or another program has it`)
  const control = await controlDevice(owner.key, 'release', { hold: true })
  if (control === undefined) throw new Failure(`the bridge that had ${spec} has just ended: the port is free`)
  if (control.answer.ok !== true) throw new Failure(`the bridge does not let go: ${control.answer.error}`)
  say(`the bridge (process ${owner.pid}) has let go of ${owner.ports.map(port => port.path ?? port.spec).join(', ')}`)
  let done = false
  void control.over.then(() => {
    if (!done) say('the bridge has ended meanwhile: the port stays free')
  })
  try {
    if (rest !== undefined) process.exitCode = await runCommand(rest)
    else await waited(values.for === undefined ? undefined : Number(values.for))
  } finally {
    done = true
    control.close()
    await control.over
  }
  say('the bridge takes it back')
}

/** The bridge takes the port back when this process is gone, so nothing more is needed against a Ctrl-C. */
function waited(seconds: number | undefined): Promise<void> {
  if (seconds !== undefined) {
    say(`it is taken back in ${seconds} s; Ctrl-C takes it back now`)
    return new Promise(resolve => setTimeout(resolve, seconds * 1000))
  }
  say('upload now, then press Enter here')
  const lines = createInterface({ input: process.stdin })
  return new Promise(resolve => {
    const done = () => {
      lines.close()
      // What is still open would hold up the end.
      process.stdin.destroy()
      resolve()
    }
    lines.once('line', done).once('close', done)
  })
}

function runCommand([command, ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command!, args, { stdio: 'inherit' })
    child.once('error', error => reject(new Failure(`${command} does not start: ${error.message}`)))
    child.once('close', code => resolve(code ?? exitCodes.failed))
  })
}

function say(text: string): void {
  process.stderr.write(`ferrule: ${text}\n`)
}
