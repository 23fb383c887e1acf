import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { ownFolders } from '../bridge/cabled-board.ts'
import { Child } from '../child.ts'
import { npm, packProject, plainEnv } from '../packed.ts'
import type { Machine } from './machine.ts'

/** A machine that is emulated takes ten times as long, and shares its processor with the other tests. */
const patienceMs = 300_000

/** The package, installed on a machine as its users do it. */
export class Installed {
  /** The folder of the project that uses the package. */
  readonly folder: string
  readonly machine: Machine

  constructor(machine: Machine, folder: string) {
    this.machine = machine
    this.folder = folder
  }

  /** Runs Node to its end, and gives what was printed on both outputs. Throws when it fails. */
  run(...args: string[]): string {
    const [command, ...first] = this.machine.node
    const script = '"$@" 2>&1'
    const options = { cwd: this.folder, env: plainEnv, encoding: 'utf8' } as const
    return execFileSync('sh', ['-c', script, 'sh', command, ...first, ...args], options)
  }

  /** Starts the command. It never outlives its test. */
  ferrule(...words: string[]): Child {
    const [command, ...first] = this.machine.node
    const program = join(this.folder, 'node_modules/ferrule/dist/bin/ferrule.js')
    const options = { cwd: this.folder, env: ownFolders(), patienceMs }
    const child = new Child(command, [...first, program, ...words], options)
    onTestFinished(() => child.stop())
    return child
  }

  /** Writes a file into the project. */
  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }
}

/** Packs the project, once, and installs it for each of some machines. */
export function installedOn<Name extends string>(machines: Record<Name, () => Machine>): (name: Name) => Installed {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'ferrule-')))
  const installed = new Map<string, Installed>()
  beforeAll(() => {
    const { tarball } = packProject(place)
    for (const [name, machine] of Object.entries<() => Machine>(machines)) {
      const folder = join(place, name)
      mkdirSync(folder)
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'commonjs' }))
      const made = new Installed(machine(), folder)
      const target = ['--os=linux', `--cpu=${made.machine.cpu}`, '--libc=glibc']
      // Their scripts would be run by the Node of this machine.
      const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
      npm('npm', ['install', tarball, ...target, ...flags], folder)
      installed.set(name, made)
    }
  }, 600_000)
  afterAll(() => rmSync(place, { recursive: true }))
  return name => installed.get(name)!
}
