import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that stands for `/` in one test, with these files by their path from there. */
export function systemRoot(files: Record<string, string> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  addFiles(root, files)
  return root
}

export function addFiles(root: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}
