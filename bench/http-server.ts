/** The server that `http.ts` measures: a process of its own, which tells its port, and its memory when it is asked. */
import process from 'node:process'
import { actuator, createServer } from '../runtime/index.ts'
import { http } from '../transports/http/index.ts'

let level = 0
const watchers = new Set<() => void>()
const server = createServer({
  name: 'bench',
  sensors: {
    level: {
      unit: '/',
      read: () => level,
      watch(changed) {
        const tell = () => changed(level)
        watchers.add(tell)
        return () => watchers.delete(tell)
      },
    },
  },
  actuators: {
    valve: actuator({
      inputSchema: { type: 'object', properties: { percent: { type: 'number', minimum: 0, maximum: 100 } } },
      safe: { percent: 0 },
      set: ({ percent = 0 }) => ({ percent }),
    }),
  },
})
const limits = { requestsPerSecond: 1e9, maxRequestsPerClient: 1e6, maxStreamsPerClient: 1e6, maxSessions: 1e6 }
const serving = await http({ port: 0, limits: { ...limits, maxSessionsPerClient: 1e6, maxConnections: 1e5 } }).serve(
  server,
)

process.on('message', what => {
  if (what === 'change') {
    level = (level + 1) % 100
    for (const tell of watchers) tell()
    return
  }
  const { rss, heapUsed } = process.memoryUsage()
  process.send!({ rss, heapUsed, cpu: process.cpuUsage(), sessions: serving.sessions })
})
process.on('disconnect', () => process.exit())
process.send!({ url: serving.url })
