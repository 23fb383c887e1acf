import { availableParallelism, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/kernel/left-out.ts',
    // Tests of processes wait more than they work: two files at once pay, also on a small machine.
    maxWorkers: Math.max(2, availableParallelism()),
    // Many tests start processes. The bound finds what hangs; it says nothing about speed.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // What servers record while they are tested does not belong among the records of whoever runs the tests.
    env: { XDG_STATE_HOME: join(tmpdir(), `ferrule-tests-${userInfo().username}`) },
  },
})
