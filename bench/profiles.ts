/** How a server can be started with less memory. */
export interface Profile {
  name: string
  /** What stands before the server's file on the command line. */
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Without a compiler calls take so long that fewer of them are made. */
  slow?: true
}

/** Without a flag of V8 a start takes no longer: see docs/performance.md. */
export const light: Profile = { name: 'light', env: { MALLOC_ARENA_MAX: '1', NODE_OPTIONS: '--v8-pool-size=1' } }

/** For a board with 512 MB or less. Everything in it may stand in NODE_OPTIONS. */
export const small: Profile = {
  name: 'small',
  env: { MALLOC_ARENA_MAX: '1', NODE_OPTIONS: '--v8-pool-size=1 --max-semi-space-size=1 --max-old-space-size=64' },
}

const alone = (...flags: string[]): Profile => ({ name: flags.join(' '), flags })

/** What is measured, each beside the usual. */
export const profiles: readonly Profile[] = [
  { name: 'the usual' },
  alone('--max-semi-space-size=1'),
  alone('--max-old-space-size=64'),
  alone('--optimize-for-size'),
  alone('--single-threaded'),
  { ...alone('--lite-mode'), slow: true },
  alone('--v8-pool-size=1'),
  { name: 'UV_THREADPOOL_SIZE=1', env: { UV_THREADPOOL_SIZE: '1' } },
  { name: 'MALLOC_ARENA_MAX=1', env: { MALLOC_ARENA_MAX: '1' } },
  light,
  small,
  {
    name: 'small, --optimize-for-size --single-threaded',
    env: small.env!,
    flags: ['--optimize-for-size', '--single-threaded'],
  },
]
