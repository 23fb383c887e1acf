import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Measured } from './process.ts'
import { type Server, versionOf } from './servers.ts'

/** What a user gets who installs a server's packages without their optional ones. */
export interface Installed {
  packages: number
  bytes: number
  /** What of it is code and types of a server over stdio; everything, where a package makes no such difference. */
  coreBytes: number
}

const project = fileURLToPath(new URL('..', import.meta.url))

/** Installs what the server needs into a folder of its own, for real, and looks at what is there then. */
export function install({ installs, package: folder }: Server): Installed {
  if (installs.length === 0) return { packages: 0, bytes: 0, coreBytes: 0 }
  const place = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
  const npm = (args: string[], cwd: string) => {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    return execFileSync('npm', [...args, ...quiet], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  try {
    const wanted =
      installs === 'packed'
        ? [join(place, npm(['pack', '--pack-destination', place], project).trim().split('\n').at(-1)!)]
        : installs.map((name, i) => (i === 0 ? `${name}@${versionOf({ package: folder! })}` : name))
    const at = join(place, 'user')
    mkdirSync(at)
    writeFileSync(join(at, 'package.json'), '{"private":true}')
    npm(['install', '--omit=optional', ...wanted], at)
    const modules = join(at, 'node_modules')
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      packages: Record<string, unknown>
    }
    const bytes = bytesIn(modules)
    const coreBytes = installs === 'packed' ? coreBytesIn(join(modules, 'ferrule', 'dist')) : bytes
    return { packages: Object.keys(packages).length, bytes, coreBytes }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

function bytesIn(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  }
  return bytes
}

/** Of the files that `ferrule` and `ferrule/stdio` lead to, with their types. */
function coreBytesIn(dist: string): number {
  const reached = new Map<string, number>()
  const reach = (file: string, ending: '.js' | '.d.ts') => {
    if (reached.has(file)) return
    reached.set(file, statSync(file).size)
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import\(?)\s*["'](\.[^"']+)\.[jt]s["']/g)
    for (const [, path] of imports) reach(join(dirname(file), `${path}${ending}`), ending)
  }
  for (const entry of ['runtime/index', 'transports/stdio/server']) {
    for (const ending of ['.js', '.d.ts'] as const) reach(join(dist, `${entry}${ending}`), ending)
  }
  // The parts of the runtime are named by no import.
  for (const part of readdirSync(join(dist, 'runtime/parts'))) reach(join(dist, 'runtime/parts', part), '.js')
  return [...reached.values()].reduce((sum, size) => sum + size, 0)
}

/**
 * How many files of code the server reads until it answers, without its own. V8 tells which scripts it ran, whoever
 * loaded them.
 */
export async function modulesRead({ file, revision }: Server): Promise<number> {
  const coverage = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
  try {
    const child = new Measured(file, { env: { NODE_V8_COVERAGE: coverage }, ...(revision && { revision }) })
    await child.open('legacy')
    await child.end()
    const urls = new Set<string>()
    for (const report of readdirSync(coverage)) {
      const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as { result: { url: string }[] }
      for (const { url } of result) if (url.startsWith('file:')) urls.add(url)
    }
    return urls.size - 1
  } finally {
    rmSync(coverage, { recursive: true, force: true })
  }
}
