import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from './failure.ts'

/** Turns what a server file threw into what its author can act on: where, what, and what to do. No stacks. */
export function explain(thrown: unknown, file: string): Failure {
  if (!(thrown instanceof Error)) return new Failure(`${file} threw ${String(thrown)} while it was loaded`)
  const { code } = thrown as NodeJS.ErrnoException
  if (thrown.name === 'DefinitionError') return new Failure(`${file}: ${thrown.message}`)
  if (code === 'ERR_MODULE_NOT_FOUND') return new Failure(missing(thrown.message, file))
  const syntax = syntaxError(thrown, file)
  if (syntax) return new Failure(syntax)
  const place = ownPlace(thrown.stack ?? '') ?? file
  return new Failure(`${place}: ${thrown.name}: ${firstLine(thrown.message)}`)
}

/** Node's two sentences about a module that is not there, as a step to take. */
function missing(message: string, file: string): string {
  const [, kind, name, from] = /^Cannot find (package|module) '(.+?)' imported from (.+)$/m.exec(message) ?? []
  if (!kind || !name || !from) return `${file}: ${firstLine(message)}`
  const importer = plainPath(from)
  if (kind === 'package') {
    const step = `Run "npm install ${name}" in ${dirname(file)}`
    return `${importer} needs the package ${name}, which is not installed.\n  ${step}`
  }
  const wanted = plainPath(name)
  const asTypeScript = wanted.replace(/\.([cm]?)js$/, '.$1ts')
  const hint =
    asTypeScript !== wanted && existsSync(asTypeScript) ? `\n  There is ${asTypeScript}: import that name` : ''
  return `${importer} imports ${wanted}, which is not there${hint}`
}

function syntaxError(thrown: Error, file: string): string | undefined {
  // esbuild, which tsx runs, puts the place into its message.
  const [, at, problem] = /^(.+?:\d+:\d+): ERROR: (.+)$/m.exec(thrown.message) ?? []
  if (at && problem) return `${plainPath(at)}: ${problem}`
  if (thrown.name !== 'SyntaxError') return undefined
  const place = firstPlace(thrown.stack ?? '') ?? checkedPlace(file)
  const advice =
    (thrown as NodeJS.ErrnoException).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
      ? '\n  Node only takes the types away: write it without enum, namespace and parameter properties.'
      : ''
  return `${place ?? file}: ${shortened(firstLine(thrown.message))}${advice}`
}

/** V8 keeps the place of a syntax error to itself unless it is the process that ends by it. */
function checkedPlace(file: string): string | undefined {
  try {
    execFileSync(process.execPath, ['--check', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      env: {},
    })
  } catch (failed) {
    return firstPlace(String((failed as { stderr?: string }).stderr ?? ''))
  }
  return undefined
}

function firstPlace(text: string): string | undefined {
  const [, at] = /^((?:file:\/\/|\/|[A-Za-z]:\\).+:\d+)$/m.exec(text.split('\n', 1)[0] ?? '') ?? []
  return at && plainPath(at)
}

/** The topmost line of a stack that lies in code that the author can see. */
function ownPlace(stack: string): string | undefined {
  for (const line of stack.split('\n')) {
    const [, at] = /^\s+at .*?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?:\d+):\d+\)?$/.exec(line) ?? []
    if (at && !at.includes('/node_modules/')) return plainPath(at)
  }
  return undefined
}

function plainPath(text: string): string {
  if (!text.startsWith('file:')) return text
  const [, url = text, place = ''] = /^(.+?)((?::\d+)*)$/.exec(text) ?? []
  try {
    return `${fileURLToPath(url)}${place}`
  } catch {
    return text
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function shortened(text: string): string {
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`
}
