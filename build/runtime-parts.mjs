// The built runtime is read in parts. Its core is what every server needs at its start. Code for some boards or some
// calls only is read when it is first asked for: that is the larger part of the runtime, and reading it would be the
// larger part of a start. In the source such a module is imported as a namespace that says so
// (`import * as deferredTasks from './tasks/tasks.ts'`).
//
// Each part is a CommonJS file with one function of what it takes of the others, so that all work with the same classes.
// Nothing else can be read in the middle of a function on every Node from 20 on, and of nothing else can be kept what V8
// compiled of it (read-parts.mjs). `runtime/index.js` is the ES module that reads the core and exports it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { asFunction, exportsOf, hashOf, manyMembers, namesOf, onceEach, partFile, renameImports } from './part-text.mjs'

const registry = '\0runtime-parts'
const reader = fileURLToPath(new URL('read-parts.mjs', import.meta.url))
/** Stands before the path of a module of the core in what is built of another part. */
const given = 'core:'
/** Stands before the path of who imports a module that lies within the core's file. */
const within = '\0within-core:'
/** Where the files are, seen from the core's entry point. */
const partsFolder = 'parts'

/**
 * V8 keeps a string of less than 128 KiB with the new objects. With the text of the core among them they would be
 * collected before the first answer: 2 % of a start, and half a MiB that the process never gives back.
 */
const leastCoreBytes = 129 * 1024

/** What the reader imports: where it stands, and what it reads. */
const ofEntry = 'the-entry-point'

/** What a part is called: the last part of its module's path, but for an index the one before it. */
const nameOf = file => /([\w-]+)(?:[\\/]index)?\.ts$/.exec(file)[1]

/**
 * Splits what an entry point leads to into parts.
 *
 * @param core the entry point
 * @param deferred the paths of modules that are read when they are first needed
 * @param inner the paths of modules whose code lies within the core's file, and runs only where it is first needed: what
 *   many servers need, or another entry point
 * @param direct the paths of entry points that export what the core and inner ones do: they read the core themselves
 */
export class RuntimeParts {
  #core
  #whole
  #deferred
  #inner
  #direct
  /** The modules of the core, which other parts do not bring along. */
  #shared = new Set()
  /** What the other parts need of the core: a name that is used once, by module and by exported name. */
  #needed = new Map()
  /** Each deferred part by its name: what it is built to, and the name of its file. */
  #files = new Map()
  /** Each inner part by its name: its function, and what it exports. */
  #functions = new Map()

  constructor(core, { deferred, inner, direct }) {
    this.#direct = direct
    this.#core = resolve(core)
    this.#whole = resolve(dirname(core), 'whole.ts')
    this.#deferred = new Map(deferred.map(file => [resolve(file), nameOf(file)]))
    this.#inner = new Map(inner.map(file => [resolve(file), nameOf(file)]))
  }

