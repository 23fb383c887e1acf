// The texts of the files that the built runtime consists of: see runtime-parts.mjs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/**
 * The text of a built module as one function of what it needs, which gives what it exports.
 *
 * @param code the module
 * @param nameOf what is needed is called by the caller, by the module that it is imported from and its name there
 * @param end stands at the end of the function
 * @param isOnce whether it gives what is exported by several names by the shortest of them only
 * @returns its text, and pairs of the names of what it gives: outside and within
 */
export function asFunction(code, nameOf, { end = '', isOnce = false } = {}) {
  const { body } = parseAst(code)
  const parameters = []
  let exported = []
  let rest = ''
  let at = 0
  for (const node of body) {
    if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') continue
    rest += code.slice(at, node.start)
    at = node.end
    const { specifiers, source } = node
    if (node.type === 'ExportNamedDeclaration') {
      exported = specifiers.map(each => [each.exported.name, each.local.name])
    } else {
      parameters.push(...specifiers.map(({ imported, local }) => [nameOf(source.value, imported.name), local.name]))
    }
  }
  rest = `${(rest + code.slice(at)).trim()}\n${end}`
  const names = onceEach(exported)
  const given = isOnce ? exported.filter(([outer]) => names.get(outer) === outer) : exported
  const text = `function ({ ${listed(parameters)} }) {\n${rest}return ${manyMembers(listed(given))}\n}`
  return { text, exported }
}

/** The names that a built module exports. */
export function exportsOf(file) {
  return namesOf(asFunction(readFileSync(file, 'utf8'), (_, imported) => imported))
}

/** The names under which a function gives what it exports. */
export function namesOf({ exported }) {
  return exported.map(([outer]) => outer)
}

/**
 * A function as the file of a part, whose name tells its text: a program that runs while the package is replaced must not
 * get a part that does not fit. The file is run as a script, of which the function is the value, or as a CommonJS module.
 *
 * @param leastBytes how long it is made by blanks at its end
 */
export function partFile(name, { text }, leastBytes = 0) {
  // In parentheses V8 compiles it at once: what may not be called is skimmed first.
  const line = `"use strict";(typeof module === 'object' ? module : {}).exports = (${text})`
  const code = `${line.padEnd(leastBytes)}\n`
  return { code, file: `${name}-${hashOf(code)}.cjs` }
}

/** A few letters that tell texts apart. */
export function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Of the names under which the same is exported, the shortest, by each of them. A name takes time and memory at a start. */
export function onceEach(exported) {
  const shortest = new Map()
  for (const [outer, inner] of exported) {
    if (!(shortest.get(inner)?.length <= outer.length)) shortest.set(inner, outer)
  }
  return new Map(exported.map(([outer, inner]) => [outer, shortest.get(inner)]))
}

/**
 * The text of an object that holds many things for a moment. Without a prototype V8 makes a dictionary of it; else it
 * makes a hidden class for each further member, and the 110 of a start took 0.8 % of it.
 */
export function manyMembers(list) {
  return `{ __proto__: null, ${list} }`
}

/** Has all files of a folder import from an entry point by other names. */
export function renameImports(folder, entry, names) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const file = join(folder, name)
    const code = readFileSync(file, 'utf8')
    const renamed = code.replace(/^import \{ (.*) \} from "(\.[^"]*)";$/gm, (line, list, path) => {
      if (resolve(dirname(file), path) !== resolve(entry)) return line
      const pairs = list.split(', ').map(each => each.split(' as '))
      const others = pairs.map(([outer, inner = outer]) => [names.get(outer), inner])
      return `import { ${listed(others, ' as ')} } from "${path}";`
    })
    if (renamed !== code) writeFileSync(file, renamed)
  }
}

function listed(pairs, as = ': ') {
  return pairs.map(([outer, inner]) => (outer === inner ? outer : outer + as + inner)).join(', ')
}
