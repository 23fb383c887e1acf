import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, node22, run } from '../installed.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

/** A run of the suite: what it is told, and what must come of it. */
export interface Run {
  name: string
  args: string[]
  scenarios: number
  /** The checks that pass. Fewer would mean that something is not checked any more. */
  passed: number
  /** Checks that the suite leaves out. */
  skipped: string[]
}

/** Every revision that the suite knows, with what is not scored and the extensions. */
export const runs: readonly Run[] = [
  {
    name: '2026-07-28',
    args: ['--requirements', '2026-07-28'],
    scenarios: 50,
    passed: 196,
    // Left out for every server: the suite looks for these where they no longer are.
    skipped: ['tasks-status-notifications'],
  },
  { name: '2025-11-25', args: ['--requirements', '2025-11-25'], scenarios: 33, passed: 83, skipped: [] },
  {
    name: '2025-06-18',
    args: ['--suite', 'all', '--spec-version', '2025-06-18'],
    scenarios: 27,
    passed: 56,
    skipped: [],
  },
  {
    name: '2025-03-26',
    args: ['--suite', 'all', '--spec-version', '2025-03-26'],
    scenarios: 1,
    passed: 3,
    skipped: [],
  },
]

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  errorMessage?: string
  details?: unknown
}

/** What came of a run. */
export interface Outcome {
  scenarios: number
  passed: number
  skipped: string[]
  /** Failures and warnings, each with its scenario and what was wrong. */
  problems: string[]
}

/** Installs the suite, once. Returns the path of its packages. */
export function installSuite(): Promise<string> {
  return installPackages(here)
}

/** Runs the suite against the server at this URL. Its exit code is not believed: it does not count all that is wrong. */
export async function runSuite(modules: string, url: string, { args }: Run): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-conformance-'))
  try {
    const suite = join(modules, '@modelcontextprotocol/conformance/dist/index.js')
    const { stdout, stderr } = await run(node22(modules), [suite, 'server', '--url', url, ...args, '-o', folder], {})
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
      file.endsWith('checks.json'),
    )
    if (found.length === 0) throw new Error(`the suite ran nothing:\n${stdout}${stderr}`)
    const outcome: Outcome = { scenarios: found.length, passed: 0, skipped: [], problems: [] }
    for (const file of found) {
      for (const check of JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[]) count(outcome, file, check)
    }
    return outcome
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function count(outcome: Outcome, file: string, { id, status, errorMessage, details }: Check): void {
  if (status === 'SUCCESS') outcome.passed++
  else if (status === 'SKIPPED') outcome.skipped.push(id)
  else if (status !== 'INFO') {
    outcome.problems.push(`${status} ${file}: ${id}: ${errorMessage ?? ''} ${JSON.stringify(details ?? {})}`)
  }
}
