import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectDir } from '../child.ts'
import { buildFolder, compile, isMissing, library, librarySources } from './compile.ts'

const seconds = Number(process.env.FERRULE_FUZZ_SECONDS ?? (process.env.CI ? 60 : 5))
const here = join(projectDir, 'test/microcontroller')

describe.skipIf(isMissing('clang'))('the C device, fuzzed', () => {
  const folder = buildFolder()
  const fuzz = join(folder, 'fuzz')

  beforeAll(() => {
    compile('clang', [
      ...['-std=c99', '-Wall', '-Wextra', '-Werror', '-g', '-O1'],
      ...['-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all', '-DDRIVER_NO_MAIN'],
      ...['-I', library, '-o', fuzz, join(here, 'fuzz.c'), join(here, 'bench-board.c'), ...librarySources()],
    ])
  })

  it(`moves nothing out of its range and nothing twice, in ${seconds} s`, { timeout: (seconds + 120) * 1000 }, () => {
    const found = join(folder, 'found')
    mkdirSync(found)
    const { status, stderr } = spawnSync(
      fuzz,
      [`-max_total_time=${seconds}`, '-max_len=512', `-artifact_prefix=${folder}/`, found, join(here, 'corpus')],
      { encoding: 'utf8' },
    )
    expect(status, stderr.slice(-4000)).toBe(0)
    const runs = Number(/Done (\d+) runs/.exec(stderr)?.[1])
    expect(runs).toBeGreaterThan(80)
  })
})
