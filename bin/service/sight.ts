import { dirname, join, sep } from 'node:path'

/** Folders that a service does not see unless it is shown something in them. */
const homeRoots = ['/home', '/root', '/run/user']
const temporary = ['/tmp', '/var/tmp']

/** What of the file system a service is shown. */
export interface Sight {
  /** Paths in folders that are hidden otherwise. */
  readable: string[]
  /** One of them is a whole home: then homes are not hidden. */
  showsHomes: boolean
}

/**
 * What a service has to be shown so that it can read some paths.
 *
 * @param needed absolute paths, without links in them
 */
export function sightOf(needed: readonly string[]): Sight {
  const hidden = needed.filter(path => [...homeRoots, ...temporary].some(root => isIn(path, root)))
  const showsHomes = hidden.some(path => homeRoots.some(root => path === root || (isHome(path) && isIn(path, root))))
  const shown = showsHomes ? hidden.filter(path => temporary.some(root => isIn(path, root))) : hidden
  const readable = shown.filter(
    (path, index) =>
      !shown.some((other, at) => (at < index ? other === path : false) || (other !== path && isIn(path, other))),
  )
  return { readable, showsHomes }
}

/** Whether a path is the home of somebody, where nobody can tell what belongs together. */
function isHome(path: string): boolean {
  return path === '/root' || dirname(path) === '/home'
}

/** Whether a path lies in a folder, or is it. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/**
 * The folder that a package needs to be whole: the outermost `node_modules` above it, in which what it depends on lies, or
 * its own folder in a checkout.
 */
export function packageSight(folder: string): string {
  const at = folder.indexOf(`${sep}node_modules${sep}`)
  return at === -1 ? folder : join(folder.slice(0, at), 'node_modules')
}

/** The folder of a project: the nearest one with a package.json, or that of the file. */
export function projectFolder(file: string, exists: (path: string) => boolean): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (exists(join(folder, 'package.json'))) return folder
  }
  return dirname(file)
}
