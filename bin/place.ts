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

/** What the command hands out: in a checkout it stands where it was made, in the package where the build put it. */
export function packageFile(path: string): string {
  const made = join(packageFolder, path)
  return existsSync(made) ? made : join(packageFolder, 'dist', path)
}

function findPackageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
