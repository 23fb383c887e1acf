// Code that a server needs for some boards or some calls only is read when it is first asked for: that is the larger
// part of the runtime, and reading it would be the larger part of a start. In the source such a module is imported as a
// namespace that says so (`import * as deferredTasks from './tasks/tasks.ts'`). In the built package the namespace is a
// CommonJS file of its own, since nothing else can be read in the middle of a function on every Node from 20 on. It gets
// what it shares with the rest of the runtime handed in, so that both work with the same classes.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

const registry = '\0deferred-modules'
const reader = fileURLToPath(new URL('deferred-parts.mjs', import.meta.url))
/** Stands before the path of a module of the core in what is built of a deferred one. */
const given = 'core:'
/** Where the files are, seen from the file of the core's entry point. */
const folder = 'deferred'

/** What a deferred module is called: the last part of its path. */
const nameOf = file => /([\w-]+)\.ts$/.exec(file)[1]

/**
 * Splits deferred modules off from what an entry point reads.
 *
 * @param core the entry point that they belong to
 * @param modules their paths
 */
export class DeferredModules {
  #core
  #whole
  #names
  /** The modules of the core, which deferred ones do not bring along. */
  #shared = new Set()
  /** What the deferred modules need of the core: a name that is used once, by module and by exported name. */
  #needed = new Map()
  /** Each by its name: what it is built to, and the name of its file. */
  #built = new Map()

  constructor(core, modules) {
    this.#core = resolve(core)
    this.#whole = resolve(dirname(core), 'whole.ts')
    this.#names = new Map(modules.map(file => [resolve(file), nameOf(file)]))
  }

  /** Builds the deferred modules. */
  async build(options) {
    const found = { name: 'core-modules', transform: (_, id) => void this.#shared.add(id) }
    const core = await rolldown({ ...options, input: this.#core, plugins: [this.plugin(), found] })
    await core.generate({ format: 'esm' })
    const ofCore = {
      name: 'given-by-the-core',
      resolveId: (id, importer) => {
        const file = id === registry || importer === undefined ? id : resolve(dirname(importer), id)
        return file === registry || this.#shared.has(file) ? { id: `${given}${file}`, external: true } : null
      },
    }
    for (const [file, name] of this.#names) {
      const bundle = await rolldown({ ...options, input: file, plugins: [ofCore, this.plugin()] })
      const { output } = await bundle.generate({ format: 'esm', comments: { jsdoc: false } })
      const code = this.#asFunction(output[0].code)
      // A program that runs while the package is replaced must not get a part that does not fit.
      const version = createHash('sha256').update(code).digest('hex').slice(0, 8)
      this.#built.set(name, { code, file: `${name}-${version}.cjs` })
    }
  }

  /** Turns the imports of deferred modules into the reading of them, in everything that is built. */
  plugin() {
    return {
      name: 'deferred-modules',
      resolveId: (id, importer) => {
        if (id === registry) return id
        if (importer !== undefined && resolve(dirname(importer), id) === this.#whole) {
          return { id: id.replace(/\.ts$/, '.js'), external: true }
        }
        // Who is not of the core takes what it needs along, as of any other module.
        if (importer === undefined || !this.#shared.has(importer)) return null
        if (!this.#names.has(resolve(dirname(importer), id))) return null
        throw new Error(`${importer}: ${id} is a deferred module. Import it as a namespace: deferred…`)
      },
      load: id => (id === registry ? this.#registryCode() : null),
      transform: (code, id) => this.#transformed(code, id),
    }
  }

  /** Whether a module belongs to the core: what every server reads at its start. */
  isCore(id) {
    return id === registry || this.#shared.has(id)
  }

  /** Writes the files into the built package. */
  write(dist) {
    const core = join(dist, 'runtime')
    mkdirSync(join(core, folder), { recursive: true })
    for (const { code, file } of this.#built.values()) writeFileSync(join(core, folder, file), code)
    writeFileSync(join(core, 'whole.js'), this.#wholeCode())
  }

  #transformed(code, id) {
    let read = id === this.#core ? `export { deferredParts } from '${registry}'\n` : ''
    let rest = code
    for (const [line, namespace, path] of code.matchAll(/^import \* as (deferred\w+) from '(\.[^']+)'\n/gm)) {
      const name = this.#names.get(resolve(dirname(id), path))
      if (name === undefined) throw new Error(`${id}: ${path} is no deferred module`)
      rest = rest.replace(line, '').replaceAll(new RegExp(`\\b${namespace}\\b`, 'g'), `${namespace}()`)
      if (new RegExp(`new ${namespace}\\(\\)|\\b${namespace}\\(\\)(?!\\.\\w+\\()`).test(rest)) {
        throw new Error(`${id}: ${namespace} is read when a function of it is called, and for nothing else`)
      }
      read += `import { readDeferred as read_${namespace} } from '${registry}'\n`
      read += `const ${namespace} = () => read_${namespace}('${name}')\n`
    }
    return read === '' ? null : { code: read + rest }
  }

  /** The text of a built module as one function of what it needs, which gives what it exports. */
  #asFunction(code) {
    const { body } = parseAst(code)
    const parameters = []
    let exported = ''
    let rest = ''
    let at = 0
    for (const node of body) {
      if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') continue
      rest += code.slice(at, node.start)
      at = node.end
      const pairs = node.specifiers.map(each =>
        node.type === 'ImportDeclaration'
          ? [this.#need(node.source.value, each.imported.name), each.local.name]
          : [each.exported.name, each.local.name],
      )
      const list = pairs.map(([outer, inner]) => (outer === inner ? outer : `${outer}: ${inner}`)).join(', ')
      if (node.type === 'ImportDeclaration') parameters.push(list)
      else exported = list
    }
    rest += code.slice(at)
    // In parentheses, so that V8 reads it once: what may not be called is skimmed first.
    return `"use strict";module.exports = (function ({ ${parameters.join(', ')} }) {\n${rest.trim()}\nreturn { ${exported} }\n})\n`
  }

  /** What a name of a module of the core is called among all that deferred modules need. */
  #need(source, imported) {
    const key = `${source.slice(given.length)}\n${imported}`
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
    const files = [...this.#built].map(([name, { file }]) => `'${name}': './${folder}/${file}'`)
    return `${imports.join('\n')}
import { readPart } from ${JSON.stringify(reader)}
export { deferredParts } from ${JSON.stringify(reader)}
const core = () => ({ ${locals.join(', ')} })
const files = { ${files.join(', ')} }
export const readDeferred = name => readPart(name, files[name], core)
`
  }

  /** The core with all its deferred modules. */
  #wholeCode() {
    const parts = [...this.#built].map(([name, { file }], index) => ({ name, file, local: `part${index}` }))
    return `import { deferredParts } from './index.js'
${parts.map(({ file, local }) => `import ${local} from './${folder}/${file}'`).join('\n')}
Object.assign(deferredParts, { ${parts.map(({ name, local }) => `'${name}': ${local}`).join(', ')} })
export * from './index.js'
`
  }
}
