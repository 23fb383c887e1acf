import type { Server } from '../runtime/index.ts'
import { stdio } from '../transports/stdio/index.ts'
import { orphaned } from './share/orphan.ts'

/** Serves the host that started this process until it is gone, also when it ended without closing the pipe. */
export function serveHost(server: Server): Promise<void> {
  let heardAt = 0
  const connect = server.connect.bind(server)
  server.connect = (outlet, peer) => {
    const connection = connect(outlet, peer)
    const receive = connection.receive.bind(connection)
    connection.receive = line => {
      heardAt = performance.now()
      receive(line)
    }
    return connection
  }
  return stdio({ signal: orphaned({ heard: () => heardAt }) }).serve(server)
}
