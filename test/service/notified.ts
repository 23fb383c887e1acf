import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Node cannot bind a datagram socket with a path, and Python can. */
const program = `
import json, os, socket, struct, sys
at = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.setsockopt(socket.SOL_SOCKET, 16, 1)
listener.bind('\\0' + at[1:] if at.startswith('@') else at)
print('"bound"', flush=True)
while True:
    text, sent, _, _ = listener.recvmsg(65536, socket.CMSG_SPACE(12))
    pid = struct.unpack('iii', sent[0][2])[0]
    print(json.dumps({'pid': pid, 'words': dict(line.split('=', 1) for line in text.decode().split('\\n'))}), flush=True)
`

/** What a process told its supervisor at once, and which process the kernel says it was. */
export interface Told {
  pid: number
  words: Record<string, string>
}

/** A supervisor that listens, at a real socket. */
export class Notified {
  readonly told: Told[] = []
  readonly address: string
  readonly #process: ChildProcess
  readonly #watching = new Set<() => void>()
  #bound = false

  private constructor(address: string) {
    this.address = address
    this.#process = spawn('python3', ['-c', program, address], { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: this.#process.stdout! }).on('line', line => {
      const message = JSON.parse(line)
      if (message === 'bound') this.#bound = true
      else this.told.push(message)
      for (const watch of this.#watching) watch()
    })
  }

  /** Listens at a path, or at a name in the abstract namespace, until the test is over. */
  static async at(where: 'path' | 'name' = 'path'): Promise<Notified> {
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-notify-'))
    const one = new Notified(where === 'path' ? join(folder, 'notify') : `@${folder}`)
    onTestFinished(() => {
      one.#process.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })
    await one.#until(() => one.#bound, 'its socket')
    return one
  }

  /** Waits until something was told that fits. */
  async hears(isIt: (words: Told['words']) => boolean, what: string): Promise<Told> {
    const found = () => this.told.find(({ words }) => isIt(words))
    await this.#until(() => found() !== undefined, what)
    return found()!
  }

  /** Waits until so many have been told since now. */
  async more(count: number): Promise<void> {
    const from = this.told.length
    await this.#until(() => this.told.length >= from + count, `${count} more messages`)
  }

  #until(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watching.delete(watch)
        reject(new Error(`waited for ${what}; told was ${JSON.stringify(this.told)}`))
      }, 60_000)
      const watch = () => {
        if (!isSo()) return
        clearTimeout(timer)
        this.#watching.delete(watch)
        resolve()
      }
      this.#watching.add(watch)
      watch()
    })
  }
}

/** Whether this machine can listen like a supervisor. */
export function canListen(): boolean {
  if (process.platform !== 'linux') return false
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
