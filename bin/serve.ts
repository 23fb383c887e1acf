import { createServer, type Server, type ServerOptions } from '../runtime/index.ts'
// Loaded before the server file is: from then on nothing but the protocol reaches stdout, whatever the file prints.
import { stdio } from '../transports/stdio/index.ts'
import { type Arguments, httpOptionNames } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { type Loaded, load } from './load.ts'

/** `ferrule serve`: joins the board of a file to stdin and stdout, to a cable, or to HTTP. */
export async function run({ positionals, values, lists = {} }: Arguments): Promise<void> {
  const file = positionals[0]!
  const lonely = ['baud', 'pace', 'dtr'].find(name => values[name] !== undefined && values.serial === undefined)
  if (lonely !== undefined) throw new Failure(`--${lonely} belongs to --serial PATH`, exitCodes.wrongUse)
  const overHttp = httpOptionNames.some(name => values[name] !== undefined)
    ? await (await import('./http-options.ts')).httpOptions({ values, lists })
    : undefined
  if (overHttp !== undefined && values.serial !== undefined) {
    throw new Failure('--http and --serial are two ways to serve: name one of them', exitCodes.wrongUse)
  }
  const loaded = await load(file)
  const server = await toServer(file, loaded, values)
  if (overHttp !== undefined) return (await import('./serve-http.ts')).serveOverHttp(server, overHttp)
  if (values.serial !== undefined) {
    const [{ serveOnCable }, { portUse }] = await Promise.all([
      import('./serve-serial.ts'),
      import('./line-options.ts'),
    ])
    return serveOnCable(server, String(values.serial), portUse(values))
  }
  const greeting = process.stdin.isTTY ? (await import('./greeting.ts')).greeting(file, loaded) : ''
  const served = stdio().serve(server)
  process.stderr.write(greeting)
  await served
}

async function toServer(file: string, loaded: Loaded, values: Arguments['values']): Promise<Server> {
  if (loaded.server) {
    const names = Object.keys(values)
      .filter(name => ['read-sensors', 'max-line-bytes', 'max-message-bytes'].includes(name))
      .map(name => `--${name}`)
    if (names.length > 0) {
      process.stderr.write(`ferrule: the file makes its own server, so ${names.join(', ')} changes nothing\n`)
    }
    return loaded.server
  }
  const options: ServerOptions = {}
  if (values['read-sensors']) options.readSensorsTool = true
  if (values['max-line-bytes']) options.maxLineBytes = Number(values['max-line-bytes'])
  if (values['max-message-bytes']) options.maxMessageBytes = Number(values['max-message-bytes'])
  try {
    return createServer(loaded.board, options)
  } catch (thrown) {
    throw (await import('./explain.ts')).explain(thrown, file)
  }
}
