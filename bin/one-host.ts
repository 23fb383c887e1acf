import type { Server } from '../runtime/index.ts'
import { stdio } from '../transports/stdio/index.ts'
import { elapsedMs } from './elapsed.ts'
import { orphaned } from './share/orphan.ts'

/** Serves the host that started this process until it is gone, also when it ended without closing the pipe. */
export function serveHost(server: Server): Promise<void> {
  let heardAt = 0
  const heard = () => {
    heardAt = elapsedMs()
  }
  return stdio({ heard, signal: orphaned({ heard: () => heardAt }) }).serve(server)
}
