// Preloaded into a measured process whose young generation is so large that nothing is collected between two signals.
// At SIGUSR2 it writes one line to descriptor 3: the heap in use before and after a full collection, and how many
// collections there have been that nobody asked for. Bytes allocated in a window = `before` at its end minus `after`
// at its start.
import { writeSync } from 'node:fs'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

let unasked = 0
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    if ((entry.detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0) unasked++
  }
}).observe({ entryTypes: ['gc'] })

process.on('SIGUSR2', () => {
  const before = getHeapStatistics().used_heap_size
  // Collections are told of in a turn of their own.
  setImmediate(() => {
    const collections = unasked
    globalThis.gc()
    setImmediate(() => {
      unasked = 0
      const after = getHeapStatistics().used_heap_size
      writeSync(3, `${JSON.stringify({ before, after, collections })}\n`)
    })
  })
})
