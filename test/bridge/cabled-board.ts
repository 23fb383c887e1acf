import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Child, projectDir } from '../child.ts'
import { Pty } from '../serial/pty.ts'
import type { Firmware, Program } from './firmware.ts'

export { type Firmware, greenhouse, linkFirmware, mcpFirmware, type Program } from './firmware.ts'

/** A board on a cable, over a real pty. Its port is a path that stays through unplugging, as a by-id path does. */
export class CabledBoard {
  readonly path: string
  /** Everything that the board took in, as text. */
  heard = ''
  #pty: Pty | undefined = undefined
  #program: Program | undefined = undefined
  #firmware: Firmware
  #boot = 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'ferrule-board-'))
  #waiting: { text: string; resolve: () => void }[] = []

  constructor(firmware: Firmware) {
    this.#firmware = firmware
    this.path = join(this.#folder, 'port')
    this.plug()
    onTestFinished(() => {
      this.unplug()
      rmSync(this.#folder, { recursive: true, force: true })
    })
  }

  plug(): void {
    const pty = new Pty()
    this.#pty = pty
    pty.onBytes = bytes => {
      this.heard += bytes.toString('latin1')
      for (const { text, resolve } of this.#waiting) if (this.heard.includes(text)) resolve()
      this.#program?.receive(bytes)
    }
    symlinkSync(pty.path, this.path)
    this.#start()
  }

  unplug(): void {
    if (this.#pty === undefined) return
    unlinkSync(this.path)
    this.#pty.unplug()
    this.#pty = undefined
    this.#stop()
  }

  /** Resolves when a text reached the board, whether or not anything runs on it that listens. */
  hears(text: string): Promise<void> {
    if (this.heard.includes(text)) return Promise.resolve()
    return new Promise(resolve => this.#waiting.push({ text, resolve }))
  }

  reset(): void {
    this.#stop()
    this.#start()
  }

  /** Puts other firmware on it, which ends in a reset. */
  flash(firmware: Firmware): void {
    this.#firmware = firmware
    this.reset()
  }

  print(text: string): void {
    this.#pty?.write(text)
  }

  /** Ends what runs, and starts nothing: a board whose program hangs. */
  hang(): void {
    this.#stop()
  }

  #start(): void {
    const pty = this.#pty
    let isRunning = true
    const program = this.#firmware(
      bytes => {
        if (isRunning) pty?.write(bytes)
      },
      ++this.#boot,
    )
    this.#program = {
      receive: chunk => program.receive(chunk),
      end: () => {
        isRunning = false
        program.end()
      },
    }
  }

  #stop(): void {
    const program = this.#program
    this.#program = undefined
    program?.end()
  }
}

/** A folder of its own for what a bridge keeps and where it meets others: no test sees what another one left. */
export function ownFolders(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'fb-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { XDG_CACHE_HOME: folder, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder }
}

/** A command of ferrule as a process. It never outlives its test. */
export function startFerrule(words: readonly string[], env: Record<string, string> = ownFolders()): Child {
  const child = new Child(process.execPath, ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), ...words], { env })
  onTestFinished(() => child.stop())
  return child
}
