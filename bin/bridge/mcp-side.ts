import {
  cleanText,
  cleanValue,
  deviceInstructions,
  fitName,
  type McpDevice,
  type RemoteDevice,
} from '../../boards/remote/index.ts'
import { type DeviceSession, McpClient } from '../../runtime/client/index.ts'
import type { Board, Server } from '../../runtime/index.ts'
import { version } from '../place.ts'
import { type DeviceLists, passThrough } from './pass-through.ts'

/** What an {@link McpSide} works on. */
export interface McpSideOptions {
  remote: RemoteDevice
  server: Server
  /** Stands before the names of what the device has. */
  prefix: string | undefined
  /** How long the device may take for one answer, in milliseconds. */
  answerMs: number | undefined
  /** How long a request that is made now waits for a device that is away, in milliseconds. */
  awayMs(): number
  /** What the device calls itself, as a board without anything on it. */
  onBoard(board: Board): void
  say(text: string): void
}

/** What is kept of such a device between two runs. */
interface Kept {
  lists: DeviceLists
  board: Pick<Board, 'name' | 'version' | 'title' | 'about'>
}

/** A device that speaks MCP itself: what it has is offered as the server's own, for as long as it does. */
export class McpSide {
  readonly #options: McpSideOptions
  readonly #client: McpClient
  #board: Kept['board'] | undefined = undefined
  #passing: Promise<() => void> | undefined = undefined
  #here = false

  constructor(options: McpSideOptions) {
    const { remote, answerMs, awayMs, say } = options
    this.#options = options
    this.#client = new McpClient({
      send: line => void remote.sendLine(line).catch(() => {}),
      clientInfo: { name: 'ferrule', version: version() },
      label: remote.label,
      diagnose: say,
      awayMs,
      ...(answerMs !== undefined && { requestTimeoutMs: answerMs }),
    })
    const { stored } = remote
    const kept = stored?.kind === 'mcp' ? keptOf(stored.lists) : undefined
    if (kept !== undefined) {
      this.#take(kept.board)
      this.#passing = this.#pass(kept.lists)
    }
  }

  /** The device was found. Resolves when its lists are there, or it went away again. */
  async met({ era }: McpDevice): Promise<void> {
    this.#here = true
    const { remote, say } = this.#options
    try {
      const session = await this.#client.connect(era)
      this.#take(boardOf(session, remote.label))
      this.#passing ??= this.#pass(undefined)
      await this.#passing
    } catch (thrown) {
      if (!this.#here) return
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      say(`${why}. It is asked again`)
      remote.lookAgain(why)
    }
  }

  line(text: string): void {
    this.#client.receive(text)
  }

  lost(why: string): void {
    this.#here = false
    this.#client.lost(why)
  }

  /** The device speaks something else now: what it had is gone. */
  async forget(): Promise<void> {
    const passing = this.#passing
    this.#passing = undefined
    const end = await passing
    end?.()
  }

  close(): void {
    this.#client.close()
  }

  #take(board: Kept['board']): void {
    this.#board = board
    this.#options.onBoard({ ...board, description: deviceInstructions, sensors: {}, actuators: {} })
  }

  #pass(stored: DeviceLists | undefined): Promise<() => void> {
    const { server, prefix, remote, say } = this.#options
    return passThrough(server, this.#client, {
      diagnose: say,
      onLists: lists => {
        if (this.#board !== undefined) remote.rememberMcp({ lists, board: this.#board } satisfies Kept)
      },
      ...(prefix !== undefined && { prefix }),
      ...(stored !== undefined && { stored }),
    })
  }
}

function boardOf({ serverInfo, instructions }: DeviceSession, label: string): Kept['board'] {
  const { name, version, title } = serverInfo
  return {
    name: fitName(name, fitName(label.replace(/^\/dev\//, ''), 'device')),
    version: cleanText(version, 64) || '0.0.0',
    ...(title !== undefined && { title: cleanText(title, 120) }),
    ...(instructions !== undefined && { about: cleanValue(instructions) }),
  }
}

/** What was kept, when it still is what it says: a file may be of another version. */
function keptOf(value: unknown): Kept | undefined {
  const { lists, board } = (value ?? {}) as { lists?: Partial<DeviceLists>; board?: Kept['board'] }
  if (typeof board?.name !== 'string' || lists === undefined) return undefined
  const { tools, resources, resourceTemplates, prompts, completes } = lists
  const all = [tools, resources, resourceTemplates, prompts]
  return all.every(Array.isArray) && typeof completes === 'boolean' ? { lists: lists as DeviceLists, board } : undefined
}
