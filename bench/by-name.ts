import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from './servers.ts'

const byPath = "'../dist/transports/stdio/server.js'"

/** Ferrule's server as a user has it: in a folder of its own, with the package found by its name in `node_modules`. */
export class ByName {
  readonly server: Server
  readonly #folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))

  constructor(server: Server) {
    const code = readFileSync(server.file, 'utf8')
    if (!code.includes(byPath)) throw new Error(`${server.file} does not import ${byPath}`)
    const modules = join(this.#folder, 'node_modules')
    mkdirSync(modules)
    symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(modules, 'ferrule'), 'junction')
    writeFileSync(join(this.#folder, 'package.json'), '{"private":true}')
    const file = join(this.#folder, 'server.mjs')
    writeFileSync(file, code.replace(byPath, "'ferrule/stdio'"))
    this.server = { ...server, file }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
