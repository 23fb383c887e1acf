import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the kernel is built from. */
const sources = ['build.sh', 'uml.config', 'hwsim/hwsim.c', 'hwsim/Kbuild']

/** The folder with the kernel of the tests and its modules: `linux`, `i2c-stub.ko`, `hwsim.ko`. */
export class Kernel {
  readonly #here: string
  /** Its name tells what it was built from. */
  readonly folder: string

  /** @param here the folder with the sources */
  constructor(here: string) {
    this.#here = here
    const hash = createHash('sha256')
    for (const source of sources) hash.update(readFileSync(join(here, source)))
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
    this.folder = join(caches, 'ferrule', `kernel-${hash.digest('hex').slice(0, 12)}`)
  }

  get program(): string {
    return join(this.folder, 'linux')
  }

  /** Whether it is there already. */
  get isBuilt(): boolean {
    return existsSync(this.program)
  }

  /** Builds it, when it is not there yet. Ends this process when that fails: the builder has said why. */
  build(): void {
    if (this.isBuilt) return
    console.error(`Building the kernel of these tests into ${this.folder}, once. It takes some ten minutes.`)
    const { status } = spawnSync(join(this.#here, 'build.sh'), [this.folder], { stdio: 'inherit' })
    if (status !== 0) process.exit(status ?? 1)
  }
}
