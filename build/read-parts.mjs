// Reads the parts of the runtime, in the built package only: see runtime-parts.mjs. It becomes part of each entry point
// that reads the core.
import { runtimeFolder, version } from 'the-entry-point'

/** Takes any part, or what was compiled of it. What is not written to takes no memory. */
const roomBytes = 1024 * 1024
/** What is kept is compared in pieces of this size. */
const comparedBytes = 16 * 1024
/** How long the code is stands before it. */
const lengthBytes = 4
/** From when a part was read until its code is kept. By then a server has compiled what its start takes. */
const keepAfterMs = 1000
/** For how long it is kept at least, though this Node does not take it. */
const leastKeptMs = 24 * 60 * 60 * 1000

/** What these entry points share: parts that whoever bundles brought along, by name, and what was read. */
const { broughtAlong = {}, read } = (globalThis[Symbol.for(version)] ??= { read: {} })
/** What was compiled and is not kept yet, with the file that it goes to. */
const toKeep = []

/**
 * What a part exports. It is read once.
 *
 * @param name its name
 * @param file its file, in the folder of the runtime
 * @param needed gives what it takes of the other parts
 * @throws Error when the file is not there any more
 */
export function readPart(name, file, needed) {
  read[name] ??= (broughtAlong[name] ?? partIn(file))(needed())
  return read[name]
}

function partIn(file) {
  try {
    const path = `${runtimeFolder()}/${file}`
    // Not where it has nothing to tell: what it reads itself takes longer than the rest here.
    const isOld = Number.parseInt(process.version.slice(1), 10) < 22
    const { createRequire, getCompileCacheDir } = isOld ? {} : process.getBuiltinModule('node:module')
    // Node itself keeps what it compiles, of all files of the program.
    if (getCompileCacheDir?.() !== undefined) return createRequire(import.meta.url)(path)
    return compiled(path).runInThisContext()
  } catch (cause) {
    const why = `${cause.message}. Was ferrule replaced while this program runs? Then start it again`
    throw new Error(`A part of ferrule cannot be read: ${why}`, { cause })
  }
}

/**
 * A script with what was compiled of it at an earlier start, which lies beside it as Python's does: compiling takes a
 * server longer than all else of its own at the start. NODE_DISABLE_COMPILE_CACHE turns it off, as it does for Node's.
 */
function compiled(filename) {
  const fs = process.getBuiltinModule('node:fs')
  const { Script } = process.getBuiltinModule('node:vm')
  // One for both files: a buffer is given back when memory is next collected, long after the start.
  const room = Buffer.allocUnsafeSlow(roomBytes)
  const length = inFile(fs, filename, file => fs.readSync(file, room))
  const source = room.latin1Slice(0, length)
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return new Script(source, { filename })

  const file = `${filename}.${process.version}-${process.arch}.cache`
  const cachedData = keptCode(fs, file, room, length)
  const script = new Script(source, { filename, cachedData })
  // What V8 does not take is of a Node with other flags, which may start as often as this one.
  const isMissing = cachedData === undefined || (script.cachedDataRejected && isOld(fs, file))
  if (isMissing && toKeep.push({ script, source, file }) === 1) setTimeout(keep, keepAfterMs).unref()
  return script
}

/**
 * What was compiled of the source that lies in the room. The file holds that source, since V8 looks at its length only,
 * and then the code twice: V8 takes what it is given on trust, and a bit that tipped over would end the process. No
 * checksum of Node 20 is ready as fast as a second copy, and the time of a file costs more than all its bytes.
 */
function keptCode(fs, filename, room, sourceLength) {
  try {
    return inFile(fs, filename, file => {
      if (!isNext(fs, file, room, sourceLength)) return undefined
      fs.readSync(file, room, 0, lengthBytes)
      const length = room.readUInt32LE()
      fs.readSync(file, room, 0, length)
      const code = room.subarray(0, length)
      // A card that lost power may give back nothing but zeros.
      return isNext(fs, file, room, length) && code.some(Boolean) ? code : undefined
    })
  } catch {
    return undefined
  }
}

/** Whether the next bytes of a file are those that the room begins with. */
function isNext(fs, file, room, length) {
  for (let at = 0; at < length; at += comparedBytes) {
    const count = Math.min(comparedBytes, length - at)
    if (fs.readSync(file, room, length, count) !== count) return false
    if (!room.subarray(length, length + count).equals(room.subarray(at, at + count))) return false
  }
  return true
}

/** Not when another start has just taken it away. */
function isOld(fs, file) {
  const { mtimeMs = Date.now() } = fs.statSync(file, { throwIfNoEntry: false }) ?? {}
  return Date.now() - mtimeMs > leastKeptMs
}

function inFile(fs, filename, use) {
  const file = fs.openSync(filename)
  try {
    return use(file)
  } finally {
    fs.closeSync(file)
  }
}

/** Keeps what was compiled for the next start. Where the package cannot be written, nothing is kept and nothing fails. */
async function keep() {
  const { open, rename, rm } = process.getBuiltinModule('node:fs/promises')
  for (const { script, source, file: filename } of toKeep.splice(0)) {
    const unfinished = `${filename}.${process.pid}`
    const file = await open(unfinished, 'wx').catch(() => undefined)
    if (file === undefined) continue
    try {
      const code = script.createCachedData()
      const length = Buffer.alloc(lengthBytes)
      length.writeUInt32LE(code.length)
      await file.writeFile(Buffer.concat([Buffer.from(source, 'latin1'), length, code, code]))
      await file.sync()
      await file.close()
      await rename(unfinished, filename)
    } catch {
      await file.close().catch(() => {})
      await rm(unfinished, { force: true }).catch(() => {})
    }
  }
}
