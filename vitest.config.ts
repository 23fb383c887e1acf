import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Many tests start processes. The bound finds what hangs; it says nothing about speed.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
