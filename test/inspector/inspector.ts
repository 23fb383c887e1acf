import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { installPackages, node22, run } from '../installed.ts'

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

/** The command that makes a stdio server of one at a URL, for hosts that know nothing else: mcp-remote. */
export function remoteCommand(url: string, folder: string): { command: string; args: string[]; cwd: string } {
  const program = join(modules, 'mcp-remote/dist/proxy.js')
  // It keeps what it learns of servers; none of it is to come from, or go to, whoever runs the tests.
  const keep = `data:text/javascript,process.env.MCP_REMOTE_CONFIG_DIR=${JSON.stringify(folder)}`
  return { command: process.execPath, args: ['--import', keep, program, url], cwd: folder }
}

/** Runs the Inspector's command line on a server: one that it starts, or one at a URL. */
export async function inspect(
  server: { command: string; args: string[]; cwd: string } | { type: 'streamable-http'; url: string },
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
    const { code, stdout, stderr } = await run(node22(modules), [launcher, ...shared, ...args], { env })
    const line = stdout.split('\n').find(each => each.startsWith('{'))
    return { code, result: line === undefined ? undefined : JSON.parse(line).result, stderr }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
