import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { env, pid, platform } from 'node:process'
import { type DescriptionStore, readStored, type StoredDevice } from './description-store.ts'

/** How a store of files differs from the usual. */
export interface DescriptionFilesOptions {
  /** The folder; `ferrule/devices` in the user's cache folder when left out. */
  folder?: string
  /** How many devices are kept: the one that was not seen for longest goes first. 100 when left out. */
  most?: number
  /** Told, once, when nothing can be kept. */
  diagnose?(text: string): void
}

const mostBytes = 1024 * 1024

/** Keeps descriptions as files, one a device, in the user's cache folder. */
export function descriptionFiles(options: DescriptionFilesOptions = {}): DescriptionStore {
  const { most = 100 } = options
  const folder = options.folder ?? join(cacheFolder(), 'ferrule', 'devices')
  const pathOf = (key: string) => join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  let told = false
  return {
    load(key) {
      try {
        const path = pathOf(key)
        if (statSync(path).size > mostBytes) return undefined
        const kept = JSON.parse(readFileSync(path, 'utf8'), revive) as { key?: unknown; device?: unknown } | null
        return kept?.key === key ? readStored(kept.device) : undefined
      } catch {
        // Nothing is there, or something that was cut: the device will tell again.
        return undefined
      }
    },
    save(key, stored) {
      try {
        const text = toText(key, stored)
        if (Buffer.byteLength(text) > mostBytes) return
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const path = pathOf(key)
        // Another process reads the old one or the new one, never half of it.
        const draft = `${path}.${pid}.tmp`
        writeFileSync(draft, text, { mode: 0o600 })
        renameSync(draft, path)
        prune(folder, most)
      } catch (thrown) {
        if (!told) {
          options.diagnose?.(
            `what devices say of themselves cannot be kept in ${folder} (${(thrown as Error).message}): after a start their tools are listed once they have answered`,
          )
        }
        told = true
      }
    },
  }
}

/** Where programs of this user keep what can be made again. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = env
  if (platform === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local')
  // A relative path has to be ignored (XDG Base Directory Specification).
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME
  return platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
}

/** Takes out the oldest, and drafts that a killed process left behind. */
function prune(folder: string, most: number): void {
  const files = readdirSync(folder).map(name => {
    const path = join(folder, name)
    return { path, isDraft: name.endsWith('.tmp'), time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }
  })
  const newest = files.filter(({ isDraft }) => !isDraft).sort((a, b) => b.time - a.time)
  const hourAgo = Date.now() - 3_600_000
  const drafts = files.filter(({ isDraft, time }) => isDraft && time < hourAgo)
  for (const { path } of [...newest.slice(most), ...drafts]) rmSync(path, { force: true })
}

const bytesKey = '$bytes'

function toText(key: string, device: StoredDevice): string {
  const withBytes = (_: string, value: unknown) =>
    value instanceof Uint8Array ? { [bytesKey]: Buffer.from(value).toString('base64') } : value
  return JSON.stringify({ key, device }, withBytes)
}

function revive(_: string, value: unknown): unknown {
  const bytes = (value as { [bytesKey]?: unknown } | null)?.[bytesKey]
  return typeof bytes === 'string' ? new Uint8Array(Buffer.from(bytes, 'base64')) : value
}
