// Reads the deferred modules of the runtime, in the built package only: see deferred-modules.mjs.

/** Those that are there already, by name: whoever bundles brings all of them along. */
export const deferredParts = {}
const read = {}

/**
 * What a deferred module exports. It is read once.
 *
 * @param name its name
 * @param file its file, seen from the one that this becomes a part of
 * @param core gives what it needs of the runtime
 * @throws Error when the file is not there any more
 */
export function readPart(name, file, core) {
  read[name] ??= (deferredParts[name] ?? partIn(file))(core())
  return read[name]
}

function partIn(file) {
  try {
    const { createRequire, getCompileCacheDir } = process.getBuiltinModule('node:module')
    // What is compiled is kept for the next start if it comes this way, which takes longer than all the rest.
    if (getCompileCacheDir?.() !== undefined) return createRequire(import.meta.url)(file)
    const { readFileSync } = process.getBuiltinModule('node:fs')
    const { compileFunction } = process.getBuiltinModule('node:vm')
    const url = new URL(file, import.meta.url)
    const module = {}
    compileFunction(readFileSync(url, 'latin1'), ['module'], { filename: url.href })(module)
    return module.exports
  } catch (cause) {
    const why = `${cause.message}. Was ferrule replaced while this program runs? Then start it again`
    throw new Error(`A part of ferrule cannot be read: ${why}`, { cause })
  }
}
