import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { knownBoard } from './known-boards.ts'
import type { PortDescription } from './port-description.ts'

/**
 * The serial ports of a Linux machine, read from where the kernel tells of them. That takes a few milliseconds, where
 * asking udev takes a process and hundreds, and it works in a container without udev.
 *
 * @param root where `/sys` and `/dev` are found
 */
export function linuxPorts(root = '/'): PortDescription[] {
  const classFolder = join(root, 'sys/class/tty')
  const ids = byIds(root)
  const ports: PortDescription[] = []
  for (const name of entries(classFolder)) {
    const folder = join(classFolder, name)
    const device = real(join(folder, 'device'))
    // Consoles and ptys have no device. A port of type 0 is a place where a UART could be and none was found.
    if (device === undefined || text(join(folder, 'type')) === '0' || name.startsWith('rfcomm')) continue
    const byId = ids.get(name)
    ports.push({ path: `/dev/${name}`, ...(byId && { byId }), ...usbFacts(device) })
  }
  return ports.sort((one, other) => one.path.localeCompare(other.path, 'en', { numeric: true }))
}

/** Walks up from the port's own device to the USB device that it is a part of. */
function usbFacts(device: string): Omit<PortDescription, 'path'> {
  for (let folder = device; folder !== dirname(folder); folder = dirname(folder)) {
    const vendorId = text(join(folder, 'idVendor'))
    if (vendorId === undefined) continue
    const productId = text(join(folder, 'idProduct')) ?? ''
    const serialNumber = text(join(folder, 'serial'))
    const maker = text(join(folder, 'manufacturer'))
    const product = text(join(folder, 'product'))
    const board = knownBoard(vendorId, productId)?.name
    return {
      vendorId,
      productId,
      ...(serialNumber && { serialNumber }),
      ...(maker && { maker }),
      ...(product && { product }),
      ...(board && { board }),
    }
  }
  return {}
}

function byIds(root: string): Map<string, string> {
  const folder = join(root, 'dev/serial/by-id')
  const found = new Map<string, string>()
  for (const entry of entries(folder)) {
    const target = real(join(folder, entry))
    if (target !== undefined) found.set(target.slice(target.lastIndexOf('/') + 1), `/dev/serial/by-id/${entry}`)
  }
  return found
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function text(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
