import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import process from 'node:process'
import { type Arguments, builtInDemo } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { portUse } from '../line-options.ts'
import { findFile, load } from '../load.ts'
import { operatorChoice } from '../operator-options.ts'
import { builtCommand } from '../place.ts'
import { recorderOf } from '../record/options.ts'
import { tsxFor } from '../resolve.ts'
import { accountOf } from './account.ts'
import { type Chosen, chooseUnit } from './choice.ts'
import { install, makeFolders, remove, unitFile } from './install.ts'
import { loadKoffi } from './notify-socket.ts'
import { systemdVersion } from './system.ts'
import { serviceName, stateFolder, unitText } from './unit.ts'
import { shellWord } from './words.ts'

/** `ferrule service`: a board as a service of systemd. Prints its unit, puts it into place, or takes it away. */
export async function run(given: Arguments): Promise<void> {
  const { values } = given
  if (process.platform !== 'linux') throw new Failure('services of systemd are for Linux')
  if (values.install && values.remove) {
    throw new Failure('--install and --remove are two things: name one of them', exitCodes.wrongUse)
  }
  if (!existsSync(builtCommand)) throw new Failure(`${builtCommand} is not there yet: run "npm run build" first`)
  await checkOptions(given)
  const account = accountOf(values.user === undefined ? undefined : String(values.user))
  const chosen = await chooseUnit(given, { account, systemd: systemdVersion() })
  const service = serviceName(chosen.unit.name)
  const again = (...more: string[]) =>
    [process.execPath, builtCommand, ...chosen.words, ...more].map(word => shellWord(word)).join(' ')
  const tell = (...lines: string[]) => void process.stderr.write(`${lines.join('\n')}\n`)
  const text = unitText(chosen.unit)

  if (values.remove) {
    remove(service, again('--remove'))
    return tell(`ferrule: ${service} has ended, and is gone. What it has kept is in ${stateFolder(chosen.unit.name)}`)
  }
  if (values.install) {
    checkKoffi()
    if (process.getuid?.() === 0) makeFolders(chosen.folders, account)
    install(service, text, again('--install'))
    return tell(...chosen.notes, ...installedText(service, chosen, again('--remove')))
  }
  process.stdout.write(text)
  tell(...chosen.notes, ...printedText(service, again))
}

/** Mistakes are told now, and not in a journal that nobody reads. */
async function checkOptions({ positionals, values, lists }: Arguments): Promise<void> {
  const [file] = positionals
  operatorChoice({ values, ...(lists && { lists }) })
  portUse(values)
  await recorderOf(values, () => {})
  if (values.http !== undefined && values.serial !== undefined) {
    throw new Failure('--http and --serial are two ways to serve: name one of them', exitCodes.wrongUse)
  }
  for (const [one, other] of [
    ['tls-key', 'tls-cert'],
    ['oauth-issuer', 'oauth-audience'],
  ] as const) {
    if ((values[one] === undefined) !== (values[other] === undefined)) {
      throw new Failure(`--${one} and --${other} belong together`, exitCodes.wrongUse)
    }
  }
  if (file === builtInDemo) return
  const found = await findFile(file!)
  tsxFor(found)
  // What is no program can be read in any case. A program is not run here: root may be asking.
  if (extname(found) === '.json') await load(found)
}

/** Without it the service would be ended for its silence. */
function checkKoffi(): void {
  try {
    loadKoffi()
  } catch (thrown) {
    throw new Failure(`systemd waits to hear that the service is ready: ${(thrown as Error).message}`)
  }
}

function printedText(service: string, again: (...more: string[]) => string): string[] {
  return [
    '',
    `ferrule: this is the unit of ${service}. It is put into place, started, and started with this computer by`,
    '',
    `  sudo ${again('--install')}`,
    '',
    'which does the same as',
    '',
    `  ${again()} 2>/dev/null | sudo tee ${unitFile(service)} >/dev/null`,
    '  sudo systemctl daemon-reload',
    `  sudo systemctl enable --now ${service}`,
  ]
}

function installedText(service: string, { at }: Chosen, removal: string): string[] {
  return [
    `ferrule: ${service} runs, with its outputs safe, and starts with this computer. It is at ${at}`,
    `  how it is            systemctl status ${service}`,
    `  its log              journalctl -fu ${service}`,
    `  stop its outputs     ferrule stop, or: sudo systemctl kill -s SIGUSR1 ${service}`,
    `  take it away         sudo ${removal}`,
  ]
}
