import process from 'node:process'
import type { Server } from '../runtime/index.ts'
import { type PortChange, serveSerial } from '../transports/serial/index.ts'
import { exitCodes } from './failure.ts'
import { asFailure, type PortUse } from './line-options.ts'
import { statusText } from './service/status-text.ts'
import type { Supervisor } from './service/supervisor.ts'
import { stopOnSignal } from './stop-signal.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Whatever hangs, the process is gone after this. */
const leaveMs = 1700

/**
 * Serves whoever is at the other end of a cable, until a signal comes: then the actuators go to their safe state and the
 * process ends. They go there too when the cable is pulled, since nobody can stop them any more.
 *
 * Nobody is listened to before the hardware was made safe. A supervisor that starts it anew is better than a server without
 * its hardware: so with one, it ends.
 *
 * @throws Failure for a port that cannot be meant; what was opened is closed by then
 */
export async function serveOnCable(
  server: Server,
  spec: string,
  use: PortUse,
  supervisor?: Supervisor,
): Promise<never> {
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
  const end = async (code: number): Promise<never> => {
    setTimeout(() => process.exit(code), leaveMs)
    supervisor?.stopping()
    await server.makeSafe()
    await server.close('The server is shutting down')
    await serving?.close()
    process.exit(code)
  }
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
  let serving: ReturnType<typeof serveSerial> | undefined
  supervisor?.tells(`takes the hardware of ${server.board.name}, and makes it safe`)
  const missing = await server.open().then(
    () => undefined,
    // Told already. The server stays, so that every call can tell the reason too.
    (thrown: Error) => thrown,
  )
  if (missing !== undefined && supervisor !== undefined) return end(exitCodes.failed)
  try {
    serving = asFailure(() => serveSerial(server, spec, { ...use, onChange }))
  } catch (thrown) {
    setTimeout(() => process.exit(exitCodes.failed), leaveMs).unref()
    await server.close()
    throw thrown
  }
  supervisor?.ready(() => statusText(server, wasOpen ? spec : `${spec}, which is not there`))
  return end(await told)
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
