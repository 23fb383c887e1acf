import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, test, vi } from 'vitest'
import { projectDir } from '../child.ts'
import { installedOn } from './installed.ts'
import { emulatedMachine, isAsked } from './machine.ts'
import { worksWhereInstalled } from './suite.ts'

vi.setConfig({ testTimeout: 600_000 })

if (!isAsked) test.skip('the package on the processors of a Raspberry Pi: npm run test:arm', () => {})

describe.runIf(isAsked)('on a Raspberry Pi', () => {
  const machines = { arm64: () => emulatedMachine('arm64'), arm: () => emulatedMachine('arm') }
  const installed = installedOn(machines)

  describe.each([
    ['of 64 bits', 'arm64'],
    ['of 32 bits', 'arm'],
  ] as const)('%s the package', (_, name) => {
    worksWhereInstalled(() => installed(name))

    it('gives the kernel what it expects of this processor', async () => {
      const { folder } = installed(name)
      await build({
        entryPoints: { guest: join(projectDir, 'test/machines/guest.ts') },
        outdir: folder,
        outExtension: { '.js': '.mjs' },
        bundle: true,
        platform: 'node',
        format: 'esm',
        external: ['koffi'],
      })
      expect(installed(name).run('guest.mjs')).toBe('everything as it should be\n')
    })
  })

  it('1, Zero or Zero W no Node 20 starts, as the documentation says', () => {
    const [qemu, ...args] = emulatedMachine('arm', 'arm1176').node
    // Without the limit qemu leaves a file behind.
    const script = 'ulimit -c 0 && exec "$@" --version'
    const { signal, stderr } = spawnSync('sh', ['-c', script, 'sh', qemu, ...args], { encoding: 'utf8' })
    expect(signal).toBe('SIGILL')
    expect(stderr).toContain('Illegal instruction')
  })
})
