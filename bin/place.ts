import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, wherever the code that asks has been bundled to. */
export const packageFolder: string = findPackageFolder()

/** The version of this package. */
export function version(): string {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version
}

/** The file of the command itself that Node can run without help. */
export const builtCommand: string = join(packageFolder, 'dist', 'bin', 'ferrule.js')

function findPackageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
