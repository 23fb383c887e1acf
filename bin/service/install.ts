import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { Failure } from '../failure.ts'
import { printable } from '../running.ts'
import type { Account } from './account.ts'
import { lastWords, systemctl } from './system.ts'

/** Where units of the person who runs a computer are (systemd.unit(5)). */
const unitFolder = '/etc/systemd/system'

/** The file of the unit of a service. */
export function unitFile(service: string): string {
  return `${unitFolder}/${service}.service`
}

/**
 * Puts a unit into place, and starts it; one that runs is started anew.
 *
 * @param again the command line that does this as root
 * @throws Failure when that is not root's, or when the service does not start: what it said
 */
export function install(service: string, text: string, again: string): void {
  requireRoot(again)
  const file = unitFile(service)
  writeFileSync(`${file}.new`, text, { mode: 0o644 })
  renameSync(`${file}.new`, file)
  systemctl('daemon-reload')
  systemctl('enable', '--quiet', service)
  try {
    systemctl('restart', service)
  } catch (thrown) {
    const said = lastWords(service).trimEnd().split('\n').map(printable)
    throw new Failure(
      [
        `${service} does not start: ${(thrown as Error).message}. systemd goes on trying. It said:`,
        ...said.map(line => `  ${line}`),
      ].join('\n'),
    )
  }
}

/**
 * Ends a service, and takes its unit away. What it has kept stays.
 *
 * @throws Failure when there is none, or when one may not do that
 */
export function remove(service: string, again: string): void {
  const file = unitFile(service)
  if (!existsSync(file))
    throw new Failure(`there is no ${file}: "systemctl list-units 'ferrule-*'" shows what there is`)
  requireRoot(again)
  systemctl('disable', '--now', '--quiet', service)
  rmSync(file)
  systemctl('daemon-reload')
}

/** Makes folders of a user that are not there yet, and those above them. */
export function makeFolders(folders: readonly string[], { uid, gid, home }: Account): void {
  for (const folder of folders) {
    const missing: string[] = []
    for (let at = folder; at.startsWith(`${home}/`) && !existsSync(at); at = dirname(at)) missing.unshift(at)
    for (const each of missing) {
      mkdirSync(each, { mode: 0o700 })
      chownSync(each, uid, gid)
    }
  }
}

function requireRoot(again: string): void {
  if (process.getuid?.() === 0) return
  throw new Failure(`only root changes the services of a computer. As root it is:\n  sudo ${again}`)
}
