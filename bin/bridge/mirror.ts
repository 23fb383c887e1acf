import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { lstatSync, unlinkSync } from 'node:fs'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'

/** A port that shows what a board sends. */
export interface Mirror {
  /** Takes what the board sent. The chunk is copied. */
  show(chunk: Uint8Array): void
  close(): void
}

/** So much may wait for somebody to look, in bytes; after that, what comes is left out. */
const mostUnread = 64 * 1024

/**
 * Makes a pseudo terminal at a path, which any serial monitor can open. What is typed there goes nowhere.
 *
 * Node cannot make one by itself. The program `script`, which belongs to every Linux and macOS, makes one for the shell
 * that it runs, and gives it what it reads: so the shell links its terminal to the path, and stays for as long as this process does.
 */
export function mirrorAt(path: string, say: (text: string) => void): Mirror | undefined {
  if (process.platform === 'win32') {
    say(`--mirror ${path}: Windows has no ports of this kind; the bridge goes on without it`)
    return undefined
  }
  if (!free(path)) {
    say(`--mirror ${path}: something is there already; the bridge goes on without it`)
    return undefined
  }
  const child = start(path)
  child.on('error', error => {
    say(`--mirror ${path} cannot be made (it needs the program "script"): ${error.message}`)
  })
  child.stdin.on('error', () => {})
  child.stdout.once('data', () => say(`${path} shows what the board sends`)).resume()
  // The bridge must not stay because of it.
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref?(): void }).unref?.()
  return {
    show(chunk) {
      if (child.stdin.writable && child.stdin.writableLength < mostUnread) child.stdin.write(Buffer.from(chunk))
    },
    close() {
      child.kill('SIGTERM')
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(path)
    },
  }
}

function start(path: string): ChildProcessByStdio<Writable, Readable, null> {
  // The path goes by the environment: no quoting can be wrong.
  const shell =
    'stty raw -echo; ln -sf "$(tty)" "$FERRULE_MIRROR"; echo; while kill -0 "$FERRULE_PID" 2>/dev/null; do sleep 2; done'
  const args = process.platform === 'linux' ? ['-qfc', shell, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', shell]
  const env = { ...process.env, FERRULE_MIRROR: path, FERRULE_PID: String(process.pid), SHELL: '/bin/sh' }
  return spawn('script', args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
}

/** Nothing is there, or a link that a mirror left behind. */
function free(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return true
  return stat.isSymbolicLink()
}
