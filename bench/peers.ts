import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../test/installed.ts'

/** Installs the peers that the benchmark compares with, unless they are there. Tells why when it cannot be done. */
export async function installPeers(): Promise<void> {
  try {
    await installPackages(fileURLToPath(new URL('peers', import.meta.url)))
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.trim().split('\n').slice(0, 3).join('\n') : String(thrown)
    process.stderr.write(`fastmcp and mcp-lite are left out: they could not be installed.\n${why}\n`)
  }
}
