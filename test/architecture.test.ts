import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { projectDir } from './child.ts'

/** The TypeScript files of a folder of the project, by their path from there, with `/`. */
function sourcesOf(folder: string): string[] {
  return readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => posix.join(folder, file.replaceAll('\\', '/')))
}

function sourceOf(file: string): string {
  return readFileSync(join(projectDir, file), 'utf8')
}

const specifiers = [
  /^(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^import\s*['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
]

/** What a file imports or hands on, types included: files of the project by path, everything else as it stands. */
function importsOf(file: string): string[] {
  const source = sourceOf(file)
  return specifiers
    .flatMap(pattern => [...source.matchAll(pattern)].map(match => match[1]!))
    .map(specifier => (specifier.startsWith('.') ? posix.join(dirname(file), specifier) : specifier))
}

interface Import {
  file: string
  imported: string
}

/** The imports of a folder that are not among those allowed. */
function strangers(folder: string, isAllowed: (one: Import) => boolean): string[] {
  return sourcesOf(folder)
    .flatMap(file => importsOf(file).map(imported => ({ file, imported })))
    .filter(one => !isAllowed(one))
    .map(({ file, imported }) => `${file} imports ${imported}`)
}

const layers = ['runtime', 'boards', 'transports', 'bin', 'examples']
const isIn = (folder: string, imported: string) => imported.startsWith(`${folder}/`)

/** The part of the runtime that a board is written against. What it needs beyond that it gets from the index. */
const boardModel = ['runtime/index.ts', 'runtime/board.ts', 'runtime/call.ts', 'runtime/clock.ts']
/** What some boards need as well, and no server: it is not in the index, which every server reads at its start. */
const beside: Record<string, string[]> = {
  // To say which name or unit was meant.
  'boards/raspberry-pi/declared': ['runtime/nearest.ts', 'runtime/senml-units.ts'],
  // A description that comes by a cable, and outputs at its other end.
  'boards/remote': ['runtime/actuator-rules.ts', 'runtime/schema/from-text.ts', 'runtime/senml-units.ts'],
}

describe('who may know whom', () => {
  it('the imports are found', () => {
    expect(importsOf('runtime/eras/index.ts').sort()).toEqual([
      'runtime/eras/era.ts',
      'runtime/eras/legacy.ts',
      'runtime/eras/modern.ts',
    ])
    expect(importsOf('transports/stdio/index.ts')).toContain('node:net')
    expect(importsOf('bin/main.ts')).toContain('bin/serve.ts')
  })

  it('the runtime imports itself only, and each library in the one file that knows it', () => {
    const libraries: Record<string, string> = {
      '@cfworker/json-schema': 'runtime/schema/library.ts',
    }
    expect(
      strangers('runtime', ({ file, imported }) => isIn('runtime', imported) || libraries[imported] === file),
    ).toEqual([])
  })

  it('boards know the board model, and nothing of transports', () => {
    const isAllowed = ({ file, imported }: Import) =>
      isIn('runtime', imported)
        ? boardModel.includes(imported) ||
          Object.entries(beside).some(([folder, files]) => isIn(folder, file) && files.includes(imported))
        : !layers.some(layer => layer !== 'boards' && isIn(layer, imported))
    expect(strangers('boards', isAllowed)).toEqual([])
  })

  it('transports know the public runtime, and nothing of boards', () => {
    const isAllowed = ({ imported }: Import) =>
      imported === 'runtime/index.ts' || !layers.some(layer => layer !== 'transports' && isIn(layer, imported))
    expect(strangers('transports', isAllowed)).toEqual([])
  })

  it('the command is known by nobody', () => {
    for (const layer of ['runtime', 'boards', 'transports', 'examples']) {
      expect(strangers(layer, ({ imported }) => !isIn('bin', imported))).toEqual([])
    }
  })

  it('examples import what a user imports: they work where they are copied to', () => {
    expect(strangers('examples', ({ imported }) => /^(ferrule(\/|$)|node:|examples\/)/.test(imported))).toEqual([])
  })

  it('no product file imports a test', () => {
    for (const layer of layers) expect(strangers(layer, ({ imported }) => !isIn('test', imported))).toEqual([])
  })
})

describe('the runtime knows no platform', () => {
  const files = sourcesOf('runtime')

  it.each(files)('%s', file => {
    // Without comments and types.
    const { code } = transformSync(sourceOf(file), { loader: 'ts', legalComments: 'none' })
    expect(code).not.toMatch(/\bBuffer\b|\bprocess\s*[.[?]|\bglobal\b|\brequire\s*\(|import\.meta/)
    expect(sourceOf(file)).not.toMatch(/\bNodeJS\.|['"]node:/)
    if (file !== 'runtime/clock.ts') {
      expect(code).not.toMatch(/(?<![.\w])set(Timeout|Interval|Immediate)\s*\(|globalThis\.set/)
      expect(code).not.toMatch(/\bDate\.now\(|\bperformance\./)
    }
  })
})

describe('eras', () => {
  it('do not know each other, and nobody else knows them but their list', () => {
    const files = layers.flatMap(sourcesOf)
    const knowing = (era: string) => files.filter(file => importsOf(file).includes(`runtime/eras/${era}.ts`))
    expect(knowing('modern')).toEqual(['runtime/eras/index.ts'])
    expect(knowing('legacy')).toEqual(['runtime/eras/index.ts'])
  })

  it('everything compiles without the handshake era', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const part of ['runtime', 'boards', 'transports', 'bin', 'tsconfig.json', 'package.json']) {
      cpSync(join(projectDir, part), join(folder, part), { recursive: true })
    }
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const list = join(folder, 'runtime/eras/index.ts')
    const without = readFileSync(list, 'utf8')
      .replace(/^import .*legacy.*\n/m, '')
      .replace(/, legacy\b/, '')
    expect(without).not.toContain('legacy')
    writeFileSync(list, without)
    unlinkSync(join(folder, 'runtime/eras/legacy.ts'))
    expect(typeErrors(folder)).toBe('')
  })
})

describe('the public API', () => {
  const index = sourceOf('runtime/index.ts')
  const names = [...index.matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([\w/-]+\.ts)'/g)].flatMap(
    ([, list, file]) =>
      list!
        .split(',')
        .map(name => name.trim().replace(/^type /, ''))
        .filter(name => name !== '')
        .map(name => [name, `runtime/${file}`] as const),
  )

  it('is listed name by name', () => {
    expect(names.length).toBeGreaterThan(50)
    // Those that are an index under another name, or two in one.
    const others = ['runtime/whole.ts', 'transports/stdio/server.ts']
    const listing = layers.flatMap(sourcesOf).filter(file => !others.includes(file))
    for (const file of listing) expect(sourceOf(file), file).not.toMatch(/^export \*/m)
    for (const file of ['runtime', 'boards', 'transports'].flatMap(sourcesOf)) {
      expect(sourceOf(file), file).not.toMatch(/^export default/m)
    }
  })

  it.each(names)('%s has a docstring', (name, file) => {
    const declaration = new RegExp(
      `\\*/\\nexport (?:declare |abstract |async )*(?:function|class|interface|type|const) ${name}\\b`,
    )
    expect(sourceOf(file)).toMatch(declaration)
  })

  it.each(['boards', 'transports'].flatMap(sourcesOf))('what %s exports has docstrings', file => {
    expect(sourceOf(file)).not.toMatch(/(?<!\*\/)\nexport (?:async )?(?:function|class|interface|const|type) \w/)
  })
})

/** What the compiler says about a folder with a tsconfig.json: nothing when all is well. */
function typeErrors(folder: string): string {
  const tsc = join(projectDir, 'node_modules/typescript/bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (failed) {
    return (failed as { stdout: string }).stdout
  }
}
