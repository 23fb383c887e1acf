import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Arguments } from './commands.ts'
import { Failure } from './failure.ts'
import { packageFile } from './place.ts'

/** What an Arduino library is made of, as far as it is there. */
const parts = ['library.properties', 'library.json', 'keywords.txt', 'LICENSE', 'src', 'examples']

/** `ferrule library`: puts the Arduino library where the Arduino IDE looks for libraries. */
export async function run({ positionals, values }: Arguments): Promise<void> {
  const folder = positionals[0] === undefined ? sketchbook(homedir()) : resolve(positionals[0])
  const { name, version, path } = putLibrary(packageFile('boards/microcontroller'), folder, values.force === true)
  process.stdout.write(
    `The library ${name} ${version} is at ${path}\n` +
      `In the Arduino IDE: File, Examples, ${name}. An IDE that is open must be started again to see it.\n`,
  )
}

/** The folder for libraries in the sketchbook of the Arduino IDE. Throws a {@link Failure} when there is no sketchbook. */
export function sketchbook(home: string): string {
  const folders = [join(home, 'Arduino'), join(home, 'Documents', 'Arduino')]
  const found = folders.find(folder => existsSync(folder))
  if (found !== undefined) return join(found, 'libraries')
  throw new Failure(
    `there is no sketchbook of the Arduino IDE at ${folders.join(' or ')}: ` +
      'name its folder for libraries, as in ferrule library DIR (the IDE shows the sketchbook under File, Preferences)',
  )
}

/**
 * Copies a library into a folder of libraries.
 *
 * @param force takes the place of whatever has its name there
 * @throws Failure when something else, or another version, has its name there
 */
export function putLibrary(from: string, folder: string, force: boolean): Library & { path: string } {
  const library = libraryAt(from)
  if (library === undefined) throw new Failure(`the Arduino library is missing in this package: ${from}`)
  const path = join(folder, library.name)
  if (existsSync(path) && !force) {
    const there = libraryAt(path)
    if (there?.version !== library.version) {
      const what = there === undefined ? 'something that is no library' : `${there.name} ${there.version}`
      throw new Failure(`${path} holds ${what}, and would be replaced by ${library.version}: --force does it`)
    }
  }
  const draft = `${path}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  for (const part of parts) {
    if (existsSync(join(from, part))) cpSync(join(from, part), join(draft, part), { recursive: true })
  }
  rmSync(path, { recursive: true, force: true })
  renameSync(draft, path)
  return { ...library, path }
}

interface Library {
  name: string
  version: string
}

/** The library in a folder; nothing when there is none. */
function libraryAt(folder: string): Library | undefined {
  const file = join(folder, 'library.properties')
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const property = (key: string) => new RegExp(`^${key}=(.+?)\\s*$`, 'm').exec(text)?.[1]
  const [name, version] = [property('name'), property('version')]
  return name === undefined || version === undefined ? undefined : { name, version }
}
