import type { Call, Peer, Server, ServerOptions, Tool } from '../../runtime/index.ts'
import { capable, TestClient } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { checkServerLine, type WireEra } from '../wire-schema.ts'
import { workbench } from './workbench.ts'

export const TASKS = 'io.modelcontextprotocol/tasks'
/** The `_meta` of a client that takes tasks and can be asked everything. */
export const withTasks = capable({
  extensions: { [TASKS]: {} },
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
})

/** A client that keeps what it asked, so that every line it hears can be held against the schemas. */
export class CheckedClient extends TestClient {
  readonly #methods = new Map<unknown, string>()
  readonly #eras = new Map<unknown, WireEra>()
  #revision: string | undefined = undefined

  override send(message: any): void {
    if (message.id !== undefined && message.method !== undefined) {
      this.#methods.set(message.id, message.method)
      const claims = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
      this.#eras.set(message.id, claims ? 'modern' : 'legacy')
      if (message.method === 'initialize') this.#revision = message.params.protocolVersion
    }
    super.send(message)
  }

  /** Throws for the first line that fits no schema. Ids must not be used twice. */
  check(): void {
    for (const message of this.heard) {
      const era = this.#eras.get(message.id) ?? (this.#revision === undefined ? 'modern' : 'legacy')
      const revision = era === 'legacy' ? this.#revision : undefined
      checkServerLine(JSON.stringify(message), { era, revision, requestMethod: this.#methods.get(message.id) })
    }
  }

  /** A request of a 2026-07-28 client that takes tasks: its result. */
  async get(method: string, params: object = {}, meta: object = withTasks): Promise<any> {
    const answer = await this.modern(method, params, meta)
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.result
  }

  /** A request of a client that shook hands: its result. */
  async legacy(method: string, params: object = {}): Promise<any> {
    const answer = await this.request(method, params)
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.result
  }

  task(taskId: string): Promise<any> {
    return this.get('tasks/get', { taskId })
  }

  /** Answers questions of a task, and waits until its handler had its turn. */
  async answerTask(taskId: string, inputResponses: object): Promise<any> {
    const result = await this.get('tasks/update', { taskId, inputResponses })
    await settled()
    return result
  }
}

export interface TaskBenchOptions extends ServerOptions {
  tool?: Partial<Tool<any>>
  peer?: Peer
}

/** A bench with one tool `work` that may be a task. */
export function taskBench(call: (args: any, call: Call, asked: any) => unknown, options: TaskBenchOptions = {}) {
  const { tool = {}, peer = {}, tools, ...more } = options
  const work: Tool<any> = { inputSchema: { type: 'object' }, task: 'optional', ...tool, call }
  const bench = workbench({ ...more, tools: { ...tools, work } })
  const connect = (as: Peer = peer) => new CheckedClient(bench.server, as)
  const client = connect()
  /** Begins the task: what was answered. */
  const begin = (args: object = {}, meta: object = withTasks, as = client) =>
    as.get('tools/call', { name: 'work', arguments: args }, meta)
  return { ...bench, client, connect, begin }
}

/** Closes a server while its clock stands still: what has a moment to end has it. */
export async function close(server: Server, clock: { advance(ms: number): Promise<void> }): Promise<void> {
  const closing = server.close()
  await clock.advance(2000)
  await closing
}
