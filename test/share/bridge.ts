/**
 * A program that shares a simulated board, for tests with several copies of it:
 *
 *   npx tsx test/share/bridge.ts
 *
 * SHARE_KEY is the device, SHARE_RECORD the file in which the board writes down what happens to it, a line each: the
 * process, and what it did. Two processes that have the board at the same time show there. SHARE_OWN_MS is how long it
 * takes to make the server, SHARE_BROKEN=1 makes that fail.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { shareDevice } from '../../bin/share/index.ts'
import { actuator, createServer, tool } from '../../runtime/index.ts'

const { SHARE_KEY: key = 'board', SHARE_RECORD: file, SHARE_OWN_MS, SHARE_BROKEN, SHARE_ORPHAN_MS } = process.env

function record(what: string): void {
  if (file !== undefined) appendFileSync(file, `${process.pid} ${what}\n`)
}

let position = 0
let released = false
const watchers = new Set<(value: number) => void>()

const shared = await shareDevice({
  key,
  log: text => process.stderr.write(`share: ${text}\n`),
  ...(SHARE_ORPHAN_MS === undefined ? {} : { orphanMs: Number(SHARE_ORPHAN_MS) }),
  async own(context) {
    if (SHARE_OWN_MS !== undefined) await delay(Number(SHARE_OWN_MS))
    if (SHARE_BROKEN !== undefined) throw new Error('/dev/ttyTEST does not exist: plug the board in')
    released = context.released
    const server = createServer(
      {
        name: 'shared',
        version: '1.0.0',
        open: () => record(released ? 'waits for the device' : 'opens'),
        close: () => record('closes'),
        sensors: {
          position: {
            read: () => position,
            watch(changed) {
              watchers.add(changed)
              return () => watchers.delete(changed)
            },
          },
        },
        actuators: {
          arm: actuator({
            description: 'Moves for that long.',
            inputSchema: {
              type: 'object',
              properties: { ms: { type: 'number' }, tag: { type: 'string' } },
            },
            safe: { ms: 0 },
            async set({ ms = 0, tag }, call) {
              if (tag === undefined) return record('safe')
              record(`begins ${tag}`)
              call.progress(0, 1)
              await delay(ms, undefined, { signal: call.signal })
              position++
              for (const changed of watchers) changed(position)
              record(`ends ${tag}`)
              return `moved ${tag}`
            },
          }),
        },
      },
      {
        requestStateSecret: context.requestStateSecret,
        tools: {
          who: tool({ description: 'Says which process serves.', call: () => String(process.pid) }),
          echo: tool({
            description: 'Answers with the text.',
            inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
            call: ({ text }) => text,
          }),
          wait: tool({
            description: 'Waits beside the board.',
            inputSchema: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
            async call({ ms }, call) {
              call.progress(0, 1)
              await delay(ms, undefined, { signal: call.signal })
              return 'waited'
            },
          }),
          ask: tool({
            description: 'Asks the person for a colour.',
            async call(_, call) {
              const answer = await call.elicit({
                message: 'Which colour?',
                requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
              })
              return answer.action === 'accept' ? `painted ${answer.content.colour}` : answer.action
            },
          }),
        },
      },
    )
    return {
      server,
      close: async () => record('gives back'),
      controls: {
        release() {
          released = true
          record('lets go')
          return '/dev/ttyTEST is free'
        },
        retake() {
          released = false
          record('takes again')
        },
        status: () => ({ port: '/dev/ttyTEST', released }),
        trace(write) {
          const timer = setInterval(() => write({ at: Date.now() }), 10)
          return () => clearInterval(timer)
        },
      },
    }
  },
}).catch(thrown => {
  process.stderr.write(`share: ${thrown.message}\n`)
  process.exit(1)
})
await shared.serveStdio()
