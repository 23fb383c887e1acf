import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Kernel } from './kernel.ts'

/** What a kernel boots into. */
export interface BootOptions {
  kernel: Kernel
  /** The first process: a path on this machine. */
  init: string
  /** The one folder in which the guest can write. The first process leaves the result there, in the file `status`. */
  run: string
  /** After so long a run has failed, in milliseconds. */
  patienceMs: number
}

/**
 * Boots the kernel, shows what it prints, and gives the status with which its first process ended the tests. The root of
 * the guest is that of this machine, and never to be written to.
 */
export async function boot({ kernel, init, run, patienceMs }: BootOptions): Promise<number> {
  const guest = spawn(
    kernel.program,
    [
      'mem=768M',
      ...['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro'],
      ...[`init=${init}`, `ferrule_run=${run}`, `ferrule_kernel=${kernel.folder}`],
      // So many USB devices can be plugged in at once.
      'dummy_hcd.num=4',
      ...['con0=fd:0,fd:1', 'con=null', 'quiet'],
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], cwd: dirname(run) },
  )
  let kill: NodeJS.Timeout | undefined
  const end = () => {
    guest.kill('SIGTERM')
    // A kernel that hangs does not heed it.
    kill ??= setTimeout(() => guest.kill('SIGKILL'), 5000)
  }
  const timer = setTimeout(end, patienceMs)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, end)
  await new Promise(resolve => guest.once('close', resolve))
  for (const signal of signals) process.off(signal, end)
  clearTimeout(timer)
  clearTimeout(kill)
  const status = join(run, 'status')
  if (existsSync(status)) return Number(readFileSync(status, 'utf8'))
  console.error('The kernel ended before the tests did.')
  return 1
}
