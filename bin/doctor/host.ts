import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { Client, type Message } from '../client.ts'
import { version } from '../place.ts'
import { findProgram, spawning } from '../program.ts'
import type { Examination } from './steps.ts'

interface Entry {
  command?: unknown
  args?: unknown
  env?: unknown
}

/** So long hosts wait for a server to greet, and longer than that they give up. */
const greetMs = 10_000
const leaveMs = 3000

/** Goes through the configuration file of a host: each of our entries is started as the host does it, and asked. */
export async function examineHost(file: string, examination: Examination): Promise<void> {
  const entries = readEntries(file, examination)
  if (entries === undefined) return
  const ours = Object.entries(entries).filter(([, entry]) => isOurs(entry))
  const others = Object.keys(entries).length - ours.length
  if (ours.length === 0) {
    const what = others === 0 ? 'it has no server at all' : `none of its ${others} server(s) is a ferrule`
    examination.step('fail', 'entries', what, 'run "ferrule host ..." and put what it prints into this file')
    return
  }
  const left = others === 0 ? '' : `, ${others} other(s) are left alone`
  examination.step('ok', 'entries', `${ours.map(([name]) => name).join(', ')}${left}`)
  for (const [name, entry] of ours) {
    examination.heading(`\n${name}:`)
    await examineEntry(entry, examination)
  }
}

function readEntries(file: string, examination: Examination): Record<string, Entry> | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    const missing = (thrown as NodeJS.ErrnoException).code === 'ENOENT'
    const why = missing ? `${file} is not there` : (thrown as Error).message
    examination.step('fail', 'file', why, '"ferrule host NAME ..." tells where the file of a host is')
    return undefined
  }
  let config: Record<string, any>
  try {
    config = JSON.parse(text)
  } catch (thrown) {
    // VS Code takes comments and a comma too many; the others do not.
    const lenient = parsedLeniently(text)
    if (lenient === undefined || 'mcpServers' in lenient) {
      const why = (thrown as Error).message.split('\n')[0]
      examination.step(
        'fail',
        'file',
        `${file} is not valid JSON: ${why}`,
        'look for a comma that is missing, or one too many',
      )
      return undefined
    }
    config = lenient
  }
  const entries = config.mcpServers ?? config.servers ?? config.mcp?.servers
  if (typeof entries === 'object' && entries !== null) {
    examination.step('ok', 'file', `${file} is valid JSON`)
    return entries
  }
  const what = `${file} has neither mcpServers (Claude, Cursor) nor servers (VS Code)`
  examination.step('fail', 'file', what, 'put the whole of what "ferrule host ..." prints into it')
  return undefined
}

function parsedLeniently(text: string): Record<string, any> | undefined {
  const bare = text.replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted) => quoted ?? '')
  try {
    return JSON.parse(bare.replace(/("(?:\\.|[^"\\])*")|,(\s*[}\]])/g, (_, quoted, end) => quoted ?? end))
  } catch {
    return undefined
  }
}

function isOurs({ command, args }: Entry): boolean {
  return [command, ...(Array.isArray(args) ? args : [])].some(word => typeof word === 'string' && /ferrule/i.test(word))
}

async function examineEntry({ command, args = [], env = {} }: Entry, examination: Examination): Promise<void> {
  if (typeof command !== 'string' || !Array.isArray(args) || !args.every(word => typeof word === 'string')) {
    const advice = 'make the entry again: ferrule host ...'
    return examination.step('fail', 'entry', 'it needs a command (a text) and args (a list of texts)', advice)
  }
  const program = findProgram(command)
  if (program === undefined) {
    const advice = 'make the entry again: ferrule host ... writes the path of the Node that runs it'
    return examination.step('fail', 'program', `${command} is not there, or cannot be run`, advice)
  }
  if (isAbsolute(command)) examination.step('ok', 'program', command)
  else {
    const advice = `write ${program}: an app does not know the PATH of your terminal`
    examination.step('note', 'program', `${command} is found here, but perhaps not by the host`, advice)
  }
  const missing = args.filter(word => isAbsolute(word) && /\.[cm]?[jt]s$/.test(word) && !existsSync(word))
  if (missing.length > 0) {
    const advice = 'make the entry again: ferrule host ...'
    return examination.step('fail', 'files', `${missing.join(' and ')} is not there any more`, advice)
  }
  examination.step('ok', 'files', 'every file that it names is there')
  await examineServer(program, args, env as Record<string, string>, examination)
}

