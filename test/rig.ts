/**
 * A small server whose tools misbehave on purpose, for playing cases against the real process:
 *
 *   npx tsx test/rig.ts stdio
 *
 * RIG_MANY=n adds n tools of about 500 bytes, RIG_LIMIT is the longest message that is sent, in bytes, and RIG_GPIO_LOG
 * names the file in which the pins record each physical change. RIG_HANG=open,set,close names what never comes back:
 * opening the board, making the outputs safe, closing the board. RIG_BROKEN=1 makes a board that cannot be opened.
 * RIG_BARE=1 leaves out the timer and the open port.
 *
 *   npx tsx test/rig.ts http PORT
 *
 * serves it at http://localhost:PORT/mcp.
 *
 *   npx tsx test/rig.ts bridge PORT
 *
 * is the bridge itself. RIG_TIMEOUT is how long the board may take for one answer, in ms, and RIG_PACE=BYTES/MS how fast
 * it is sent to.
 */
import { createServer as createListener } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { serveOverHttp } from '../bin/serve-http.ts'
import { actuator, createServer, type Tool, tool } from '../runtime/index.ts'
import { stdio } from '../transports/stdio/index.ts'
import { RecordingPins } from './recording-pins.ts'

if (process.argv[2] === 'bridge') {
  const { run } = await import('../bin/bridge/index.ts')
  const { RIG_TIMEOUT: timeout, RIG_PACE: pace } = process.env
  await run({
    positionals: [],
    values: { ...(timeout && { timeout }), ...(pace && { pace }) },
    lists: { port: process.argv.slice(3) },
  })
}

console.log('the rig prints while it loads')
await import(
  `data:text/javascript,${encodeURIComponent("process.stdout.write('a dependency prints while it loads\\n')")}`
)
if (process.env.RIG_BARE === undefined) {
  setInterval(() => {}, 1000)
  createListener().listen(0, '127.0.0.1')
}

const hangs = new Set(process.env.RIG_HANG?.split(','))
const never = new Promise<never>(() => {})

const pins = new RecordingPins(process.env.RIG_GPIO_LOG)

const bad: Record<string, () => unknown> = {
  bigint: () => ({ content: [], structuredContent: { value: 1n } }),
  circular: () => {
    const circle: Record<string, unknown> = { content: [] }
    circle.circle = circle
    return circle
  },
  undefined: () => undefined,
  function: () => () => {},
  nan: () => ({ content: [], structuredContent: { value: Number.NaN } }),
  'throw-string': () => {
    throw 'a string'
  },
  'throw-null': () => {
    throw null
  },
  'throw-code': () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  },
  'reject-later': () => delay(50).then(() => Promise.reject(new Error('rejected later'))),
  'getter-throws': () => ({
    content: [],
    get structuredContent() {
      throw new Error('the getter threw')
    },
  }),
  'tojson-throws': () => ({
    content: [],
    structuredContent: {
      toJSON() {
        throw new Error('toJSON threw')
      },
    },
  }),
}

