import { type Board, createServer, type Prompt, type ServerOptions, type Tool, tool } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { OwnedClock } from '../owned-clock.ts'

/** Something that happens when the test says so. */
export class Gate {
  #open: () => void = () => {}
  #entered: () => void = () => {}
  /** Resolves when a handler stands before the gate. */
  readonly entered = new Promise<void>(resolve => {
    this.#entered = resolve
  })
  readonly #opened = new Promise<void>(resolve => {
    this.#open = resolve
  })

  open(): void {
    this.#open()
  }

  /** Waits until the gate opens, or throws when the signal aborts first. */
  pass(signal: AbortSignal): Promise<void> {
    this.#entered()
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      if (signal.aborted) reject(signal.reason)
      void this.#opened.then(resolve)
    })
  }
}

/** A server to try the protocol on: one of everything, a clock that stands still, and what it told its operator. */
export function workbench(options: ServerOptions & { board?: Partial<Board> } = {}) {
  const clock = new OwnedClock()
  const gates = new Map<string, Gate>()
  const gate = (name: string) => {
    const known = gates.get(name) ?? new Gate()
    gates.set(name, known)
    return known
  }
  const diagnosed: string[] = []
  const ran: unknown[] = []
  const board: Board = {
    name: 'bench',
    version: '1.2.3',
    description: 'A bench to try things on.',
    sensors: { temperature: { title: 'Temperature', unit: 'Cel', read: () => 21.5 } },
    actuators: {
      fan: {
        title: 'Fan',
        inputSchema: { type: 'object', properties: { percent: { type: 'number' } }, required: ['percent'] },
        safe: { percent: 0 },
        set: () => {},
      },
    },
    ...options.board,
  }
  const tools: Record<string, Tool<any>> = {
    echo: tool({
      description: 'Answers with the text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      call: ({ text }) => {
        ran.push(text)
        return text
      },
    }),
    wait: tool({
      description: 'Waits at a gate.',
      inputSchema: { type: 'object', properties: { gate: { type: 'string' } } },
      async call({ gate: name = 'gate' }, call) {
        ran.push(name)
        await gate(name).pass(call.signal)
        return `through ${name}`
      },
    }),
    ...options.tools,
  }
  const prompts: Record<string, Prompt<any>> = {
    report: {
      description: 'Asks for a report.',
      arguments: {
        tone: {
          required: true,
          complete: (typed: string) => ['formal', 'friendly'].filter(tone => tone.startsWith(typed)),
        },
      },
      get: ({ tone }) => `Write a ${tone} report.`,
    },
    ...options.prompts,
  }
  const server = createServer(board, {
    clock,
    diagnose: text => void diagnosed.push(text),
    ...options,
    tools,
    prompts,
  })
  return { server, clock, gate, ran, diagnosed, client: new TestClient(server) }
}
