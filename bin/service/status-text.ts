import type { Server } from '../../runtime/index.ts'

/** A server in a line, for whoever looks at the service. */
export function statusText({ board, clients, stopped }: Server, at: string): string {
  const who = clients === 0 ? 'no client' : clients === 1 ? '1 client' : `${clients} clients`
  return `${board.name} at ${at}, ${who}${stopped ? `; stopped, until somebody says "ferrule arm ${board.name}"` : ''}`
}
