import { readdirSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What is in a folder of the kernel, by name and with numbers in order; nothing when there is no such folder. */
export function entriesIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  } catch {
    return []
  }
}

/** The name of what a link leads to; nothing when it is none. */
export function linkedName(root: string, path: string): string | undefined {
  try {
    return basename(readlinkSync(join(root, path)))
  } catch {
    return undefined
  }
}
