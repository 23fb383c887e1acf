import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'

const othersMayWrite = 0o022
/** In a folder with this bit, only the owner of a file replaces it. */
const sticky = 0o1000

/**
 * Says why others could change a file, or put another in its place: whoever can, lets in whom they like. Nothing when all
 * is well. Windows keeps such rights elsewhere, and a user's folders there are the user's own.
 *
 * @param path without links in it
 */
export function unsafeFile(path: string, stat: Stats): string | undefined {
  if (process.platform === 'win32') return undefined
  if (!stat.isFile()) return `${path} is no file`
  if (!isOurs(stat)) return `${path} belongs to another user: run this as that user, or take another file`
  if (stat.mode & othersMayWrite) return `${path} can be written by other users: chmod go-w '${path}'`
  return unsafeFolder(dirname(path))
}

/** Says why others could put another file in the place of one in a folder. Nothing when all is well. */
export function unsafeFolder(folder: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const stat = statSync(folder)
  if (!isOurs(stat)) return `the folder ${folder} belongs to another user, who could replace the file in it`
  if (stat.mode & othersMayWrite && !(stat.mode & sticky)) {
    return `the folder ${folder} can be written by other users: chmod go-w '${folder}'`
  }
  return undefined
}

function isOurs({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.()
}
