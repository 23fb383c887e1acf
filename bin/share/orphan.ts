import process from 'node:process'
import { elapsedMs } from '../elapsed.ts'

const checkMs = 1000

/** How an orphan is told. */
export interface OrphanOptions {
  /** When the host was heard last, by `elapsedMs`. */
  heard(): number
  /** A host that says nothing for so long after the parent is gone is gone too, in milliseconds; 5000 when left out. */
  silentMs?: number
  /** Which process is the parent now; that of this process when left out. */
  parentOf?: () => number
}

/**
 * Aborts when this process has outlived its host: the process that started it is gone, and nothing comes from the host any
 * more, although some other process keeps the pipe open. A host that speaks on was started by way of a launcher.
 */
export function orphaned({ heard, silentMs = 5000, parentOf = () => process.ppid }: OrphanOptions): AbortSignal {
  const gone = new AbortController()
  const parent = parentOf()
  let since: number | undefined
  const timer = setInterval(() => {
    since ??= parentOf() !== parent || isGone(parent) ? elapsedMs() : undefined
    if (since === undefined) return
    if (heard() > since) return clearInterval(timer)
    if (elapsedMs() - since < silentMs) return
    clearInterval(timer)
    gone.abort(new Error(`The host is gone without closing the pipe: process ${parent}, which started this one, ended`))
  }, checkMs)
  timer.unref()
  return gone.signal
}

/** On Windows, which gives an orphan no other parent, whether the process has ended. */
function isGone(parent: number): boolean {
  if (process.platform !== 'win32') return false
  try {
    process.kill(parent, 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
