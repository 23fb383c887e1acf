import { cleanValue, descriptionFiles, mergeBoards } from '../../boards/remote/index.ts'
import { type Board, createServer, DefinitionError, type Server } from '../../runtime/index.ts'
import { Failure } from '../failure.ts'
import type { ServedOverHttp } from '../http-options.ts'
import { serveHost } from '../one-host.ts'
import { type ClosableRecorder, recorderOf } from '../record/options.ts'
import { type OwnContext, type OwnedDevice, type Shared, shareDevice } from '../share/index.ts'
import { openServerDoor } from '../share/server-door.ts'
import { AllowCheck } from './allow-check.ts'
import { boardChanges } from './board-changes.ts'
import { deviceLog } from './device-log.ts'
import { keyOf, storeKeyOf } from './identity.ts'
import { mirrorAt } from './mirror.ts'
import type { BridgeOptions } from './options.ts'
import { ServedDevice } from './served-device.ts'

const longestTold = 8000

/** Serves the host that started this process, until it leaves: by the devices themselves, or by the process that has them. */
export async function serveBridge(options: BridgeOptions): Promise<void> {
  const recorder = await recorderOf(options.record, tellOperator)
  if (!options.share) {
    const { server, close } = await ownDevices(options, recorder)
    return serveHost(closingToo(server, close))
  }
  const shared = await share(options, recorder)
  await shared.serveStdio()
}

/**
 * The same over HTTP, until a signal comes. Bridges that hosts start on this computer go through this process.
 *
 * @throws Failure when another process has the devices
 */
export async function serveBridgeOverHttp(given: BridgeOptions, overHttp: ServedOverHttp): Promise<void> {
  let over = 'http'
  const listens = (url: string) => {
    over = url
  }
  const options = { ...given, over: () => over }
  const { serveOverHttp } = await import('../serve-http.ts')
  const { takeSupervisor } = await import('../service/supervisor.ts')
  const watchers = { listens, supervisor: await takeSupervisor(process.env, tellOperator) }
  const recorder = await recorderOf(options.record, tellOperator)
  if (!options.share) {
    const { server, close } = await ownDevices(options, recorder)
    return serveOverHttp(closingToo(server, close), overHttp, watchers)
  }
  const shared = await share(options, recorder)
  const { server, ownerPid } = shared
  if (server === undefined) {
    throw new Failure(
      `process ${ownerPid} has the board, and only the process that has it can serve it over HTTP: ` +
        'end the app that started that one, start this, and then the app again, whose bridge will go through this one',
    )
  }
  const closeServer = server.close.bind(server)
  server.close = async reason => {
    server.close = closeServer
    await shared.close(reason)
  }
  return serveOverHttp(server, overHttp, watchers)
}

async function share(options: BridgeOptions, recorder: ClosableRecorder | undefined): Promise<Shared> {
  const { limits } = options.operator
  return shareDevice({
    key: await keyOf(options.ports.map(({ spec }) => spec)),
    own: context => ownDevices(options, recorder, context),
    log: tellOperator,
    ...(limits !== undefined && { limits }),
  })
}

