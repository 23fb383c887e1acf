import process from 'node:process'
import type { Server } from '../runtime/index.ts'

/** Has SIGUSR1 stop a server, where its transport does not see to it. Windows has no such signal. */
export function stopOnSignal(server: Server, say: (text: string) => void): void {
  // Node would open its debugger.
  if (process.platform === 'win32') return
  process.on('SIGUSR1', () => {
    server.stop('SIGUSR1').catch(thrown => say(`the stop was not in good order: ${thrown}`))
  })
}
