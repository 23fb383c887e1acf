import { resolve } from 'node:path'
import { type Board, createServer, type Server, type ServerOptions } from '../runtime/index.ts'
import { type Arguments, httpOptionNames, isBuiltIn } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import type { ServedOverHttp } from './http-options.ts'
import { type Loaded, load } from './load.ts'
// Loaded before the server file is: from then on nothing but the protocol reaches stdout, whatever the file prints.
import { serveHost } from './one-host.ts'
import { operatorChoice, operatorOptions } from './operator-options.ts'
import { type ClosableRecorder, recorderOf, recordOptions } from './record/options.ts'
import type { Supervisor } from './service/supervisor.ts'
import type { ServedBy } from './share/server-door.ts'

/** `ferrule serve`: joins the board of a file to stdin and stdout, to a cable, or to HTTP. */
export async function run({ positionals, values, lists = {} }: Arguments): Promise<void> {
  const file = positionals[0]!
  const lonely = ['baud', 'pace', 'dtr'].find(name => values[name] !== undefined && values.serial === undefined)
  if (lonely !== undefined) throw new Failure(`--${lonely} belongs to --serial PATH`, exitCodes.wrongUse)
  const choice = operatorChoice({ values, lists })
  if (values.http !== undefined && values.serial !== undefined) {
    throw new Failure('--http and --serial are two ways to serve: name one of them', exitCodes.wrongUse)
  }
  const standsAlone = values.http !== undefined || values.serial !== undefined
  const supervisor = standsAlone ? await supervisorOf() : undefined
  const overHttp = httpOptionNames.some(name => values[name] !== undefined)
    ? await httpAsked({ values, lists })
    : undefined
  const recorder = await recorderOf(values, say)
  const loaded = await load(file, { values, lists })
  const server = await toServer(file, loaded, values, { ...choice, ...(recorder && { recorder }) })
  if (overHttp instanceof Failure) throw await madeSafe(server, overHttp)
  if (recorder !== undefined) closingToo(server, recorder)
  let over = overHttp === undefined ? String(values.serial ?? 'stdio') : 'http'
  void openDoor(server, {
    kind: 'serve',
    file: isBuiltIn(file) ? file : resolve(file),
    over: () => over,
    limits: choice.limits,
    simulated: values.simulate === true,
    ...(recorder !== undefined && !loaded.server && { recordOf: board => recorder.pathOf(board) }),
  })
  if (overHttp !== undefined) {
    const { serveOverHttp } = await import('./serve-http.ts')
    const listens = (url: string) => {
      over = url
    }
    return serveOverHttp(server, overHttp, { listens, supervisor })
  }
  if (values.serial !== undefined) {
    const [{ serveOnCable }, { portUse }] = await Promise.all([
      import('./serve-serial.ts'),
      import('./line-options.ts'),
    ])
    return serveOnCable(server, String(values.serial), portUse(values), supervisor)
  }
  const greeting = process.stdin.isTTY ? (await import('./greeting.ts')).greeting(file, loaded) : ''
  const served = serveHost(server)
  process.stderr.write(greeting)
  await served
}

/** Who waits for word from this process, before anything that it starts could speak in its place. */
async function supervisorOf(): Promise<Supervisor | undefined> {
  if (process.env.NOTIFY_SOCKET === undefined) return undefined
  return (await import('./service/supervisor.ts')).takeSupervisor(process.env, say)
}

/**
 * How it is to listen; or why it cannot, such as a token that has expired meanwhile. That is no reason to leave on what a
 * former run has left on.
 */
async function httpAsked(given: Pick<Arguments, 'values' | 'lists'>): Promise<ServedOverHttp | undefined | Failure> {
  const { httpOptions } = await import('./http-options.ts')
  return httpOptions(given).catch(thrown => {
    if (thrown instanceof Failure && thrown.exitCode !== exitCodes.wrongUse) return thrown
    throw thrown
  })
}

async function madeSafe(server: Server, failure: Failure): Promise<Failure> {
  server.diagnose = say
  await server.open().catch(() => {})
  await server.close()
  return failure
}

/** While nobody waits for it: a host waits for its first answer. */
async function openDoor(server: Server, by: ServedBy): Promise<void> {
  try {
    await (await import('./share/server-door.ts')).openServerDoor(server, by)
  } catch (thrown) {
    say(`ferrule stop does not find this server: ${(thrown as Error).message}`)
  }
}

/** Options of which somebody believes afterwards that they hold. */
const promises: readonly string[] = [...Object.keys(operatorOptions), 'simulate', ...Object.keys(recordOptions)]
const comforts: readonly string[] = ['read-sensors', 'max-line-bytes', 'max-message-bytes']

async function toServer(
  file: string,
  loaded: Loaded,
  values: Arguments['values'],
  chosen: ServerOptions,
): Promise<Server> {
  if (loaded.server) {
    const given = (names: readonly string[]) => names.filter(name => values[name] !== undefined)
    const [promise] = given(promises).filter(name => name !== 'record' || values.record !== 'off')
    if (promise !== undefined) {
      throw new Failure(
        `${file} makes its own server, so --${promise} cannot hold: export the board instead, or give limits and ` +
          'recorder to createServer there',
        exitCodes.wrongUse,
      )
    }
    const names = given(comforts)
    if (names.length > 0) {
      say(`the file makes its own server, so ${names.map(name => `--${name}`).join(', ')} changes nothing`)
    }
    return loaded.server
  }
  const options: ServerOptions = { ...chosen }
  if (values['read-sensors']) options.readSensorsTool = true
  if (values['max-line-bytes']) options.maxLineBytes = Number(values['max-line-bytes'])
  if (values['max-message-bytes']) options.maxMessageBytes = Number(values['max-message-bytes'])
  const board = values.simulate === true ? await simulated(loaded.board) : loaded.board
  try {
    return createServer(board, options)
  } catch (thrown) {
    throw await mistakeIn(thrown, file)
  }
}

async function simulated(board: Board): Promise<Board> {
  return (await import('../boards/simulated/index.ts')).simulate(board)
}

/** A rule that names nothing is the mistake of whoever typed it, and not the file's. */
async function mistakeIn(thrown: unknown, file: string): Promise<Failure> {
  if (thrown instanceof Error && thrown.message.startsWith('allow "')) {
    return new Failure(`--${thrown.message}`, exitCodes.wrongUse)
  }
  return (await import('./explain.ts')).explain(thrown, file)
}

/** What the server does last is recorded too. */
function closingToo(server: Server, recorder: ClosableRecorder): void {
  const closeServer = server.close.bind(server)
  server.close = reason => closeServer(reason).finally(() => recorder.close())
}

function say(text: string): void {
  process.stderr.write(`ferrule: ${text}\n`)
}
