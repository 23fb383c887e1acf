#!/usr/bin/env node
// Read by whatever Node there is, so it imports nothing before it has looked, and its syntax is that of Node 12.
const needed = 20
const version = process.versions.node
if (parseInt(version, 10) < needed) {
  process.stderr.write(
    `ferrule: this is Node.js ${version}, and ferrule needs Node.js ${needed} or later: see https://nodejs.org\n`,
  )
  process.exitCode = 1
} else {
  keepCompiledCode()
  // Before 20.16 Node cannot read parts of the runtime when they are first needed.
  const ready = process.getBuiltinModule === undefined ? import('../runtime/whole.ts') : Promise.resolve()
  ready.then(() => import('./main.ts')).then(({ main }) => main(process.argv.slice(2)))
}

/**
 * From Node 22.8 on, what was compiled is kept for the next start: hosts start many servers at once. It is kept where
 * only this user writes, unlike in Node's own place. Where that is not possible nothing is kept, and nothing fails.
 */
function keepCompiledCode() {
  const { LOCALAPPDATA, HOME, XDG_CACHE_HOME } = process.env
  const own = { win32: LOCALAPPDATA, darwin: HOME && `${HOME}/Library/Caches` }
  const folder = own[process.platform as keyof typeof own] || XDG_CACHE_HOME || (HOME && `${HOME}/.cache`)
  if (!folder || process.getBuiltinModule === undefined) return
  const { enableCompileCache } = process.getBuiltinModule('module') as CompileCache
  if (enableCompileCache !== undefined) enableCompileCache(`${folder}/ferrule`)
}

interface CompileCache {
  enableCompileCache?: (folder: string) => unknown
}
