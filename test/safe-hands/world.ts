import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Child, type ChildOptions, projectDir } from '../child.ts'

/** A physical change of an output of `board.ts`. */
export interface Change {
  output: string
  value: unknown
}

/** Folders of their own for ferrule's processes: they meet nobody else's, and record where nobody else does. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'fw-'))
  readonly env: Record<string, string> = {
    FERRULE_RUNTIME_DIR: join(this.folder, 'run'),
    XDG_RUNTIME_DIR: this.folder,
    XDG_CACHE_HOME: this.folder,
    XDG_STATE_HOME: this.folder,
  }
  readonly #children: Child[] = []

  constructor() {
    onTestFinished(async () => {
      await Promise.all(this.#children.map(child => child.stop()))
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** Starts a command of ferrule. */
  start(words: readonly string[], env: Record<string, string> = {}, stdio?: ChildOptions['stdio']): Child {
    const command = ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), ...words]
    return this.run(process.execPath, command, env, stdio)
  }

  /** Starts any program in this world. */
  run(
    command: string,
    words: readonly string[],
    env: Record<string, string> = {},
    stdio?: ChildOptions['stdio'],
  ): Child {
    const child = new Child(command, words, { env: { ...this.env, ...env }, ...(stdio && { stdio }) })
    this.#children.push(child)
    return child
  }

  /** Starts `ferrule serve` for `board.ts`, and a host that has said hello to it. */
  async serve(words: readonly string[] = [], env: Record<string, string> = {}): Promise<Child> {
    const child = this.start(['serve', boardFile, ...words], { HANDS_LOG: this.log(env.HANDS_NAME), ...env })
    await child.initialize()
    return child
  }

  /** Runs a command of ferrule to its end. */
  async finish(
    words: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = this.start(words, env, ['ignore', 'pipe', 'pipe'])
    const { code } = await child.exit()
    return { code, out: child.lines.join('\n'), err: child.stderr }
  }

  /** The file in which a board of that name writes down what its outputs do. */
  log(name = 'hands'): string {
    return join(this.folder, `${name}.log`)
  }

  /** What the outputs of a board did so far. */
  changes(name?: string): Change[] {
    const file = this.log(name)
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  }

  /** What one output was set to, in order. */
  values(output: string, name?: string): unknown[] {
    return this.changes(name)
      .filter(change => change.output === output)
      .map(({ value }) => value)
  }
}

/** The board that the processes serve. */
export const boardFile = join(projectDir, 'test/safe-hands/board.ts')
