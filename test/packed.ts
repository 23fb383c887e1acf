import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { projectDir } from './child.ts'

/** The package as it is uploaded. */
export interface Packed {
  /** Where the archive is. */
  tarball: string
  /** Bytes to download. */
  size: number
  /** Bytes to store. */
  unpackedSize: number
  files: { path: string; mode: number }[]
}

/** As in a shell of its own: nothing of the npm that runs the tests. */
export const plainEnv: Record<string, string> = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !/^(npm_|init_cwd|node_)/i.test(name))
    .map(([name, value]) => [name, value ?? '']),
)

/** Runs npm to its end, and gives what it printed. */
export function npm(command: 'npm' | 'npx', args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, env: plainEnv, encoding: 'utf8', shell: process.platform === 'win32' })
}

/**
 * Builds and packs the project, in a copy of it inside a folder: packing builds, and what is built in the project itself is
 * in use by other tests.
 */
export function packProject(folder: string): Packed {
  const copy = join(folder, 'copy')
  const left = ['node_modules', '.git', 'dist', 'dist.new', 'test', 'bench', 'coverage']
  cpSync(projectDir, copy, {
    recursive: true,
    filter: file => !left.some(name => file === join(projectDir, name)) && !basename(file).endsWith('.tgz'),
  })
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'), 'junction')
  const packed = JSON.parse(npm('npm', ['pack', '--json', '--foreground-scripts=false'], copy))[0]
  return { ...packed, tarball: join(copy, readdirSync(copy).find(file => file.endsWith('.tgz'))!) }
}

/**
 * Packs the project inside a folder, and makes `consumer` there: a project that installed it as a user does. Offline and
 * without what is optional: whatever else the package needed to work would be missing here.
 */
export function packAndInstall(folder: string): Packed {
  const packed = packProject(folder)
  const consumer = join(folder, 'consumer')
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const flags = ['--offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  npm('npm', ['install', packed.tarball, ...flags], consumer)
  return packed
}
