import { cleanText, type McpDevice } from '../../boards/remote/index.ts'
import { type DeviceSession, McpClient } from '../../runtime/client/index.ts'
import type { Board } from '../../runtime/index.ts'
import type { PortError } from '../../transports/serial/index.ts'
import { version } from '../place.ts'
import { findBoard } from './auto.ts'
import { CabledDevice, type CabledDeviceOptions } from './device.ts'
import type { BridgePort } from './options.ts'
import { isCalled, isSought } from './sought.ts'

/** What was found at a port. */
export type Found =
  | { kind: 'link'; cable: CabledDevice; board: Board }
  | { kind: 'mcp'; cable: CabledDevice; client: McpClient; session: DeviceSession }
  | { kind: 'silent'; cable: CabledDevice }
  | { kind: 'closed'; cable: CabledDevice; reason: PortError }

/** What is told while it is found out. */
export interface AskTold extends Partial<Pick<CabledDeviceOptions, 'say' | 'onPort' | 'onText'>> {
  /** The cable, before it is opened. */
  made?(cable: CabledDevice): void
}

/** A board may take so long to start and to answer, in milliseconds. */
export const bootMs = 8000

/**
 * Opens a port and finds out what answers there; what is looked for is waited for first. Whoever asks closes the cable.
 *
 * @param ms how long to wait for an answer; for ever when left out
 */
export function ask(port: BridgePort, ms: number | undefined, told: AskTold = {}): Promise<Found> {
  return new Promise(resolve => {
    const done = (found: Found) => {
      clearTimeout(timer)
      resolve(found)
    }
    let timer: NodeJS.Timeout | undefined
    let client: McpClient | undefined
    const meet = async ({ era }: McpDevice) => {
      const made = new McpClient({
        send: line => void cable.remote.sendLine(line).catch(() => {}),
        clientInfo: { name: 'ferrule', version: version() },
        label: port.spec,
      })
      client = made
      try {
        done({ kind: 'mcp', cable, client: made, session: await made.connect(era) })
      } catch (thrown) {
        cable.remote.lookAgain((thrown as Error).message)
      }
    }
    const cable = new CabledDevice({
      say: told.say ?? (() => {}),
      ...(told.onText && { onText: told.onText }),
      port,
      onBoard: board => {
        if (cable.remote.kind === 'link') done({ kind: 'link', cable, board })
      },
      onMcp: mcp => void meet(mcp),
      onMcpLine: line => client?.receive(line),
      onMcpLost: why => client?.lost(why),
      onPort: change => {
        told.onPort?.(change)
        if (change.state === 'away') done({ kind: 'closed', cable, reason: change.reason })
      },
    })
    const begin = (spec: string) => {
      if (cable.closed.aborted) return
      if (ms !== undefined) timer = setTimeout(() => done({ kind: 'silent', cable }), ms)
      cable.start(spec)
    }
    told.made?.(cable)
    if (!isSought(port.spec)) return begin(port.spec)
    const say = told.say ?? (() => {})
    const found = findBoard({
      spec: port.spec,
      say,
      signal: cable.closed,
      answers: (spec, called) => answers({ ...port, spec }, called),
    })
    found.then(begin, thrown => {
      if (!cable.closed.aborted) say((thrown as Error).message)
    })
  })
}

/** Whether a board answers at a port; and, where a name is given, one that is called so. */
export async function answers(port: BridgePort, called?: string): Promise<boolean> {
  const found = await ask(port, bootMs)
  await found.cable.close()
  if (found.kind !== 'link' && found.kind !== 'mcp') return false
  const { name, title } = found.kind === 'link' ? found.board : found.session.serverInfo
  return called === undefined || isCalled(called, [name, title, foundText(found)])
}

/** What was found, in a few words: `greenhouse 1.2.0 (compact link)`. */
export function foundText(found: Found): string {
  switch (found.kind) {
    case 'link':
      return `${nameAndVersion(found.board.title ?? found.board.name, found.board.version)} (compact link)`
    case 'mcp': {
      const { serverInfo, version } = found.session
      return `${nameAndVersion(serverInfo.title ?? serverInfo.name, serverInfo.version)} (MCP ${version})`
    }
    case 'silent':
      return 'nothing that is known answers'
    case 'closed':
      return found.reason.message
  }
}

function nameAndVersion(name: string, version = ''): string {
  return cleanText(`${name} ${version}`, 100)
}
