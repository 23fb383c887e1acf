import { builtin } from './builtin.ts'

const { Socket } = builtin('node:net')
const { writeSync } = builtin('node:fs')

/**
 * The real standard output, taken once. From then on everything that prints by `console.log` or `process.stdout.write`,
 * be it a handler or some dependency, goes to standard error: nothing but protocol may reach a host.
 */
export interface ProtocolOutput {
  readonly stream: NodeJS.WriteStream
  write(text: string): boolean
}

const standardOutput = 1
/** A longer text may not fit into a pipe at once, and would then be encoded twice. In characters. */
const longestDirect = 64 * 1024

/** So much may wait for somebody to read standard error, in bytes. Many hosts never do. */
const mostUnread = 1024 * 1024

let taken: ProtocolOutput | undefined
let lost = 0

/** Takes standard output for the protocol. The second call gives what the first took. */
export function takeOutput(): ProtocolOutput {
  if (taken !== undefined) return taken
  const stream = process.stdout
  const write = stream.write.bind(stream) as Write
  stream.write = print as typeof stream.write
  // A print-out like any other: the protocol goes on when it was the last word of somebody else.
  stream.end = ((...args: PrintArguments) => {
    print(...args)
    return stream
  }) as typeof stream.end
  outliveStandardError()
  taken = { stream, write: isPipe(stream) ? text => writeDirect(stream, write, text) : text => write(text) }
  return taken
}

/**
 * A host that closes the operator's end does without print-outs, and not without the server. The stream is still made
 * when somebody first asks for it: it takes half a percent of a start, and 10 kB.
 */
function outliveStandardError(): void {
  const usual = Object.getOwnPropertyDescriptor(process, 'stderr')
  const get = usual?.get
  if (get === undefined) {
    process.stderr.on('error', () => {})
    return
  }
  const first = () => {
    Object.defineProperty(process, 'stderr', usual!)
    return get.call(process).on('error', () => {})
  }
  Object.defineProperty(process, 'stderr', { ...usual, get: first })
}

/** Writes a line for the operator to standard error, as long as somebody reads there. */
export function tellOperator(line: string): void {
  print(`${line}\n`)
}

type Write = (chunk: string | Uint8Array) => boolean

/** A pipe or a socket, which is what hosts give. On Windows only the stream knows how to write to it. */
function isPipe(stream: NodeJS.WriteStream): boolean {
  return Socket !== undefined && stream instanceof Socket && !stream.isTTY && process.platform !== 'win32'
}

/**
 * Writes at once what the pipe takes, which is all of it unless the host is slow. The stream takes what is left, and tells
 * of what goes wrong. By the stream alone an answer is 250 bytes more to collect.
 */
function writeDirect(stream: NodeJS.WriteStream, write: Write, text: string): boolean {
  if (text.length > longestDirect || stream.writableLength > 0 || stream.destroyed) return write(text)
  let written = 0
  try {
    written = writeSync!(standardOutput, text)
  } catch {
    return write(text)
  }
  const bytes = Buffer.byteLength(text)
  return written === bytes || write(Buffer.from(text).subarray(written))
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
