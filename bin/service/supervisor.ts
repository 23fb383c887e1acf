import type { SendDatagram } from './notify-socket.ts'

/** So often the status is looked at when no watchdog sets the pace, in milliseconds. */
const statusMs = 5000

/** What a process has of a supervisor that waits for word from it. */
export interface SupervisorOptions {
  send: SendDatagram
  /** So long it may be silent before it counts as hanging, in milliseconds; without it nobody watches. */
  watchdogMs?: number | undefined
  /** Takes a line for the operator. */
  say: (text: string) => void
}

/**
 * Tells a supervisor, systemd as a rule, how this process is: in the words of sd_notify(3), which are kept until they
 * could be sent. That it lives is told by a timer of the event loop. A loop that is blocked tells nothing, and the
 * supervisor ends the process.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #owed = new Map<string, string>()
  #status = ''
  #watching: NodeJS.Timeout | undefined
  #failed = false

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** What it does now, in a line for people. */
  tells(status: string): void {
    this.#setStatus(status)
    this.#send()
  }

  /** It serves, and its outputs are safe. From now on the status is asked for every now and then. */
  ready(status: () => string): void {
    this.#owed.set('READY', '1')
    this.#watch(status)
  }

  /** It ends, in good order. It is still watched. */
  stopping(): void {
    this.#owed.set('STOPPING', '1')
    const text = 'puts its outputs into their safe state, and ends'
    this.#watch(() => text)
  }

  #watch(status: () => string): void {
    const { watchdogMs } = this.#options
    const tell = () => {
      this.#setStatus(status())
      if (watchdogMs !== undefined) this.#owed.set('WATCHDOG', '1')
      this.#send()
    }
    tell()
    clearInterval(this.#watching)
    // Half the time, as sd_watchdog_enabled(3) recommends.
    this.#watching = setInterval(tell, watchdogMs === undefined ? statusMs : Math.max(1, watchdogMs / 2))
    this.#watching.unref()
  }

  #setStatus(status: string): void {
    if (status === this.#status) return
    this.#status = status
    // Names of devices stand in it, and a line break would begin another word.
    this.#owed.set('STATUS', status.replace(/\s+/g, ' '))
  }

  #send(): void {
    if (this.#owed.size === 0) return
    try {
      this.#options.send(Array.from(this.#owed, ([word, value]) => `${word}=${value}`).join('\n'))
      this.#owed.clear()
    } catch (thrown) {
      if (!this.#failed) this.#options.say(`systemd could not be told how the service is: ${(thrown as Error).message}`)
      this.#failed = true
    }
  }
}

/**
 * The supervisor that started this process and waits for word from it, by `NOTIFY_SOCKET`; nothing when there is none.
 * Its variables are taken out of the environment: what this process starts is not the one to speak.
 */
export async function takeSupervisor(
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
): Promise<Supervisor | undefined> {
  const { NOTIFY_SOCKET: address, WATCHDOG_USEC: watchdogUs, WATCHDOG_PID: watched } = env
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name]
  if (!address) return undefined
  const isWatched = Number(watchdogUs) > 0 && (!watched || Number(watched) === process.pid)
  try {
    const { notifySocket } = await import('./notify-socket.ts')
    return new Supervisor({
      send: notifySocket(address),
      watchdogMs: isWatched ? Number(watchdogUs) / 1000 : undefined,
      say,
    })
  } catch (thrown) {
    say(`systemd waits to hear from this service, and will end it when nothing comes: ${(thrown as Error).message}`)
    return undefined
  }
}
