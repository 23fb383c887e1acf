import process from 'node:process'
import type { Server } from '../runtime/index.ts'
import { type PortChange, serveSerial } from '../transports/serial/index.ts'
import { exitCodes } from './failure.ts'
import { asFailure, type PortUse } from './line-options.ts'
import { stopOnSignal } from './stop-signal.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Whatever hangs, the process is gone after this. */
const leaveMs = 1700

/**
 * Serves whoever is at the other end of a cable, until a signal comes: then the actuators go to their safe state and the
 * process ends. They go there too when the cable is pulled, since nobody can stop them any more.
 */
export async function serveOnCable(server: Server, spec: string, use: PortUse): Promise<never> {
  const say = (text: string) => void process.stderr.write(`ferrule: ${text}\n`)
  server.diagnose = say
  process.on('exit', () => server.makeSafeNow())
  stopOnSignal(server, say)
  const { promise: told, resolve: leave } = withResolvers<number>()
  for (const signal of signals) process.on(signal, () => leave(exitCodes.ok))
  process.on('uncaughtException', error => {
    say(`crash: ${error.stack ?? error}`)
    leave(exitCodes.failed)
  })
  let wasOpen = false
  const onChange = (change: PortChange) => {
    if (change.state === 'open') say(`serves ${server.board.name} at ${change.name}`)
    if (change.state === 'away') say(change.reason.message)
    if (wasOpen && change.state === 'away') {
      void server.makeSafe().then(failures => {
        for (const failure of failures) say(failure)
      })
    }
    wasOpen = change.state === 'open'
  }
  const serving = asFailure(() => serveSerial(server, spec, { ...use, onChange }))
  // The reason is told already; the server stays, so that every call can tell it too.
  await server.open().catch(() => {})
  const code = await told
  setTimeout(() => process.exit(code), leaveMs)
  await server.makeSafe()
  await server.close('The server is shutting down')
  await serving.close()
  process.exit(code)
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
