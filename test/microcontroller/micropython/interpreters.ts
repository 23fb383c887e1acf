import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { TestContext } from 'vitest'
import { installPackages } from '../../installed.ts'

/** Where the Python files of the tests stand. */
export const here = fileURLToPath(new URL('.', import.meta.url))
const product = join(here, '../../../boards/microcontroller/micropython')

/** MicroPython as its project builds it for WebAssembly: as much as is used of it. */
export interface MicroPython {
  FS: { writeFile(path: string, data: string | Uint8Array): void }
  globals: { get(name: string): any }
  registerJsModule(name: string, module: object): void
  runPython(code: string): unknown
}

/** Something that may be missing on a developer's machine, but not on one that builds. */
export class Needed<T> {
  readonly #found: Promise<T | Error>

  constructor(find: () => Promise<T>) {
    this.#found = find().catch((thrown: Error) => thrown)
  }

  /** Gives it, or skips the test with the reason. */
  async or(context: TestContext): Promise<T> {
    const found = await this.#found
    if (!(found instanceof Error)) return found
    if (process.env.CI) throw found
    return context.skip(found.message) as never
  }
}

/** Finds MicroPython; it is installed on the first run. What it prints goes to `print`, byte by byte. */
export function microPython() {
  return new Needed(async () => {
    const modules = await installPackages(here)
    const path = createRequire(join(modules, 'x.js')).resolve('@micropython/micropython-webassembly-pyscript')
    const { loadMicroPython } = await import(pathToFileURL(path).href)
    return async (print: (bytes: Uint8Array) => void): Promise<MicroPython> => {
      const python: MicroPython = await loadMicroPython({ linebuffer: false, stdout: print })
      for (const name of ['bench', 'pot', 'shed', 'parts', 'steps']) {
        python.FS.writeFile(`/${name}.py`, readFileSync(join(here, `${name}.py`)))
      }
      python.FS.writeFile('/ferrule.py', readFileSync(join(product, 'ferrule.py')))
      python.runPython("import sys\nsys.path.append('/')")
      return python
    }
  })
}

/** Finds CPython, by the name of its program. */
export function cPython() {
  return new Needed(async () => {
    for (const name of ['python3', 'python']) {
      try {
        execFileSync(name, ['-c', 'import sys\nassert sys.version_info >= (3, 9)'], { stdio: 'ignore' })
        return name
      } catch {
        // Not this one.
      }
    }
    throw new Error('there is no Python of 3.9 or later: install python3 to test the device side in Python')
  })
}
