import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkServerLine, type WireEra, WireError } from '../wire-schema.ts'

type Json = Record<string, any>

/** A message as it went by. */
export interface RecordedLine {
  from: 'client' | 'server'
  line: string
}

/** One run of a server: what was said in both directions, and how it ended. */
export interface Run {
  lines: RecordedLine[]
  /** Nothing while it runs. */
  end: { code: number | null; signal: string | null } | undefined
}

const here = fileURLToPath(new URL('.', import.meta.url))

/** The folder in which the project lies. */
export const root = join(here, '..', '..')

/** Servers that are run through a recorder, and what it recorded. */
export class Recording {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ferrule-wire-'))
  readonly #told = new Set<string>()

  /** The command line that runs a TypeScript server of this project, recorded. */
  command(server: string, ...args: string[]): { command: string; args: string[]; cwd: string } {
    return {
      command: process.execPath,
      args: [join(here, 'tee.mjs'), this.#folder, process.execPath, '--import', 'tsx', join(root, server), ...args],
      cwd: root,
    }
  }

  /** All runs so far, the first one first. */
  runs(): Run[] {
    return readdirSync(this.#folder)
      .sort()
      .map(name => readRun(readFileSync(join(this.#folder, name), 'utf8')))
  }

  /**
   * Checks everything that the servers have sent so far.
   *
   * @throws WireError for what is wrong, the first time that it is seen
   */
  check(): void {
    for (const run of this.runs()) {
      try {
        checkRun(run)
      } catch (error) {
        const { message } = error as Error
        if (this.#told.has(message)) continue
        this.#told.add(message)
        throw error
      }
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function readRun(record: string): Run {
  const run: Run = { lines: [], end: undefined }
  const rest = { client: '', server: '' }
  // What stands after the last newline is still being written.
  for (const entry of record.split('\n').slice(0, -1)) {
    const { from, text, code, signal } = JSON.parse(entry)
    if (from === 'end') {
      run.end = { code, signal }
      if (rest.server !== '') throw new WireError(`The server ended within a line:\n${rest.server}`)
      continue
    }
    const lines = (rest[from as 'client' | 'server'] + text).split('\n')
    rest[from as 'client' | 'server'] = lines.pop()!
    for (const line of lines) run.lines.push({ from, line })
  }
  return run
}

/**
 * Checks the lines of a server one by one and as a whole: each request is answered once at most, and never after it was
 * cancelled; when the run is over, everything that was not cancelled was answered.
 *
 * @throws WireError for the first thing that is wrong
 */
export function checkRun({ lines, end }: Run): void {
  const open = new Map<unknown, { method: string; era: WireEra }>()
  const cancelled = new Set<unknown>()
  let handshake = false
  let revision: string | undefined
  for (const { from, line } of lines) {
    if (from === 'client') {
      const message = JSON.parse(line) as Json
      if (message.method === 'initialize') handshake = true
      if (message.method === 'notifications/cancelled') {
        cancelled.add(message.params.requestId)
        open.delete(message.params.requestId)
      } else if (message.method !== undefined && message.id !== undefined) {
        const modern = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
        open.set(message.id, { method: message.method, era: modern ? 'modern' : 'legacy' })
        cancelled.delete(message.id)
      }
      continue
    }
    const { id, method, result } = parsed(line)
    const request = method === undefined ? open.get(id) : undefined
    if (method === undefined && id !== undefined) {
      if (cancelled.has(id)) throw new WireError(`An answer after the request was cancelled:\n${line}`)
      if (request === undefined) throw new WireError(`An answer to no request, or a second one:\n${line}`)
      open.delete(id)
    }
    if (request?.method === 'initialize') revision = result?.protocolVersion
    const era = request?.era ?? (handshake ? 'legacy' : 'modern')
    checkServerLine(line, { era, revision: era === 'legacy' ? revision : undefined, requestMethod: request?.method })
  }
  if (end !== undefined && end.signal === null && open.size > 0) {
    const missing = [...open].map(([id, { method }]) => `${method} (${JSON.stringify(id)})`)
    throw new WireError(`Never answered: ${missing.join(', ')}`)
  }
}

function parsed(line: string): Json {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
