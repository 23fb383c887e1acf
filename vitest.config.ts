import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests of processes wait more than they work: two files at once pay, also on a small machine.
    maxWorkers: Math.max(2, availableParallelism()),
    // Many tests start processes. The bound finds what hangs; it says nothing about speed.
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
})
