import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { LinkDevice } from '../../boards/remote/link/index.ts'
import { actuator, type Board, createServer, type Link, type LinkReceiver, serveLink } from '../../runtime/index.ts'
import { Child, projectDir } from '../child.ts'
import { Pty } from '../serial/pty.ts'

/** What runs on a board behind a cable: takes bytes, and gives some. */
export interface Program {
  receive(chunk: Uint8Array): void
  /** The power is gone. */
  end(): void
}

/** Puts a program on a board. Called at each start of it, with what sends to the host, and how often it was started. */
export type Firmware = (send: (bytes: Uint8Array | string) => void, boot: number) => Program

/** Firmware that speaks the compact link. */
export function linkFirmware(board: Board, id = 'A1B2C3'): Firmware {
  return (send, boot) => {
    const device = new LinkDevice({ board, id, boot, outlet: { write: bytes => send(bytes) } })
    device.start()
    return { receive: chunk => device.receive(chunk), end: () => void device.close() }
  }
}

/** Firmware that speaks MCP itself, in lines of JSON. */
export function mcpFirmware(...given: Parameters<typeof createServer>): Firmware {
  return send => {
    const server = createServer(...given)
    let receiver: LinkReceiver | undefined
    const link: Link = {
      open: opened => {
        receiver = opened
      },
      write: text => {
        send(text)
        return true
      },
      pause: () => {},
      resume: () => {},
    }
    serveLink(server, link, () => {})
    void server.open()
    return { receive: chunk => receiver?.bytes(chunk), end: () => receiver?.end() }
  }
}

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

/** A board as in the README: what it was told to do is written down. */
export function greenhouse(moves: number[] = [], more: Partial<Board> = {}): Board {
  return {
    name: 'greenhouse',
    version: '1.0.0',
    title: 'Greenhouse',
    sensors: {
      soil: { title: 'Soil moisture', unit: '/', minimum: 0, maximum: 1, read: () => 0.42 },
    },
    actuators: {
      fan: actuator({
        title: 'Fan',
        inputSchema: {
          type: 'object',
          properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
          required: ['percent'],
        },
        safe: { percent: 0 },
        set: ({ percent }) => void moves.push(percent),
      }),
    },
    ...more,
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
