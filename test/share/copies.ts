import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Child, type ChildOptions } from '../child.ts'

/** What happened to the board, in order. */
export interface Happened {
  pid: number
  what: string
}

/** Copies of one program with one board between them, in a world of their own. */
export class Copies {
  readonly folder = mkdtempSync(join(tmpdir(), 'share-'))
  readonly env: Record<string, string>
  readonly #children: Child[] = []

  constructor(env: Record<string, string> = {}) {
    this.env = { XDG_RUNTIME_DIR: this.folder, SHARE_RECORD: join(this.folder, 'record'), ...env }
    onTestFinished(async () => {
      await Promise.all(this.#children.map(child => child.stop()))
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** Starts a copy, without waiting for it. */
  launch(env: Record<string, string> = {}): Child {
    return this.run(process.execPath, ['--import', 'tsx', 'test/share/bridge.ts'], env)
  }

  /** Starts any program in this world. */
  run(
    command: string,
    args: readonly string[],
    env: Record<string, string> = {},
    stdio: ChildOptions['stdio'] = ['pipe', 'pipe', 'pipe'],
  ): Child {
    const child = new Child(command, args, { stdio, env: { ...this.env, ...env } })
    this.#children.push(child)
    return child
  }

  /** Starts a copy whose host speaks a handshake revision. The first one owns the board. */
  async start(env: Record<string, string> = {}): Promise<Child> {
    const child = this.launch(env)
    await child.initialize()
    return child
  }

  get happened(): Happened[] {
    const file = join(this.folder, 'record')
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => {
        const space = line.indexOf(' ')
        return { pid: Number(line.slice(0, space)), what: line.slice(space + 1) }
      })
  }

  /** How often something happened. */
  times(what: string): number {
    return this.happened.filter(each => each.what === what).length
  }

  /**
   * The processes that had the board, one after the other.
   *
   * @param killed processes that could not write down that they gave it back
   * @throws when two had it at the same time
   */
  owners(killed: readonly (number | undefined)[] = []): number[] {
    const owners: number[] = []
    let holder: number | undefined
    for (const { pid, what } of this.happened) {
      if (what === 'opens') {
        if (holder !== undefined && !killed.includes(holder)) throw new Error(`${pid} opens what ${holder} has`)
        holder = pid
        owners.push(pid)
      } else if (pid !== holder) throw new Error(`${pid} ${what}, and ${holder} has the board`)
      if (what === 'gives back') holder = undefined
    }
    return owners
  }
}

/** Begins a call without waiting for its answer. */
export function begin(child: Child, id: string | number, name: string, args: object = {}, meta?: object): void {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
  child.write({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

/** Begins a move of the arm, and waits until it moves. */
export async function move(child: Child, id: string | number, tag: string, ms: number): Promise<void> {
  begin(child, id, 'arm', { ms, tag }, { progressToken: `progress-${id}` })
  await child.until(
    () => child.messages.some(({ params }) => params?.progressToken === `progress-${id}`),
    `progress of ${tag}`,
  )
}

/** The text of a tool's answer. */
export function said(answer: any): string {
  return answer.result.content[0].text
}
