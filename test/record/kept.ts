import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { FileRecorder, type FileRecorderOptions } from '../../bin/record/file-recorder.ts'
import { entryOf } from '../../bin/record/line.ts'
import { oldParts } from '../../bin/record/places.ts'
import type { RecordEntry } from '../../runtime/index.ts'
import { Child } from '../child.ts'

/** A folder of this test's own. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A recorder that is closed after the test, and what it told the operator. */
export function recorderAt(
  path: string,
  options: Partial<FileRecorderOptions> = {},
): FileRecorder & { told: string[] } {
  const told: string[] = []
  const recorder = new FileRecorder({ path, gatherMs: 1, retryMs: 1, say: text => told.push(text), ...options })
  onTestFinished(() => recorder.close())
  return Object.assign(recorder, { told })
}

/** The lines of a record, of all its parts, oldest first. */
export async function linesOf(path: string): Promise<string[]> {
  const files = [...(await oldParts(path)).map(part => part.path), path]
  return files.flatMap(file => text(file).split('\n')).filter(line => line !== '')
}

/** The entries of a record. Lines that are none are left out. */
export async function entriesOf(path: string): Promise<RecordEntry[]> {
  return (await linesOf(path)).flatMap(line => entryOf(line) ?? [])
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    if (looks > 3000) throw new Error(`waited in vain for ${isSo}`)
    await delay(10)
  }
}

/** A process that records: see `writer.ts`. A shell may say something first, such as a limit. */
export function startWriter(words: string[], shell?: string): Child {
  const command = [process.execPath, '--import', 'tsx', 'test/record/writer.ts', ...words]
  const [program, ...rest] = shell === undefined ? command : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...command]
  const child = new Child(program!, rest, {})
  onTestFinished(() => child.stop())
  return child
}
