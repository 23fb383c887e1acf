import { existsSync, readFileSync } from 'node:fs'
import * as module from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from './failure.ts'
import { packageFolder } from './place.ts'

const packageManifest = join(packageFolder, 'package.json')

/** Makes `import()` able to run a server file: its TypeScript, and its `import ... from 'ferrule'`. */
export async function prepareImport(file: string): Promise<void> {
  const tsx = tsxFor(file)
  const needsTsx = tsx !== undefined
  if (needsTsx) await registerTsx(file, tsx)
  // In Node 20 a hook costs a thread, so there is none where nothing would come of it.
  const imports = needsTsx || /\b(import|from|require)\b/.test(readFileSync(file, 'utf8'))
  const installed = !imports || canResolve('ferrule', file)
  const isModule = !imports && /\.[cm][jt]s$/.test(file)
  if (needsTsx || !installed || (!isModule && packageType(file) === 'commonjs')) await registerHook(installed)
}

function runsTypeScript(): boolean {
  const { typescript } = process.features as { typescript?: unknown }
  return Boolean(typescript) || process.execArgv.some(word => word.includes('tsx'))
}

/**
 * The manifest of the tsx that a server file needs; nothing when it needs none.
 *
 * @throws Failure when it is not installed: what to do
 */
export function tsxFor(file: string): string | undefined {
  if (!/\.[cm]?ts$/.test(file) || runsTypeScript()) return undefined
  const manifest = resolveFrom('tsx/package.json', file) ?? resolveFrom('tsx/package.json', packageManifest)
  if (!manifest) {
    throw new Failure(
      `Node ${process.versions.node} cannot run TypeScript by itself, which ${file} needs.\n` +
        `  Run "npm install tsx" in ${dirname(file)}, or use Node 22.18 or later.`,
    )
  }
  return manifest
}

async function registerTsx(file: string, manifest: string): Promise<void> {
  // Asked for by require, tsx gives a build that cannot find its own hooks; this is the one for import.
  const api = JSON.parse(readFileSync(manifest, 'utf8')).exports['./esm/api'].import.default
  const { register } = await import(pathToFileURL(join(dirname(manifest), api)).href)
  // tsx takes the tsconfig.json of the working folder, which is another one when a host starts the command.
  register({ tsconfig: findAbove(file, 'tsconfig.json') ?? false })
}

/**
 * The hook is text because Node 20 runs it in a thread of its own. It does two things: `ferrule` is this very package
 * when the file's folder has none (a global install, npx), and a file written with `import` and `export` is a module
 * even below a package.json that says `"type": "commonjs"`, as `npm init` writes it.
 */
async function registerHook(installed: boolean): Promise<void> {
  const own = JSON.stringify(pathToFileURL(packageManifest).href)
  const text = `
    import { readFileSync } from 'node:fs'
    export function resolve(specifier, context, next) {
      const isOwn = ${!installed} && /^ferrule($|\\/)/.test(specifier)
      const found = next(specifier, isOwn ? { ...context, parentURL: ${own} } : context)
      return found instanceof Promise ? found.then(asModule) : asModule(found)
    }
    function asModule(found) {
      if (!/^commonjs/.test(found.format) || !/^file:.*\\.[jt]s$/.test(found.url)) return found
      if (found.url.includes('/node_modules/')) return found
      const written = /(^|[;}])\\s*(import|export)\\s/m.test(readFileSync(new URL(found.url), 'utf8'))
      return written ? { ...found, format: found.format.replace('commonjs', 'module') } : found
    }`
  const url = `data:text/javascript,${encodeURIComponent(text)}`
  const { register, registerHooks } = module as {
    register?: typeof module.register
    registerHooks?: (hooks: object) => void
  }
  if (registerHooks) registerHooks(await import(url))
  else register?.(url)
}

function canResolve(specifier: string, from: string): boolean {
  return resolveFrom(specifier, from) !== undefined
}

function resolveFrom(specifier: string, from: string): string | undefined {
  try {
    return module.createRequire(from).resolve(specifier)
  } catch {
    return undefined
  }
}

function packageType(file: string): string | undefined {
  const found = findAbove(file, 'package.json')
  try {
    return found && JSON.parse(readFileSync(found, 'utf8')).type
  } catch {
    return undefined
  }
}

function findAbove(file: string, name: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name)
    if (folder === dirname(folder)) return undefined
  }
}