async function examineServer(program: string, args: string[], env: Record<string, string>, examination: Examination) {
  // The little that an app gives: what only a terminal has must not be what makes it work.
  const { HOME, USER, TMPDIR, SystemRoot, APPDATA, LOCALAPPDATA, USERPROFILE, XDG_RUNTIME_DIR } = process.env
  const given = { HOME, USER, TMPDIR, SystemRoot, APPDATA, LOCALAPPDATA, USERPROFILE, XDG_RUNTIME_DIR, ...env }
  const { file, args: words, shell } = spawning(program, args)
  const child = spawn(file, words, { cwd: '/', env: given, stdio: ['pipe', 'pipe', 'pipe'], shell })
  const strays: string[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000)
  })
  child.stdin.on('error', () => {})
  const client = new Client({
    era: 'legacy',
    version: version(),
    write: line => child.stdin.write(line),
    onStray: text => strays.push(text),
  })
  child.stdout.on('data', (chunk: Buffer) => client.push(chunk))
  const ended = new Promise<string>(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('close', (code, signal) => resolve(`it ended by itself (${signal ?? `code ${code}`})`))
  }).then(why => {
    client.close(new Error(why))
    return why
  })
  try {
    await talk(client, examination)
    if (strays.length > 0) {
      const advice = 'a host may give up by this: print to stderr (console.error) instead'
      examination.step('fail', 'stdout', `beside the protocol it printed: ${strays[0]!.slice(0, 80)}`, advice)
    }
  } catch (thrown) {
    const last = stderr.trim().split('\n').slice(-3).join('\n                        ')
    const what = `${(thrown as Error).message}${last === '' ? '' : `; it said:\n                        ${last}`}`
    examination.step('fail', 'server', what, 'run the command of the entry by hand, and mend what it says')
  } finally {
    await leave(child, ended)
  }
}

async function talk(client: Client, examination: Examination): Promise<void> {
  const began = performance.now()
  const { name, version } = await within(client.start(), 'it did not answer initialize')
  const took = Math.round(performance.now() - began)
  examination.step('ok', 'handshake', `${name} ${version} answers after ${took} ms`)
  const tools = await within(client.list<Message>('tools/list', 'tools'), 'it did not list its tools')
  examination.step(
    tools.length > 0 ? 'ok' : 'note',
    'tools',
    tools.length > 0 ? tools.map(tool => tool.name).join(', ') : 'it has no tools',
  )
  const resources = await within(
    client.list<Message>('resources/list', 'resources').catch(() => []),
    'no resources',
  )
  const sensor = resources.find(({ uri }) => /^sensor:\/\/[^/]+\/./.test(uri)) ?? resources[0]
  if (sensor === undefined) return examination.step('note', 'reading', 'it has nothing to read')
  try {
    const { contents } = await within(client.request('resources/read', { uri: sensor.uri }), 'no answer')
    const text = contents.map((each: Message) => each.text).findLast((each: unknown) => typeof each === 'string')
    examination.step('ok', 'reading', `${sensor.uri}: ${String(text).split('\n')[0]!.slice(0, 100)}`)
  } catch (thrown) {
    examination.step('fail', 'reading', (thrown as Error).message, 'the server is well; look at its hardware')
  }
}

function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${greetMs / 1000} s`)), greetMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

async function leave(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.stdin!.end()
  const late = setTimeout(() => child.kill('SIGKILL'), leaveMs)
  await ended
  clearTimeout(late)
}
