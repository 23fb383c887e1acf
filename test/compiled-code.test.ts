import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { projectDir } from './child.ts'
import { installPackages, node22 } from './installed.ts'

let node: string
beforeAll(async () => {
  node = node22(await installPackages(join(projectDir, 'test/inspector')))
}, 300_000)

/** The command as it is published, in a folder that is gone after the test. */
function builtCommand(): { folder: string; ferrule: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const part of ['bin', 'boards', 'runtime', 'transports', 'build', 'package.json', 'tsconfig.json']) {
    cpSync(join(projectDir, part), join(folder, part), { recursive: true })
  }
  cpSync(join(projectDir, 'tsconfig.build.json'), join(folder, 'tsconfig.build.json'))
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'), 'junction')
  execFileSync(process.execPath, ['build/build.mjs'], { cwd: folder, stdio: 'pipe' })
  return { folder, ferrule: join(folder, 'dist/bin/ferrule.js') }
}

it('what Node compiled of the command is kept in the folder of this user, and a place that cannot be written is no failure', () => {
  const { folder, ferrule } = builtCommand()
  const version = (cache: string) => {
    const env = { ...process.env, HOME: folder, LOCALAPPDATA: cache, XDG_CACHE_HOME: cache }
    delete (env as NodeJS.ProcessEnv).NODE_V8_COVERAGE
    return execFileSync(node, [ferrule, '--version'], { encoding: 'utf8', env })
  }
  const cache = process.platform === 'darwin' ? join(folder, 'Library/Caches') : join(folder, 'cache')
  expect(version(cache)).toMatch(/^\d/)
  expect(readdirSync(join(cache, 'ferrule'), { recursive: true }).length).toBeGreaterThan(2)
  expect(version(ferrule)).toMatch(/^\d/)
  expect(existsSync(join(ferrule, 'ferrule'))).toBe(false)
}, 120_000)
