import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import process from 'node:process'
import { isLoopback } from '../../transports/http/gate.ts'
import { type Arguments, builtInDemo, commands, type Option } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { httpPlace } from '../http-options.ts'
import { findFile } from '../load.ts'
import { typedAgain } from '../operator-options.ts'
import { stableNode, vanishingPackage } from '../paths.ts'
import { builtCommand, packageFolder } from '../place.ts'
import { usualTokenFile } from '../token-place.ts'
import { type Account, groupsOf, unreadable } from './account.ts'
import { isIn, packageSight, projectFolder, sightOf } from './sight.ts'
import { stateFolder, type UnitChoice } from './unit.ts'

/** What the computer is like that a unit is for. */
export interface Ground {
  account: Account
  /** The version of systemd. */
  systemd: number
}

/** A unit that is chosen, and what else to tell and to do. */
export interface Chosen {
  unit: UnitChoice
  /** The words that make it again, behind `ferrule`. */
  words: string[]
  /** Where clients reach it: a URL, or a port. */
  at: string
  /** Folders of the user that have to be there at the start. */
  folders: string[]
  /** For the person, a line each. */
  notes: string[]
}

/** What a board of this computer is made of, as /proc/devices calls it. */
const boardDevices = ['gpiochip', 'i2c', 'spi']
const serialDevices = ['ttyACM', 'ttyUSB', 'ttyAMA', 'ttyS', 'ttyGS']
/** Options with a file, which is looked for from where the command was typed. */
const fileOptions = ['tls-key', 'tls-cert', 'token-file', 'record'] as const

/**
 * Chooses the unit for a file and the options of `ferrule serve`.
 *
 * @throws Failure for what cannot be a service: what to do
 */
export async function chooseUnit(
  { positionals, values: given, lists }: Arguments,
  { account, systemd }: Ground,
): Promise<Chosen> {
  const file = positionals[0] === builtInDemo ? builtInDemo : realpathSync(await findFile(positionals[0]!))
  const name = nameOf(file, given.name)
  const values = { ...given, ...absolute(given) }
  if (values.serial === undefined)
    values.http = String(values.http === true || values.http === undefined ? 'localhost:8970' : values.http)
  const { host, port }: ReturnType<typeof httpPlace> = values.http === undefined ? {} : httpPlace(String(values.http))
  const isOpen = host !== undefined && !isLoopback(host)
  const isCode = file !== builtInDemo && extname(file) !== '.json'
  const needsTokens = isOpen || values.page === true || values['require-token'] === true
  const state = stateFolder(name)
  // Users of the system are often given a folder that is not theirs.
  const hasHome = statSync(account.home, { throwIfNoEntry: false })?.uid === account.uid
  if (needsTokens && values['token-file'] === undefined && !hasHome) values['token-file'] = join(state, 'tokens.json')

  const node = stableNode(
    process.execPath,
    path => existsSync(path) && realpathSync(path) === realpathSync(process.execPath),
  )
  const project = isCode ? projectFolder(file, existsSync) : undefined
  const tokens = dirname(usualTokenFile({ platform: 'linux', home: account.home, env: {} }))
  const ownTokens = needsTokens && values['token-file'] === undefined
  const files = [values['tls-key'], values['tls-cert'], values['token-file']].flatMap(each =>
    each === undefined || isIn(String(each), state) ? [] : [dirname(String(each))],
  )
  const programs = [
    dirname(dirname(node.path)),
    dirname(dirname(realpathSync(process.execPath))),
    packageSight(packageFolder),
  ]
  const { readable, showsHomes } = sightOf([
    ...(project === undefined ? (file === builtInDemo ? [] : [file]) : [project]),
    ...programs,
    ...files,
  ])
  const record = String(values.record ?? 'off')
  const recordPlace = record === 'off' || isIn(record, state) ? [] : [dirname(record)]
  if (file !== builtInDemo) checkReadable(file, account)

  if (/["'\\]/.test(node.path))
    throw new Failure(`systemd starts no program with quotation marks in its path: ${node.path}`)
  const start = [node.path, builtCommand]
  const serveOptions: Readonly<Record<string, Option>> = commands.serve.options
  const served = typedAgain(serveOptions, { values, ...(lists && { lists }) })
  const { install: _install, remove: _remove, ...asked } = commands.service.options
  const simulated = values.simulate === true || file === builtInDemo
  return {
    unit: {
      name,
      serve: [...start, 'serve', file, ...served],
      ...(!simulated && { makeSafe: [...start, 'safe', file] }),
      user: account.name,
      groups: groupsOf(['gpio', 'i2c', 'spi', ...(values.serial === undefined ? [] : ['dialout'])]),
      folder: project,
      readable: [...readable, ...(ownTokens && !showsHomes ? [`-${tokens}`] : [])],
      writable: recordPlace,
      showsHomes,
      devices: [...boardDevices, ...(values.serial === undefined ? [] : serialDevices)],
      lowPort: port !== undefined && port > 0 && port < 1024,
      staysHere: !isCode && !isOpen && values['oauth-issuer'] === undefined,
      systemd,
    },
    words: [
      'service',
      file,
      ...typedAgain(asked, { values: { ...given, ...absolute(given), user: account.name }, ...(lists && { lists }) }),
    ],
    at: values.serial === undefined ? urlOf(values, host, port) : String(values.serial),
    folders: ownTokens ? [tokens] : [],
    notes: [
      ...(node.warning === undefined ? [] : [node.warning]),
      ...[vanishingPackage(packageFolder, 'service')].flatMap(text => text ?? []),
      ...(showsHomes
        ? [
            `Note: ${file} lies in a home without a folder of its own, so the service may read all homes. Better put it into one.`,
          ]
        : []),
      ...(readable.some(path => isIn(path, '/tmp'))
        ? ['Careful: what lies in /tmp is gone when this computer starts anew.']
        : []),
    ],
  }
}

/** The name of a service: what is asked for, what a file of data says, or how a program is called. A program is not run. */
export function nameOf(file: string, given: string | true | undefined): string {
  if (typeof given === 'string') {
    if (/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/.test(given)) return given
    throw new Failure(`--name ${given}: take letters, digits, _ and -, at most 64`, exitCodes.wrongUse)
  }
  const said = extname(file) === '.json' ? nameIn(file) : undefined
  const name = (said ?? basename(file, extname(file)).replace(/^@/, ''))
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, 64)
  return name === '' ? 'board' : name
}

function nameIn(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }
    return typeof name === 'string' ? name : undefined
  } catch {
    // What is wrong with it is told by whoever loads it.
    return undefined
  }
}

function absolute(values: Arguments['values']): Arguments['values'] {
  return Object.fromEntries(
    fileOptions.flatMap(option => {
      const value = values[option]
      return value === undefined || value === 'off' ? [] : [[option, resolve(String(value))]]
    }),
  )
}

function urlOf(values: Arguments['values'], host: string | undefined, port = 8970): string {
  const [allowed] = String(values['allowed-host'] ?? '').split(':')
  const isAll = host === '0.0.0.0' || host === '::'
  const name = allowed || (host === undefined || isAll ? 'localhost' : host.includes(':') ? `[${host}]` : host)
  return `${values['tls-key'] === undefined ? 'http' : 'https'}://${name}:${port}/mcp`
}

function checkReadable(file: string, account: Account): void {
  const barred = unreadable(file, account)
  if (barred === undefined) return
  throw new Failure(
    `the user ${account.name}, whom the service runs as, may not read ${file}: ${barred} is closed to others.\n` +
      `  Put the file where everybody may read it, such as /etc/ferrule, or name its owner with --user`,
  )
}
