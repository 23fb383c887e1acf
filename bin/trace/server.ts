import { type ChildProcess, spawn } from 'node:child_process'
import { Failure } from '../failure.ts'
import { spawning } from '../program.ts'
import { MessageTrace, type Recorder } from './recorder.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Starts a stdio MCP server, passes everything on as it is in both directions, and shows it. Returns the code that the
 * server ended with.
 */
export async function traceServer([command, ...rest]: readonly string[], recorder: Recorder): Promise<number> {
  const { file, args, shell } = spawning(command!, rest)
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], shell })
  const trace = new MessageTrace(recorder)
  const { stdin, stdout } = child
  process.stdin.on('data', (chunk: Buffer) => trace.push('host', chunk))
  process.stdin.pipe(stdin)
  stdout.on('data', (chunk: Buffer) => trace.push('server', chunk))
  stdout.pipe(process.stdout)
  // A server that is gone shows as its end; a host that is gone is the end of input for the server.
  stdin.on('error', () => {})
  process.stdout.on('error', () => stdin.end())
  const passOn = signals.map(signal => {
    const pass = () => void child.kill(signal)
    process.on(signal, pass)
    return () => process.off(signal, pass)
  })
  try {
    const { code, signal } = await ended(child, command!)
    trace.end()
    const how = signal === null ? `with code ${code}` : `by ${signal}`
    const { mistakes } = recorder
    recorder.note(`the server ended ${how}; ${mistakes === 0 ? 'no mistake was seen' : `mistakes: ${mistakes}`}`)
    return code ?? 1
  } finally {
    for (const stop of passOn) stop()
    process.stdin.unpipe(stdin).pause()
  }
}

function ended(child: ChildProcess, command: string): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such program (in the PATH)' : error.message
      reject(new Failure(`${command} does not start: ${why}`))
    })
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}