const tools: Record<string, Tool<any>> = {
  echo: tool({
    description: 'Answers with the text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    call: ({ text }) => text,
  }),
  sleep: tool({
    description: 'Waits, reports progress, stops when cancelled.',
    inputSchema: {
      type: 'object',
      properties: { ms: { type: 'number' }, steps: { type: 'integer' }, tag: { type: 'string' } },
      required: ['ms'],
    },
    async call({ ms, steps = 1, tag }, call) {
      for (let step = 1; step <= steps; step++) {
        await delay(ms / steps, undefined, { signal: call.signal })
        call.progress(step, steps)
      }
      return tag === undefined ? 'slept' : `slept ${tag}`
    },
  }),
  big: tool({
    description: 'Answers with that many x.',
    inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] },
    call: ({ bytes }) => 'x'.repeat(bytes),
  }),
  log: tool({
    description: 'Prints the text.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, via: { enum: ['console', 'write', 'end'] } },
      required: ['text', 'via'],
    },
    call({ text, via }) {
      if (via === 'console') console.log(text)
      else if (via === 'write') process.stdout.write(`${text}\n`)
      else process.stdout.end(`${text}\n`)
      return 'logged'
    },
  }),
  bad: tool({
    description: 'Returns or throws what no tool should.',
    inputSchema: { type: 'object', properties: { kind: { enum: Object.keys(bad) } }, required: ['kind'] },
    call: ({ kind }) => bad[kind as string]!(),
  }),
  pin_open: tool({
    description: 'Opens an output.',
    inputSchema: {
      type: 'object',
      properties: {
        line: { type: 'string' },
        active_low: { type: 'boolean' },
        initial: { enum: ['active', 'inactive'] },
        safe: { enum: ['active', 'inactive'] },
      },
      required: ['line'],
    },
    call({ line, active_low = false, initial = 'inactive', safe = 'inactive' }) {
      pins.open(line, { activeLow: active_low, initial: initial === 'active', safe: safe === 'active' })
      return 'open'
    },
  }),
  pin_set: tool({
    description: 'Switches an output.',
    inputSchema: {
      type: 'object',
      properties: { line: { type: 'string' }, value: { enum: [0, 1] } },
      required: ['line', 'value'],
    },
    call({ line, value }) {
      pins.set(line, value === 1)
      return 'set'
    },
  }),
  crash: tool({
    description: 'Answers, then throws from a timer.',
    call() {
      setTimeout(() => {
        throw new Error('crash from a timer')
      }, 20)
      return 'about to crash'
    },
  }),
  reject: tool({
    description: 'Answers, and leaves a rejected promise behind.',
    call() {
      void Promise.reject(new Error('nobody waits for this'))
      return 'rejected'
    },
  }),
  exit: tool({
    description: 'Ends the process with that code, in the middle of everything.',
    inputSchema: { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] },
    call: ({ code }) => process.exit(code),
  }),
}

for (let i = 0; i < Number(process.env.RIG_MANY ?? 0); i++) {
  tools[`extra_${i}`] = {
    description: `Extra tool ${i}. ${'It does nothing at length. '.repeat(15)}`,
    call: () => 'done',
  }
}

const server = createServer(
  {
    name: 'rig',
    version: '1.0.0',
    open() {
      if (process.env.RIG_BROKEN !== undefined) throw new Error('the bus does not answer: check the wiring')
      if (hangs.has('open')) return never
    },
    close: () => (hangs.has('close') ? never : undefined),
    actuators: {
      outputs: actuator({
        title: 'All outputs',
        safe: {},
        set() {
          pins.makeSafe()
          if (hangs.has('set')) return never
        },
      }),
      arm: actuator({
        title: 'Arm',
        description: 'Moves for that long. Told to stop it stops, unless it is heedless, or does so late.',
        inputSchema: {
          type: 'object',
          properties: { ms: { type: 'number' }, heedless: { type: 'boolean' }, late: { type: 'boolean' } },
        },
        safe: { ms: 0 },
        task: 'optional',
        async set({ ms = 0, heedless = false, late = false }, call) {
          pins.record('arm', ms > 0)
          if (ms === 0) return
          call.progress(0, 1)
          await delay(ms, undefined, heedless ? {} : { signal: call.signal }).catch(thrown => {
            if (!late) throw thrown
            return delay(50)
          })
          // What an arm does that reaches its place: it holds it.
          pins.record('arm', true)
        },
      }),
    },
  },
  {
    tools,
    ...(process.env.RIG_LIMIT === undefined ? {} : { maxMessageBytes: Number(process.env.RIG_LIMIT) }),
  },
)

const transports: Record<string, () => Promise<unknown>> = {
  stdio: () => stdio().serve(server),
  http: () => serveOverHttp(server, { port: Number(process.argv[3] ?? 0) }),
}
const serve = transports[process.argv[2] ?? 'stdio']
if (serve === undefined) {
  console.error(`usage: rig.ts ${Object.keys(transports).join('|')}`)
  process.exit(2)
}
await serve()
