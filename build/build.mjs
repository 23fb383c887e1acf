// Types by the compiler, code by rolldown: one file for each entry point and what they share in chunks, since every
// further module read costs a small board about half a millisecond at start. For the same reason the library of the core
// is part of those chunks: read as it comes, in a dozen files, it takes longer than the rest of the start.
import { isAscii } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import * as crypto from 'node:crypto'
import fs, {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { startFirst } from './first-start.mjs'
import { RuntimeParts } from './runtime-parts.mjs'

const entryPoints = [
  'runtime/index.ts',
  'runtime/client/index.ts',
  'boards/simulated/index.ts',
  'boards/raspberry-pi/index.ts',
  'boards/raspberry-pi/board.ts',
  'boards/parts/index.ts',
  'transports/stdio/index.ts',
  'transports/stdio/server.ts',
  'transports/memory/index.ts',
  'transports/serial/index.ts',
  'transports/http/index.ts',
  'boards/remote/link/index.ts',
  'bin/ferrule.ts',
]

/** What is read when a server first needs it: see runtime-parts.mjs. */
const deferredModules = [
  'runtime/board-catalog.ts',
  'runtime/eras/questions.ts',
  'runtime/history/records.ts',
  'runtime/operator-limits.ts',
  'runtime/recorded-call.ts',
  'runtime/schema/full-check.ts',
  'runtime/tasks/tasks.ts',
]

/**
 * What `ferrule serve` reads in any case, and `ferrule bridge` mostly, also where the source waits with it: hosts start
 * many of them at once. Apart from it is what imports the standard transport, which takes standard output when it is read.
 */
const ofEveryServer = new RegExp(
  `[\\\\/]bin[\\\\/](${[
    '(main|commands|parse|failure|operator-options|unique-digits|elapsed|place|resolve|load)',
    'record[\\\\/](options|line|places|open-line|record-file|repeats|file-recorder|folder-recorder)',
    'share[\\\\/](controls|socket-link|server-door|meeting-folder|claim|door-line|server-doors)',
  ].join('|')})\\.ts$`,
)
/** What commands share that speak to a board on a cable, `ferrule bridge` first of all. */
const ofCables = new RegExp(
  `[\\\\/](${[
    'bin[\\\\/](line-options|share[\\\\/]control|trace[\\\\/](wire|answers|conversation|lines)|try[\\\\/]readings)',
    'bin[\\\\/]bridge[\\\\/](identity|auto|device|probe|usb-identity|sought|port-names)',
    'boards[\\\\/]remote[\\\\/][\\\\w-]+',
  ].join('|')})\\.ts$`,
)
/** Small things that boards share: a file for each would cost more than it holds. */
const ofBoards = /[\\/](runtime[\\/](nearest|senml-units)|crc8|wait)\.ts$/
const ofServing = /[\\/]bin[\\/](serve|one-host|share[\\/]orphan)\.ts$/

/**
 * Node reads every member of a built-in module that is imported: of node:process that makes all three standard streams,
 * of node:fs it loads its streams. Together they took a fifth of the start of a command.
 */
const quietBuiltins = {
  name: 'quiet-builtins',
  transform: code =>
    code
      .replace(/^import process from 'node:process'\n/m, '')
      .replace(/^import (\{[\w, ]+\}) from 'node:process'\n/m, 'const $1 = process\n'),
  // Only of the command: what a user may bundle keeps the import that every bundler knows.
  resolveId(id, importer) {
    if (!/[\\/]bin[\\/]/.test(importer)) return null
    return { 'node:fs': quietFs, 'node:crypto': quietCrypto }[id] ?? null
  },
  load(id) {
    if (id === quietCrypto) return { code: whenCalled('node:crypto', crypto), moduleSideEffects: false }
    if (id !== quietFs) return null
    const members = Object.entries(Object.getOwnPropertyDescriptors(fs))
    // Not what Node 24 warns of when it is only read: F_OK and its like.
    const isTaken = ([name, { value }]) => typeof value === 'function' || name === 'constants'
    const names = members.filter(isTaken).map(([name]) => name)
    const code = `import { createRequire } from 'node:module'
      export const { ${names.join(', ')} } = createRequire(import.meta.url)('node:fs')`
    return { code, moduleSideEffects: false }
  },
}
const quietFs = '\0quiet-fs'
const quietCrypto = '\0quiet-crypto'

/** The functions of a module that is loaded when one of them is called. */
function whenCalled(name, members) {
  const functions = Object.keys(members).filter(each => typeof members[each] === 'function')
  return `import { createRequire } from 'node:module'
    const loaded = () => createRequire(import.meta.url)('${name}')
    ${functions.map(each => `export const ${each} = (...args) => loaded().${each}(...args)`).join('\n')}`
}

const made = 'dist.new'
rmSync(made, { recursive: true, force: true })
const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', made], { stdio: 'inherit' })
const parts = new RuntimeParts('runtime/index.ts', {
  deferred: deferredModules,
  // Small ones: a file for each would cost more than it holds.
  inner: [
    'transports/stdio/index.ts',
    'runtime/eras/modern-subscriptions.ts',
    'runtime/prompts.ts',
    'runtime/uri-template.ts',
  ],
  direct: ['transports/stdio/server.ts'],
})
await parts.build({ platform: 'node' })
const bundle = await rolldown({
  input: Object.fromEntries(entryPoints.map(entry => [entry.replace(/\.ts$/, ''), entry])),
  platform: 'node',
  plugins: [parts.plugin(), quietBuiltins],
  checks: { ineffectiveDynamicImport: false },
  external: [/^tsx(\/|$)/, 'serialport', 'avr8js', 'jose'],
  // The file of an entry point holds its code, also where another one shares it: else each would be two files to read.
  preserveEntrySignatures: 'allow-extension',
})
await bundle.write({
  dir: made,
  format: 'esm',
  // They are in the declarations, and a fifth of the bytes.
  comments: { jsdoc: false },
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minifyInternalExports: false,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: 'runtime', test: id => parts.isCore(id) },
      { name: 'small', test: ofBoards },
      { name: 'command', test: id => id === quietFs || id === quietCrypto || ofEveryServer.test(id) },
      { name: 'cable', test: ofCables },
      { name: 'serving', test: ofServing },
    ],
  },
})
await parts.write(
  made,
  entryPoints.filter(entry => !entry.startsWith('bin/')).map(entry => entry.replace(/\.ts$/, '.js')),
)
// One character beyond Latin-1 makes V8 keep a whole file with two bytes for each of its characters. An escape means the
// same wherever such a character stands, but for a raw text.
for (const file of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
  if (!/\.c?js$/.test(file)) continue
  const code = readFileSync(join(made, file), 'utf8')
  if (/String\.raw|\\[^\0-\x7f]/.test(code)) continue
  const escaped = code.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (escaped !== code) writeFileSync(join(made, file), escaped)
}
for (const file of readdirSync(join(made, 'runtime/parts'))) {
  const code = readFileSync(join(made, 'runtime/parts', file))
  // read-parts.mjs reads them as Latin-1, into the room that it has.
  if (!isAscii(code) || code.length > 400_000) throw new Error(`${file} is too long, or not of ASCII characters alone`)
}
// Declarations that no entry point leads to describe what is inside the chunks.
const reached = new Set()
const reach = file => {
  if (reached.has(file) || !existsSync(file)) return
  reached.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()["'](\.[^"']+)\.[jt]s["']/g)) {
    reach(join(dirname(file), `${path}.d.ts`))
  }
}
for (const entry of entryPoints) reach(join(made, entry.replace(/\.ts$/, '.d.ts')))
for (const file of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.d.ts') && !reached.has(join(made, file))) rmSync(join(made, file))
}
chmodSync(`${made}/bin/ferrule.js`, 0o755)
// What the command hands to a microcontroller: images for the emulated one, the library for an Arduino,
// and the module for MicroPython.
const handedOut = [
  /^firmware[\\/]greenhouse\.hex$/,
  /^src[\\/][\w\\/]+\.(c|cpp|h)$/,
  /^examples[\\/][\w\\/]+\.(ino|h)$/,
  /^(library\.properties|library\.json|keywords\.txt|LICENSE)$/,
  /^micropython[\\/](examples[\\/])?\w+\.py$/,
]
const microcontroller = 'boards/microcontroller'
for (const file of readdirSync(microcontroller, { recursive: true, encoding: 'utf8' })) {
  if (handedOut.some(pattern => pattern.test(file)))
    cpSync(join(microcontroller, file), join(made, microcontroller, file))
}
// What editors complete and check a board.json by.
const { boardSchema } = await import(pathToFileURL(join(made, 'boards/raspberry-pi/board.js')).href)
writeFileSync(join(made, 'boards/raspberry-pi/board.schema.json'), `${JSON.stringify(boardSchema())}\n`)
// The page for people is served as it was written.
cpSync('bin/page', join(made, 'bin/page'), { recursive: true, filter: file => !file.endsWith('.json') })
// A server that runs from dist/ finds either the old build or the new one, never half of one.
rmSync('dist', { recursive: true, force: true })
renameSync(made, 'dist')
await startFirst(resolve('dist'))
