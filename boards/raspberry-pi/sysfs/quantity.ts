import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SenmlUnit } from '../../../runtime/index.ts'
import { codeOf, HardwareError, hardwareError } from '../hardware-error.ts'

/** Something that a driver of the kernel measures. Nothing is held for it, so there is nothing to close. */
export interface Quantity {
  /** What the quantity is in: a unit of the SenML registry, as far as it has one. */
  readonly unit: SenmlUnit | undefined
  /** Takes a reading, in that unit. It never holds up the rest of the program. */
  read(): Promise<number>
}

/** The folder of a class whose entry has that name: `hwmon0` is a number that changes, `cpu_thermal` is not. */
export interface NamedEntry {
  /** The class: `sys/class/hwmon`. */
  folder: string
  /** Which entries count: `hwmon` for `hwmon0`, `hwmon1`. */
  prefix: string
  /** The file with the name, from the entry's folder. */
  nameFile: string
}

/** All entries of a class, with their names. */
export function entriesOf(root: string, { folder, prefix, nameFile }: NamedEntry): { path: string; name: string }[] {
  let entries: string[] = []
  try {
    entries = readdirSync(join(root, folder))
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw hardwareError(`/${folder}`, thrown)
  }
  return entries
    .filter(entry => entry.startsWith(prefix) && /^\d+$/.test(entry.slice(prefix.length)))
    .sort((a, b) => Number(a.slice(prefix.length)) - Number(b.slice(prefix.length)))
    .map(entry => ({
      path: join(root, folder, entry),
      name: textOf(join(root, folder, entry, nameFile)) ?? '',
    }))
}

/**
 * The one entry of a class with a name, or with that name as its folder's.
 *
 * @param what what messages call such a thing: `a thermal zone`
 * @throws HardwareError when there is none, or more than one
 */
export function entryNamed(root: string, entry: NamedEntry, wanted: string, what: string): string {
  const all = entriesOf(root, entry)
  const [found, second] = all.filter(({ path, name }) => name === wanted || path.endsWith(`/${wanted}`))
  const told = all.map(({ path, name }) => `${name} (${path.slice(path.lastIndexOf('/') + 1)})`).join(', ')
  if (found === undefined)
    throw new HardwareError('ENOENT', `there is no ${what} ${wanted} in /${entry.folder}; there is ${told || 'none'}`)
  if (second !== undefined) throw new HardwareError('ENOTUNIQ', `${what} ${wanted} is ambiguous; there is ${told}`)
  return found.path
}

/** A number that a file of the kernel holds; `title` is what messages call it. */
export async function numberIn(path: string, title: string): Promise<number> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).trim()
  } catch (thrown) {
    throw hardwareError(title, thrown, {
      ENOENT: 'is gone: its driver or its device was removed',
      ENODATA: 'has no reading now',
      EAGAIN: 'has no reading now',
      EIO: 'does not answer: check its wiring and its power',
      ENXIO: 'does not answer: check its wiring and its power',
      EREMOTEIO: 'does not answer: check its wiring and its power',
      ETIMEDOUT: 'did not answer in time: check its wiring and its power',
    })
  }
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) throw new HardwareError('EIO', `${title} gave no number: "${text}"`)
  return value
}

/** What a file holds, without the newline at its end; nothing when there is no such file. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
