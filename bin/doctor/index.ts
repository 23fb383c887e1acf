import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Arguments } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { portUse } from '../line-options.ts'
import { Examination } from './steps.ts'

/** `ferrule doctor`: goes from the cable to the first reading, or through the configuration of a host. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const [spec] = positionals
  const file = values['host-config']
  if (spec !== undefined && file !== undefined) {
    throw new Failure('doctor takes a port or --host-config FILE, not both', exitCodes.wrongUse)
  }
  const examination = new Examination(line => void process.stdout.write(`${line}\n`))
  if (file !== undefined) {
    // A quoted ~ comes through the shell as it is.
    const path = String(file).replace(/^~(?=[\\/])/, () => homedir())
    await (await import('./host.ts')).examineHost(join(path), examination)
  } else {
    const timeoutMs = values.timeout === undefined ? undefined : Number(values.timeout)
    await (await import('./port.ts')).examinePort(spec, portUse(values), timeoutMs, examination)
  }
  process.exitCode = examination.failed ? exitCodes.failed : exitCodes.ok
}
