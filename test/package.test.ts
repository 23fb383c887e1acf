import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { boardSchema } from '../boards/raspberry-pi/board.ts'
import { Child, projectDir } from './child.ts'
import { npm, type Packed, packAndInstall, plainEnv } from './packed.ts'

const manifest = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'))

/** What a user gets to download and to store, in bytes. More is a decision: it is made by changing these numbers. */
const mostBytes = { packed: 600_000, unpacked: 2_020_000 }

const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
const consumer = join(folder, 'consumer')
/** What a board.json names as its "$schema", from where ferrule is installed. */
const boardSchemaFile = 'dist/boards/raspberry-pi/board.schema.json'
let packed: Packed

/** Runs a program of the project that uses the package, and gives what it prints. */
function run(source: string, more: Record<string, string> = {}): string {
  const args = ['--input-type=module', '--eval', source]
  return execFileSync(process.execPath, args, { cwd: consumer, env: { ...plainEnv, ...more }, encoding: 'utf8' })
}

beforeAll(() => {
  packed = packAndInstall(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('what the package holds', () => {
  it('the build, the license and the notices, and nothing else', () => {
    const usual = ['package.json', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt']
    const strange = packed.files
      .map(({ path }) => path)
      .filter(path => !usual.includes(path) && !/^dist\/[\w/-]+(\.c?js|\.d\.ts)$/.test(path))
      .filter(path => path !== 'dist/boards/microcontroller/LICENSE' && path !== boardSchemaFile)
      .filter(path => !/^dist\/boards\/microcontroller\/[\w/-]+\.(hex|c|cpp|h|ino|properties|json|txt|py)$/.test(path))
      .filter(path => !/^dist\/bin\/page\/\w+\.(html|css|svg)$/.test(path))
    expect(strange).toEqual([])
    expect(packed.files.some(({ path }) => path === 'LICENSE')).toBe(true)
    expect(packed.files.some(({ path }) => path === 'dist/bin/page/index.html')).toBe(true)
    expect(packed.files.some(({ path }) => path.endsWith('microcontroller/micropython/ferrule.py'))).toBe(true)
  })

  it('the JSON Schema of a board.json, as the drivers have it', () => {
    const file = join(consumer, 'node_modules/ferrule', boardSchemaFile)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(boardSchema())
  })

  it('is small', () => {
    expect(packed.size).toBeLessThan(mostBytes.packed)
    expect(packed.unpackedSize).toBeLessThan(mostBytes.unpacked)
  })

  it('no path of the machine that built it, and no source map', () => {
    const dist = join(consumer, 'node_modules/ferrule/dist')
    for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|ts)$/.test(file)) continue
      const text = readFileSync(join(dist, file), 'utf8')
      expect(text, file).not.toContain(folder)
      expect(text, file).not.toContain('sourceMappingURL')
    }
  })

  it('depends on nothing but what is known', () => {
    expect(manifest.dependencies ?? {}).toEqual({})
    expect(Object.keys(manifest.optionalDependencies ?? {})).toEqual(['avr8js', 'jose', 'koffi', 'serialport'])
    expect(Object.keys(manifest.peerDependencies ?? {})).toEqual(['tsx'])
    expect(manifest.peerDependenciesMeta).toEqual({ tsx: { optional: true } })
    expect(readdirSync(join(consumer, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual(['ferrule'])
  })
})

const entryPoints = Object.keys(manifest.exports)
  .filter(path => path !== './package.json')
  .map(path => path.replace('.', 'ferrule'))

describe('the package where it is installed', () => {
  it.each(entryPoints)('%s is imported by plain Node', entryPoint => {
    expect(() => run(`process.exit(Object.keys(await import('${entryPoint}')).length > 0 ? 0 : 1)`)).not.toThrow()
  })

  it('a server is made from it', () => {
    const source = `
      import { createServer } from 'ferrule'
      import { simulatedGreenhouse } from 'ferrule/boards/simulated'
      console.log([...createServer(simulatedGreenhouse()).tools.keys()].join(' '))`
    expect(run(source)).toContain('pump')
  })

  it('npx finds the command', () => {
    expect(npm('npx', ['--offline', 'ferrule', '--version'], consumer)).toBe(`${manifest.version}\n`)
  })

  it('the command serves a file of the project', async () => {
    writeFileSync(
      join(consumer, 'server.js'),
      `import { simulatedGreenhouse } from 'ferrule/boards/simulated'\nexport default simulatedGreenhouse()\n`,
    )
    const child = new Child(process.execPath, [command, 'serve', 'server.js'], { cwd: consumer })
    onTestFinished(() => child.stop())
    expect((await child.initialize()).result.serverInfo.name).toContain('greenhouse')
    child.endInput()
    expect((await child.exit()).code).toBe(0)
  })
})

describe('the checkout', () => {
  it('npx finds the command', () => {
    expect(npm('npx', ['--offline', 'ferrule', '--version'], projectDir)).toBe(`${manifest.version}\n`)
  })
})

const command = join(consumer, 'node_modules/ferrule/dist/bin/ferrule.js')

/** The files that a program reads as code, by their path in `node_modules` of the consumer. */
function filesRead(program: (env: Record<string, string>) => void): string[] {
  const coverage = mkdtempSync(join(folder, 'coverage-'))
  program({ NODE_V8_COVERAGE: coverage })
  return readdirSync(coverage)
    .flatMap(file => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result as { url: string }[])
    .map(({ url }) => url)
    .filter(url => url.startsWith('file:') && !url.endsWith('[eval1]'))
    .map(url => fileURLToPath(url).replace(/.*node_modules[\\/]/, ''))
}

describe('what is read at the start', () => {
  const known = /^ferrule[\\/]dist[\\/]/

  it.each(entryPoints)('%s: few files, all of the package', entryPoint => {
    const files = filesRead(env => run(`import '${entryPoint}'`, env))
    expect(files.filter(file => !known.test(file))).toEqual([])
    expect(files.length).toBeGreaterThan(0)
    expect(files.length).toBeLessThanOrEqual(7)
  })

  it('a server on standard input and output: the file of its import, and the core', () => {
    const files = filesRead(env =>
      run(
        `import { createServer, stdio } from 'ferrule/stdio'
        await stdio({ graceMs: 1, flushMs: 1 }).serve(createServer({ name: 'empty' }))`,
        env,
      ),
    )
    expect(files.map(file => file.replaceAll('\\', '/').replace(/-\w{8}/, '')).sort()).toEqual([
      'ferrule/dist/runtime/parts/core.cjs',
      'ferrule/dist/transports/stdio/server.js',
    ])
  })

  it('the command: few files for what it does, and no loader for TypeScript', () => {
    const files = filesRead(more =>
      execFileSync(process.execPath, [command, '--version'], { env: { ...plainEnv, ...more } }),
    )
    expect(files.filter(file => !known.test(file))).toEqual([])
    expect(files.length).toBeLessThanOrEqual(6)
  })
})

const program = `
import { actuator, type Board, createServer } from 'ferrule'
import { simulatedGreenhouse } from 'ferrule/boards/simulated'
import { stdio } from 'ferrule/stdio'
import { connectInMemory } from 'ferrule/transports/memory'

const board: Board = {
  name: 'lamp',
  sensors: { light: { title: 'Light', unit: 'lx', read: () => 12 } },
  actuators: {
    lamp: actuator({
      title: 'Lamp',
      inputSchema: { type: 'object', properties: { percent: { type: 'number' } }, required: ['percent'] },
      safe: { percent: 0 },
      set: ({ percent }) => percent.toFixed(1),
    }),
    wrong: actuator({
      inputSchema: { type: 'object', properties: { percent: { type: 'number' } }, required: ['percent'] },
      // @ts-expect-error the arguments are typed
      safe: { percent: 'none' },
      // @ts-expect-error the arguments are typed
      set: ({ percent }) => percent.toUpperCase(),
    }),
  },
}
// @ts-expect-error a unit of the registry
board.sensors = { light: { unit: 'lux', read: () => 12 } }
const server = createServer(board, { readSensorsTool: true })
connectInMemory(createServer(simulatedGreenhouse()), message => message).send({ jsonrpc: '2.0', id: 1, method: 'ping' })
await stdio({ graceMs: 100 }).serve(server)
`

describe('the types where it is installed', () => {
  const node = { lib: ['es2023'], types: ['node'], typeRoots: [join(projectDir, 'node_modules/@types')] }
  const web = { lib: ['es2023', 'dom'], types: [] }

  it.each([
    { module: 'node16', moduleResolution: 'node16', ...node },
    { module: 'nodenext', moduleResolution: 'nodenext', ...node },
    { module: 'esnext', moduleResolution: 'bundler', ...web },
  ])('$moduleResolution, with the libraries $lib and types $types', options => {
    const project = mkdtempSync(join(consumer, 'types-'))
    writeFileSync(join(project, 'program.ts'), program)
    const compilerOptions = {
      ...options,
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    expect(typeErrors(project)).toBe('')
  })
})

function typeErrors(project: string): string {
  const tsc = join(projectDir, 'node_modules/typescript/bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (failed) {
    return (failed as { stdout: string }).stdout
  }
}
