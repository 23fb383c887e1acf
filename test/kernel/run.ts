/**
 * Runs the tests that need real drivers, in a kernel of their own (User-Mode Linux):
 *
 *   npm run test:kernel
 *
 * The kernel is built when it is not there yet, and kept in the user's cache folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const projectDir = fileURLToPath(new URL('../..', import.meta.url))
const here = join(projectDir, 'test/kernel')
/** After so long a run has failed. On a machine with nothing else to do it takes half a minute. */
const patienceMs = 300_000

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('These tests boot a User-Mode Linux, which runs on Linux on x86-64 only.')
  process.exit(1)
}
const kernel = builtKernel()
const run = mkdtempSync(join(tmpdir(), 'ferrule-'))
process.once('exit', () => rmSync(run, { recursive: true, force: true }))
// The guest has no compiler: what runs there is bundled here. The package koffi is read from where it is installed.
await build({
  entryPoints: { tests: join(here, 'guest/index.ts'), heater: join(here, 'guest/heater.ts') },
  outdir: run,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  sourcemap: 'inline',
  external: ['koffi'],
})
writeFileSync(
  join(run, 'command'),
  `export NODE_PATH=${quoted(join(projectDir, 'node_modules'))} FERRULE_RUN=${quoted(run)}
exec ${quoted(process.execPath)} --enable-source-maps --test-reporter=spec tests.mjs\n`,
)
process.exitCode = await boot()

/** The folder with the kernel and its modules. Its name tells what it was built from. */
function builtKernel(): string {
  const sources = ['build.sh', 'uml.config', 'hwsim/hwsim.c', 'hwsim/Kbuild'].map(file =>
    readFileSync(join(here, file)),
  )
  const hash = createHash('sha256')
  for (const source of sources) hash.update(source)
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(caches, 'ferrule', `kernel-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(join(folder, 'linux'))) return folder
  console.error(`Building the kernel of these tests into ${folder}, once. It takes some 15 minutes.`)
  const { status } = spawnSync(join(here, 'build.sh'), [folder], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  return folder
}

/** Boots the kernel, shows what it prints, and gives the status with which the tests ended. */
async function boot(): Promise<number> {
  const guest = spawn(
    join(kernel, 'linux'),
    [
      'mem=512M',
      // The root of the guest is that of this machine, and never to be written to.
      ...['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro'],
      ...[`init=${join(here, 'init.sh')}`, `ferrule_run=${run}`, `ferrule_kernel=${kernel}`],
      ...['con0=fd:0,fd:1', 'con=null', 'quiet'],
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], cwd: dirname(run) },
  )
  const end = () => guest.kill('SIGTERM')
  const timer = setTimeout(end, patienceMs)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  await new Promise(resolve => guest.once('close', resolve))
  clearTimeout(timer)
  const status = join(run, 'status')
  if (existsSync(status)) return Number(readFileSync(status, 'utf8'))
  console.error('The kernel ended before the tests did.')
  return 1
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
