import process from 'node:process'

/**
 * The real standard output, taken once. From then on everything that prints by `console.log` or `process.stdout.write`,
 * be it a handler or some dependency, goes to standard error: nothing but protocol may reach a host.
 */
export interface ProtocolOutput {
  readonly stream: NodeJS.WriteStream
  write(text: string): boolean
}

let taken: ProtocolOutput | undefined

/** Takes standard output for the protocol. The second call gives what the first took. */
export function takeOutput(): ProtocolOutput {
  if (taken !== undefined) return taken
  const stream = process.stdout
  const write = stream.write.bind(stream) as (text: string) => boolean
  stream.write = ((...args: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...args)) as typeof stream.write
  taken = { stream, write: text => write(text) }
  return taken
}
