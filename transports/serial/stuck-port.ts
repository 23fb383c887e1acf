import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { PolledDescriptor } from './polled-port.ts'

/**
 * Closes a port whose device takes nothing any more: a board with its own USB and a program that hangs. Some drivers do not
 * throw away what was written, and the kernel then waits half a minute for the device, in which the port is not free and
 * the process cannot even exit. Any signal ends that wait, and the end of a child is one that needs no handler of ours.
 */
export function closeStuckPort(port: PolledDescriptor): void {
  const { fd } = port
  if (fd === null) return
  port.poller.stop()
  port.poller.destroy()
  port.fd = null
  const child = spawn('sh', ['-c', 'sleep 0.1 || sleep 1'], { stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
  // In this thread, since it is this one that the signal wakes.
  closeSync(fd)
}