  /** Builds the parts but for the core. */
  async build(options) {
    const found = { name: 'core-modules', transform: (_, id) => void this.#shared.add(id) }
    const core = await rolldown({ ...options, input: this.#core, plugins: [this.plugin(), found] })
    await core.generate({ format: 'esm' })
    for (const [file, name] of this.#inner) this.#functions.set(name, await this.#built(file, options))
    for (const [file, name] of this.#deferred) {
      this.#files.set(name, partFile(name, await this.#built(file, options)))
    }
  }

  /** A module with all that it imports but for the core, as a function of what it takes of that. */
  async #built(input, options) {
    const ofCore = {
      name: 'given-by-the-core',
      resolveId: (id, importer) => {
        const file = id === registry || importer === undefined ? id : resolve(dirname(importer), id)
        return file === registry || this.#shared.has(file) ? { id: `${given}${file}`, external: true } : null
      },
    }
    const bundle = await rolldown({ ...options, input, plugins: [ofCore, this.plugin(input)] })
    const { output } = await bundle.generate({ format: 'esm', comments: { jsdoc: false } })
    return asFunction(output[0].code, (source, imported) => this.#need(source.slice(given.length), imported))
  }

  /** Turns the imports of other parts into the reading of them, in everything that is built but a part itself. */
  plugin(part = undefined) {
    return {
      name: 'runtime-parts',
      resolveId: (id, importer) => {
        if (id === registry) return id
        if (id === reader) return { id, external: true }
        const file = importer === undefined ? resolve(id) : resolve(dirname(importer), id)
        if (file === this.#whole)
          return { id: id.replace(/runtime\/whole\.ts$/, 'whole/runtime/index.js'), external: true }
        // For each importer anew: else it would be one more file to read.
        if (this.#inner.has(file) && file !== part)
          return `${within}${this.#inner.get(file)}:${relative('.', importer ?? file)}`
        // Who is not of the core takes what it needs along, as of any other module.
        if (importer === undefined || !this.#shared.has(importer)) return null
        if (!this.#deferred.has(file)) return null
        throw new Error(`${importer}: ${id} is a deferred module. Import it as a namespace: deferred…`)
      },
      load: id => {
        if (id === registry) return this.#registryCode()
        return id.startsWith(within) ? this.#innerCode(id.slice(within.length).split(':')[0]) : null
      },
      transform: (code, id) => this.#transformed(code, id),
    }
  }

  /** Whether a module belongs to the core: what every server reads at its start. */
  isCore(id) {
    return id === registry || this.#shared.has(id)
  }

  /**
   * Writes the parts into the built package. What was built of the core becomes a part, and what reads it stands there
   * instead. Under `whole/` each entry point gets another one, which brings all parts along: for bundlers, which do not
   * see what is read, and for Node before 20.16, which cannot read in the middle of a function.
   */
  async write(dist, entryPoints) {
    const entry = join(dist, 'runtime/index.js')
    const inner = [...this.#functions].map(([name, { text }]) => `'${name}': ${text}`)
    const end = `const innerParts = { ${inner.join(', ')} }\n`
    const core = asFunction(readFileSync(entry, 'utf8'), (_, imported) => imported, { end, isOnce: true })
    const names = onceEach(core.exported)
    renameImports(dist, entry, names)
    const part = partFile('core', core, leastCoreBytes)
    const files = new Map([['core', part], ...this.#files])
    const version = `ferrule ${hashOf([...files.values()].map(({ file }) => file).join())}`

    mkdirSync(join(dist, 'runtime', partsFolder), { recursive: true })
    for (const { code, file } of files.values()) writeFileSync(join(dist, 'runtime', partsFolder, file), code)

    const reading = { version, file: `${partsFolder}/${part.file}` }
    const readers = new Map([[entry, [...new Set(names.values())]]])
    for (const module of this.#direct) {
      const path = join(dist, module.replace(/\.ts$/, '.js'))
      readers.set(path, exportsOf(path))
    }
    for (const [path, exported] of readers) {
      writeFileSync(path, await this.#readerCode({ ...reading, folder: relative(dist, dirname(path)) }, exported))
    }
    writeWhole(join(dist, 'whole'), dist, { version, files, entryPoints })
  }

  /**
   * What stands in the place of an entry point: it reads the core's part, and exports what that and inner parts export.
   *
   * @param reading the version, the file of the core in the folder of the runtime, and the folder that the reader is in
   */
  async #readerCode({ version, file, folder }, exported) {
    const inner = [...this.#functions].map(([part, made]) => [
      part,
      namesOf(made).filter(name => exported.includes(name)),
    ])
    const ofInner = new Set(inner.flatMap(([, names]) => names))
    const code = `import { readPart } from ${JSON.stringify(reader)}
const core = readPart('core', '${file}', () => ({ readPart }))
export const { ${exported.filter(name => !ofInner.has(name)).join(', ')} } = core
${inner.map(([part, names]) => (names.length > 0 ? `export const { ${names.join(', ')} } = core.runInner('${part}')` : '')).join('\n')}
`
    const place = `export const version = '${version}'
export const runtimeFolder = () => import.meta.dirname.slice(0, -${folder.length}) + 'runtime'
`
    const modules = { [registry]: code, [ofEntry]: place }
    const given = { name: 'reader', resolveId: id => (id in modules ? id : null), load: id => modules[id] ?? null }
    const bundle = await rolldown({ input: registry, plugins: [given] })
    const { output } = await bundle.generate({ format: 'esm', comments: { jsdoc: false } })
    return output[0].code
  }

  #transformed(code, id) {
    let read = ''
    let rest = code
    for (const [line, namespace, path] of code.matchAll(/^import \* as (deferred\w+) from '(\.[^']+)'\n/gm)) {
      const file = resolve(dirname(id), path)
      const name = this.#deferred.get(file) ?? this.#inner.get(file)
      if (name === undefined) throw new Error(`${id}: ${path} is no deferred module`)
      rest = rest.replace(line, '').replaceAll(new RegExp(`\\b${namespace}\\b`, 'g'), `${namespace}()`)
      if (new RegExp(`new ${namespace}\\(\\)|\\b${namespace}\\(\\)(?!\\.\\w+\\()`).test(rest)) {
        throw new Error(`${id}: ${namespace} is read when a function of it is called, and for nothing else`)
      }
      read += `import { ${this.#inner.has(file) ? 'runInner' : 'readDeferred'} as read_${namespace} } from '${registry}'\n`
      read += `const ${namespace} = () => read_${namespace}('${name}')\n`
    }
    return read === '' ? null : { code: read + rest }
  }

  /** What a name of a module of the core is called among all that other parts need. */
  #need(file, imported) {
    const key = `${file}\n${imported}`
    if (!this.#needed.has(key)) {
      const taken = new Set(this.#needed.values())
      let unique = imported
      for (let count = 2; taken.has(unique); count++) unique = `${imported}_${count}`
      this.#needed.set(key, unique)
    }
    return this.#needed.get(key)
  }

  #registryCode() {
    const imports = []
    const locals = []
    for (const [key, unique] of this.#needed) {
      const [file, imported] = key.split('\n')
      locals.push(file === registry ? imported : `${unique}: needed_${unique}`)
      if (file !== registry) imports.push(`import { ${imported} as needed_${unique} } from ${JSON.stringify(file)}`)
    }
    const files = [...this.#files].map(([name, { file }]) => `'${name}': '${partsFolder}/${file}'`)
    return `${imports.join('\n')}
import { readPart } from ${JSON.stringify(reader)}
const core = () => (${manyMembers(locals.join(', '))})
const files = { ${files.join(', ')} }
const run = {}
export const readDeferred = name => readPart(name, files[name], core)
export const runInner = name => (run[name] ??= innerParts[name](core()))
`
  }

  #innerCode(name) {
    const names = namesOf(this.#functions.get(name))
    return `import { runInner } from '${registry}'\nexport const { ${names.join(', ')} } = runInner('${name}')\n`
  }
}

/** Writes the entry points that bring all parts along, into a folder of their own. */
function writeWhole(whole, dist, { version, files, entryPoints }) {
  const parts = [...files].map(([name, { file }], index) => ({ name, file, local: `part${index}` }))
  mkdirSync(whole)
  writeFileSync(
    join(whole, 'parts.js'),
    `${parts.map(({ file, local }) => `import ${local} from '../runtime/${partsFolder}/${file}'`).join('\n')}
const broughtAlong = { ${parts.map(({ name, local }) => `'${name}': ${local}`).join(', ')} }
globalThis[Symbol.for('${version}')] ??= { broughtAlong, read: {} }
`,
  )
  for (const entryPoint of entryPoints) {
    const to = join(whole, entryPoint)
    mkdirSync(dirname(to), { recursive: true })
    const [all, itself] = [join(whole, 'parts.js'), join(dist, entryPoint)].map(path => pathFrom(dirname(to), path))
    writeFileSync(to, `import '${all}'\nexport * from '${itself}'\n`)
  }
}

/** A path as an import has it. */
function pathFrom(folder, path) {
  const way = relative(folder, path).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}