/** Takes the devices, and makes the server that offers what they have. */
async function ownDevices(
  options: BridgeOptions,
  recorder: ClosableRecorder | undefined,
  context?: OwnContext,
): Promise<OwnedDevice> {
  const { limits = {} } = options.operator
  let server: Server | undefined
  const say = (text: string) => (server === undefined ? tellOperator(text) : server.diagnose(text))
  const store = descriptionFiles({ diagnose: say })
  const log = deviceLog({ file: options.logFile, say })
  const mirror = options.mirror === undefined ? undefined : mirrorAt(options.mirror, say)
  const allow = new AllowCheck(limits, say)
  const describedAnew = (changes: readonly string[]) => {
    if (changes.length === 0 || server === undefined) return
    const { name: board } = server.board
    const reason = changes.join('; ')
    recorder?.record({ time: new Date().toISOString(), event: 'description', board, reason })
  }
  const changed = () => {
    try {
      if (server === undefined) return
      const { board } = server
      server.replaceBoard(boardOf(devices, options))
      describedAnew(boardChanges(board, server.board))
      allow.check(server)
    } catch (thrown) {
      if (!(thrown instanceof DefinitionError)) throw thrown
      say(`what the board says of itself cannot be served: ${thrown.message}`)
    }
  }
  const devices = await Promise.all(
    options.ports.map(async port => {
      const storeKey = await storeKeyOf(port.spec)
      const told = { onBoard: changed, onChanges: describedAnew }
      return new ServedDevice({ port, store, storeKey, mirror, log, say, limits, ...told })
    }),
  )
  server = createServer(boardOf(devices, options), {
    readSensorsTool: options.readSensors,
    untilKnown: () => allKnown(devices),
    diagnose: tellOperator,
    ...options.operator,
    ...(recorder !== undefined && { recorder }),
    ...(context !== undefined && { requestStateSecret: context.requestStateSecret }),
  })
  stopsDevices(server, devices)
  const known = allKnown(devices)
  for (const device of devices) device.serveOn(server)
  void known?.then(() => allow.check(server))
  for (const device of devices) {
    if (context?.released === true) device.standBy()
    else device.start()
  }
  const closeDoor = await openServerDoor(server, {
    kind: 'bridge',
    over: options.over ?? (() => 'stdio'),
    limits,
    ...(recorder !== undefined && { recordOf: board => recorder.pathOf(board) }),
    controls: { status: () => ({ ports: devices.map(device => device.status()) }) },
  }).catch(thrown => {
    say(`ferrule stop does not find this bridge: ${thrown.message}`)
    return () => {}
  })
  return {
    server,
    async close() {
      closeDoor()
      await Promise.all(devices.map(device => device.close()))
      mirror?.close()
      await log.close()
      await recorder?.close()
    },
    controls: {
      release: async () => void (await Promise.all(devices.map(({ cable }) => cable.release()))),
      retake: () => {
        for (const device of devices) device.start()
      },
      status: () => ({ ports: devices.map(device => device.status()) }),
      trace: write => {
        const stops = devices.map(device => device.trace(traffic => write({ port: device.cable.spec, ...traffic })))
        return () => {
          for (const stop of stops) stop()
        }
      },
    },
  }
}

/** A device that speaks MCP itself is stopped and armed by tools of its own: its board has nothing on it. */
function stopsDevices(server: Server, devices: readonly ServedDevice[]): void {
  const stopBoard = server.stop.bind(server)
  const armBoard = server.arm.bind(server)
  server.stop = async by => {
    const [report, ...others] = await Promise.all([stopBoard(by), ...devices.map(device => device.stop())])
    const reports = [report, ...others.filter(each => each !== undefined)]
    return {
      outputs: reports.flatMap(({ outputs }) => outputs),
      failures: reports.flatMap(({ failures }) => failures),
    }
  }
  server.arm = async by => {
    await Promise.all(devices.map(device => device.arm()))
    await armBoard(by)
  }
}

/** Whoever closes the server gives the devices back, too. */
function closingToo(server: Server, close: () => Promise<void>): Server {
  const closeServer = server.close.bind(server)
  server.close = reason => closeServer(reason).finally(close)
  return server
}

function boardOf(devices: readonly ServedDevice[], { name }: BridgeOptions): Board {
  const [first] = devices
  if (devices.length === 1 && first!.prefix === undefined) {
    const { board } = first!
    return name === undefined ? board : { ...board, name }
  }
  const boards = Object.fromEntries(devices.map(({ prefix, board }) => [prefix!, board]))
  return mergeBoards(boards, { name: name ?? (devices.length === 1 ? first!.prefix! : 'boards') })
}

function allKnown(devices: readonly ServedDevice[]): Promise<void> | undefined {
  const learning = devices.map(device => device.learning).filter(each => each !== undefined)
  return learning.length === 0 ? undefined : Promise.all(learning).then(() => {})
}

function tellOperator(text: string): void {
  // Names and texts of devices stand in it, and a terminal does what it is told.
  process.stderr.write(`ferrule: ${cleanValue(text, longestTold)}\n`)
}
