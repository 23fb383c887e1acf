import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, extname, isAbsolute, resolve } from 'node:path'
import { type Arguments, isBuiltIn, pinOptions } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { configFile, entry, type Host, type Place, type Start } from './hosts.ts'
import { checkPins, findFile, type Loaded, load } from './load.ts'
import { operatorChoice, operatorOptions, typedAgain } from './operator-options.ts'
import { stableNode, vanishingPackage } from './paths.ts'
import { builtCommand, packageFolder } from './place.ts'
import { recorderOf, recordOptions } from './record/options.ts'

const loadLimitMs = 5000

/** `ferrule host`: prints what to give to a host so that it starts `ferrule serve` for a file, or the bridge for a port. */
export async function run({ positionals, values, lists }: Arguments): Promise<void> {
  const host = positionals[0] as Host
  const ports = lists?.port
  const [, given] = positionals
  if ((ports === undefined) === (given === undefined)) {
    throw new Failure('host needs a file, or --port SPEC for a board on a cable', exitCodes.wrongUse)
  }
  if (values.simulate !== undefined && ports !== undefined) {
    throw new Failure('--simulate is for a file: a board on a cable is what it is', exitCodes.wrongUse)
  }
  checkPins(given ?? 'a board on a cable', { values })
  const limits = await limitWords({ values, ...(lists !== undefined && { lists }) })
  const file = given === undefined ? undefined : isBuiltIn(given) ? given : await findFile(given)
  if (!existsSync(builtCommand)) throw new Failure(`${builtCommand} is not there yet: run "npm run build" first`)
  const write = process.stdout.write.bind(process.stdout)
  // Only the entry may go to stdout, whatever the file prints while it loads.
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write

  const { name, args, reason } =
    file === undefined
      ? await bridgeEntry(ports!, values)
      : await serveEntry(file, { values, ...(lists !== undefined && { lists }) })
  const node = stableNode(
    process.execPath,
    path => existsSync(path) && realpathSync(path) === realpathSync(process.execPath),
  )
  const start: Start = {
    name,
    command: node.path,
    args: [builtCommand, ...args, ...limits],
  }
  const place: Place = { platform: process.platform, home: homedir(), env: process.env }
  say(configFile(host, start, place))
  if (node.warning) say(node.warning)
  if (vanishingPackage(packageFolder)) say(vanishingPackage(packageFolder)!)
  if (reason) say(`The entry is printed all the same, but it may not work yet:\n  ${reason}`)
  process.exitCode = reason ? exitCodes.failed : exitCodes.ok
  // What the file left open, such as a timer or a port, must not hold up the end.
  write(`${entry(host, start, place.platform)}\n`, () => process.exit())
}

/** What holds the server, as words of the entry. A mistake is told now, and not when the host starts it. */
async function limitWords(given: Pick<Arguments, 'values' | 'lists'>): Promise<string[]> {
  operatorChoice(given)
  const { record, ...others } = given.values
  // An entry is started in whatever folder the host is in.
  const path = record === undefined || record === 'off' ? record : resolve(String(record))
  const values = { ...others, ...(path !== undefined && { record: path }) }
  await recorderOf(values, () => {})
  const options = { ...operatorOptions, simulate: { help: '' }, ...pinOptions, ...recordOptions }
  return typedAgain(options, { ...given, values })
}

/** What an entry says, but for the program. */
interface EntryWords {
  name: string
  args: string[]
  /** Why it may not work. */
  reason?: string | undefined
}

async function serveEntry(file: string, given: Pick<Arguments, 'values' | 'lists'>): Promise<EntryWords> {
  const { name, loaded, reason } = await nameOf(file, given)
  // A server that the file made itself has its own say about a tool for its sensors.
  return { name, reason, args: ['serve', file, ...(loaded?.server ? [] : ['--read-sensors'])] }
}

/** The board need not be there: what it is called, it says itself when it is. */
async function bridgeEntry(ports: readonly string[], values: Arguments['values']): Promise<EntryWords> {
  const { asFailure, portUse } = await import('./line-options.ts')
  const { parsePorts } = await import('./bridge/port-names.ts')
  portUse(values)
  const named = asFailure(() => parsePorts(ports))
  const options = ['baud', 'pace', 'dtr'].flatMap(name => (values[name] ? [`--${name}`, String(values[name])] : []))
  const name = typeof values.name === 'string' ? checkedName(values.name) : (named[0]?.prefix ?? 'board')
  return { name, args: ['bridge', ...ports.flatMap(port => ['--port', port]), ...options, '--read-sensors'] }
}

interface Named {
  name: string
  loaded?: Loaded
  /** Why the file does not load. */
  reason?: string
}

async function nameOf(file: string, given: Pick<Arguments, 'values' | 'lists'>): Promise<Named> {
  if (typeof given.values.name === 'string') return { name: checkedName(given.values.name) }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`${file} took more than 5 seconds to load`)), loadLimitMs)
  })
  try {
    const loaded = await Promise.race([load(file, given), late])
    return { name: (loaded.board ?? loaded.server.board).name, loaded }
  } catch (thrown) {
    return { name: nameOfFile(file), reason: thrown instanceof Error ? thrown.message : String(thrown) }
  } finally {
    clearTimeout(timer)
  }
}

function checkedName(given: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(given)) return given
  throw new Failure(`--name ${given}: hosts take letters, digits, _ and -, at most 64`, exitCodes.wrongUse)
}

function nameOfFile(file: string): string {
  const stem = isAbsolute(file) ? basename(file, extname(file)) : file
  return (
    stem
      .replace(/[^a-zA-Z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 64) || 'ferrule'
  )
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
