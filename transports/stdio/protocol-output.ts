/**
 * The real standard output, taken once. From then on everything that prints by `console.log` or `process.stdout.write`,
 * be it a handler or some dependency, goes to standard error: nothing but protocol may reach a host.
 */
export interface ProtocolOutput {
  readonly stream: NodeJS.WriteStream
  write(text: string): boolean
}

/** So much may wait for somebody to read standard error, in bytes. Many hosts never do. */
const mostUnread = 1024 * 1024

let taken: ProtocolOutput | undefined
let lost = 0

/** Takes standard output for the protocol. The second call gives what the first took. */
export function takeOutput(): ProtocolOutput {
  if (taken !== undefined) return taken
  const stream = process.stdout
  const write = stream.write.bind(stream) as (text: string) => boolean
  stream.write = print as typeof stream.write
  // A print-out like any other: the protocol goes on when it was the last word of somebody else.
  stream.end = ((...args: PrintArguments) => {
    print(...args)
    return stream
  }) as typeof stream.end
  // A host that closes the operator's end does without print-outs, and not without the server.
  process.stderr.on('error', () => {})
  taken = { stream, write: text => write(text) }
  return taken
}

/** Writes a line for the operator to standard error, as long as somebody reads there. */
export function tellOperator(line: string): void {
  print(`${line}\n`)
}

type PrintArguments = [chunk?: unknown, encoding?: unknown, callback?: unknown]

/**
 * Takes what `write` and `end` of a stream take. Always true: whoever waits for `drain` of standard output would wait
 * for the host to read, who has nothing to do with it.
 */
function print(...args: PrintArguments): true {
  const { stderr } = process
  const [chunk, encoding] = args
  const callback = args.find(arg => typeof arg === 'function') as (() => void) | undefined
  const isText = typeof chunk === 'string' || chunk instanceof Uint8Array
  if (isText && stderr.writableLength <= mostUnread) {
    if (lost > 0) stderr.write(`ferrule: ${lost} print-outs are missing here, because nobody read stderr\n`)
    lost = 0
    stderr.write(chunk as string, encoding as BufferEncoding, callback)
  } else {
    if (isText) lost++
    if (callback !== undefined) process.nextTick(callback)
  }
  return true
}
