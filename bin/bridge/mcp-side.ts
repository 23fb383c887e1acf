import {
  cleanText,
  cleanValue,
  deviceInstructions,
  fitName,
  type McpDevice,
  type RemoteDevice,
} from '../../boards/remote/index.ts'
import { type DeviceSession, McpClient } from '../../runtime/client/index.ts'
import { type Board, nobodysCall, type Server, type StopReport, type ToolResult } from '../../runtime/index.ts'
import { version } from '../place.ts'
import { armTool, stopTool, type ToolHold } from './held-tool.ts'
import { offeredName } from './names.ts'
import { type DeviceLists, passThrough } from './pass-through.ts'
import { stopReportOf } from './stop-answer.ts'

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
  hold: ToolHold
  /** What the device calls itself, as a board without anything on it. */
  onBoard(board: Board): void
  /** Its tools are others than the last time. */
  onChanges(changes: readonly string[]): void
  say(text: string): void
}

/** So long such a device may take to stop, or to be armed, in milliseconds. */
const stopMs = 2000

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
  /** The names of its tools. */
  #tools: ReadonlySet<string> = new Set()

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

  /** Has the device stop by its own tool, and tells what became of its outputs; nothing when it does not speak MCP. */
  async stop(): Promise<StopReport | undefined> {
    if (this.#board === undefined) return undefined
    const { prefix } = this.#options
    const failed = (why: string): StopReport => ({
      outputs: [],
      failures: [`${this.#client.deviceName} may not be safe: ${why}. Switch it off by hand`],
    })
    if (!this.#here) return failed('it is away, so it could not be told to stop')
    if (!this.#tools.has(stopTool)) return failed(`it speaks MCP itself and has no tool ${stopTool}`)
    try {
      return stopReportOf(await this.#callTool(stopTool), name => offeredName(name, prefix, () => false))
    } catch (thrown) {
      return failed(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }

  /**
   * A person lets the outputs of the device move again.
   *
   * @throws Error when the device does not take it
   */
  async arm(): Promise<void> {
    if (this.#board === undefined || !this.#tools.has(armTool)) return
    if (!this.#here) throw new Error(`${this.#client.deviceName} is away, so it was not armed`)
    const { isError, content } = await this.#callTool(armTool)
    if (isError === true) throw new Error(`${this.#client.deviceName} was not armed: ${cleanText(textOf(content))}`)
  }

  /** The device speaks something else now: what it had is gone. */
  async forget(): Promise<void> {
    this.#board = undefined
    const passing = this.#passing
    this.#passing = undefined
    const end = await passing
    end?.()
  }

  close(): void {
    this.#client.close()
  }

  /** Calls a tool of the device for the person at the bridge, who has decided already. */
  #callTool(name: string): Promise<ToolResult> {
    const call = nobodysCall({ signal: AbortSignal.timeout(stopMs) }, 'Nobody can be asked')
    const agreed = () => Promise.resolve({ action: 'accept', content: {} } as never)
    return this.#client.callTool(
      name,
      {},
      { ...call, clientCapabilities: { elicitation: { form: {} } }, elicit: agreed },
    )
  }

  #take(board: Kept['board']): void {
    this.#board = board
    this.#options.onBoard({ ...board, description: deviceInstructions, sensors: {}, actuators: {} })
  }

  #toolsOf(lists: DeviceLists | undefined): void {
    this.#tools = new Set(lists?.tools.map(({ name }) => String(name)))
  }

  #pass(stored: DeviceLists | undefined): Promise<() => void> {
    const { server, prefix, remote, say, hold, onChanges } = this.#options
    this.#toolsOf(stored)
    return passThrough(server, this.#client, {
      diagnose: say,
      hold,
      onChanges,
      onLists: lists => {
        this.#toolsOf(lists)
        if (this.#board !== undefined) remote.rememberMcp({ lists, board: this.#board } satisfies Kept)
      },
      ...(prefix !== undefined && { prefix }),
      ...(stored !== undefined && { stored }),
    })
  }
}

function textOf(content: ToolResult['content']): string {
  return content.map(block => (block.type === 'text' ? block.text : '')).join(' ')
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
