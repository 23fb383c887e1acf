/**
 * Serves something that is no server over stdio, as a process that serves others too:
 *
 *   npx tsx test/share/lingering.ts
 *
 * LINGER_MS is how long the others take to be done, END_MS after what time the program ends by itself.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type StdioServer, stdio } from '../../transports/stdio/index.ts'

const { LINGER_MS = '0', END_MS } = process.env
const say = (text: string) => process.stderr.write(`${text}\n`)

const server: StdioServer = {
  maxLineBytes: 1024,
  diagnose: say,
  connect: outlet => ({
    receive: line => outlet.send(`heard ${line}`, undefined),
    refuse: (_, message) => outlet.send(message, undefined),
    drained() {},
    farewell: () => say('farewell'),
    idle: async () => {},
  }),
  open: async () => void say('open'),
  makeSafe: async () => say('safe'),
  makeSafeNow() {},
  async linger() {
    say('lingers')
    await delay(Number(LINGER_MS))
    say('lingered')
  },
  close: async reason => void say(`closes: ${reason}`),
}

const end = new AbortController()
if (END_MS !== undefined) setTimeout(() => end.abort(new Error('it is enough')), Number(END_MS))
await stdio({ signal: end.signal }).serve(server)
