import type { Peer, Server } from '../../runtime/index.ts'

/** A client in the same process, message by message: for tests, and for programs that serve themselves. */
export interface MemoryClient {
  /** Sends one JSON-RPC message to the server, as an object. */
  send(message: object): void
  /** Sends one line as it would stand on a wire. */
  sendLine(line: string): void
  /** The client leaves: what still runs for it is told to stop. */
  close(): void
}

/**
 * Connects to a server without any bytes between.
 *
 * @param receive takes each message of the server
 * @param peer who the client is, and what it may do
 */
export function connectInMemory(server: Server, receive: (message: any) => void, peer: Peer = {}): MemoryClient {
  const connection = server.connect({ send: line => receive(JSON.parse(line)), congested: false }, peer)
  return {
    // A copy, so that neither side can reach into the other's objects.
    send: message => connection.receive(JSON.stringify(message)),
    sendLine: line => connection.receive(line),
    close: () => connection.close(),
  }
}
