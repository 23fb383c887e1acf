/**
 * Runs the tests that need real drivers, in a kernel of their own (User-Mode Linux):
 *
 *   npm run test:kernel                   all of them, but for those that are run by name only
 *   npm run test:kernel -- gpio i2c       those of guest/gpio.ts and guest/i2c.ts
 *   npm run test:kernel -- --if-built     only when the kernel is there already, or FERRULE_KERNEL=build asks for it
 *
 * Each file in guest/ is a test, and runs as a process of its own. What they share is in guest/rig/, and what they start
 * in guest/programs/. The kernel is built when it is not there yet, and kept in the user's cache folder.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { boot } from './boot.ts'
import { Kernel } from './kernel.ts'

const projectDir = fileURLToPath(new URL('../..', import.meta.url))
const here = join(projectDir, 'test/kernel')
const guest = join(here, 'guest')
/** After so long a run has failed. On a machine with nothing else to do it takes a few minutes. */
const patienceMs = 1_800_000

/** systemd has the kernel free what its filters are made of, and now and then Linux 6.1 as a program never returns from that. */
const byNameOnly = ['service']

const words = process.argv.slice(2)
const ifBuilt = words.includes('--if-built')
const named = words.filter(word => !word.startsWith('-'))

const runsHere = process.platform === 'linux' && process.arch === 'x64'
if (!runsHere) {
  console.error('The kernel tests boot a User-Mode Linux, which runs on Linux on x86-64 only.')
  process.exit(ifBuilt ? 0 : 1)
}
const kernel = new Kernel(here)
if (ifBuilt && !kernel.isBuilt && process.env.FERRULE_KERNEL !== 'build') {
  console.error('The kernel tests are left out: no kernel is built. FERRULE_KERNEL=build has it built, in ten minutes.')
  process.exit()
}
const tests = sourcesIn(guest)
const strange = named.filter(name => !tests.includes(name))
if (strange.length > 0) {
  console.error(`There is no guest/${strange[0]}.ts: there is ${tests.join(', ')}.`)
  process.exit(1)
}
kernel.build()
const run = mkdtempSync(join(tmpdir(), 'ferrule-'))
process.once('exit', () => rmSync(run, { recursive: true, force: true }))
// What is tested as a command is the one that a user gets.
execFileSync(process.execPath, ['build/build.mjs'], { cwd: projectDir, stdio: 'inherit' })
// The guest has no compiler: what runs there is bundled here. These packages are read from where they are installed.
await build({
  entryPoints: [
    ...tests.map(name => join(guest, `${name}.ts`)),
    ...sourcesIn(join(guest, 'programs')).map(name => join(guest, 'programs', `${name}.ts`)),
  ],
  outbase: guest,
  outdir: run,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  sourcemap: 'inline',
  external: ['koffi', 'serialport'],
})
const wanted = (named.length > 0 ? named : tests.filter(name => !byNameOnly.includes(name))).map(name =>
  quoted(`${name}.mjs`),
)
writeFileSync(
  join(run, 'command'),
  [
    `export NODE_PATH=${quoted(join(projectDir, 'node_modules'))}`,
    // The console of the guest is a terminal, whatever this one is.
    ...(process.stdout.isTTY && process.env.NO_COLOR === undefined ? [] : ['export NO_COLOR=1']),
    `export FERRULE_RUN=${quoted(run)} FERRULE_PROJECT=${quoted(projectDir)}`,
    `exec ${quoted(process.execPath)} --enable-source-maps --test --test-reporter=spec ${wanted.join(' ')}`,
    '',
  ].join('\n'),
)
process.exitCode = await boot({ kernel, init: join(here, 'init.sh'), run, patienceMs })

function sourcesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.ts'))
    .map(file => basename(file, '.ts'))
    .sort()
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
