import { realpathSync } from 'node:fs'
import process from 'node:process'
import { knownBoard } from './known-boards.ts'
import { linuxPorts } from './linux-ports.ts'
import { loadSerialPort } from './load-serialport.ts'
import type { PortDescription } from './port-description.ts'

/**
 * Lists the serial ports that something is behind. Ports of a PC that exist in name only, and those that macOS keeps for
 * Bluetooth and itself, are left out.
 *
 * @throws PortError with code `no-library` where the system must be asked by the package `serialport` and it is missing
 */
export async function listPorts(): Promise<PortDescription[]> {
  if (process.platform === 'linux') return linuxPorts()
  const { SerialPort } = await loadSerialPort()
  return describePorts(await SerialPort.list())
}

/** Tells the ports that are there. */
export type PortLookup = () => Promise<readonly PortDescription[]>

/** Finds what the system tells of one port, by any path that leads to it. */
export async function findPort(path: string, lookUp: PortLookup = listPorts): Promise<PortDescription | undefined> {
  const ports = await lookUp().catch(() => [])
  const device = realPath(path)
  return ports.find(port => port.path === path || port.path === device)
}

/** The device that a path leads to; the path itself where it leads nowhere. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** A port as the library tells of it. */
interface ListedPort {
  path: string
  manufacturer?: string | undefined
  serialNumber?: string | undefined
  pnpId?: string | undefined
  productId?: string | undefined
  vendorId?: string | undefined
  /** Windows only. */
  friendlyName?: string | undefined
}

const notForDevices = /Bluetooth|-SPPDev|-WirelessiAP|debug-console|wlan-debug|BTHENUM/i

/** What the library lists, in our words: for systems other than Linux. */
export function describePorts(listed: readonly ListedPort[]): PortDescription[] {
  const ports: PortDescription[] = []
  for (const { path, manufacturer, serialNumber, pnpId, productId, vendorId, friendlyName } of listed) {
    if (notForDevices.test(path) || notForDevices.test(pnpId ?? '')) continue
    const ids = vendorId && productId ? { vendorId: hex4(vendorId), productId: hex4(productId) } : undefined
    const board = ids && knownBoard(ids.vendorId, ids.productId)?.name
    ports.push({
      // Opening `tty.` on macOS waits for a carrier that no board has.
      path: path.replace(/^\/dev\/tty\./, '/dev/cu.'),
      ...ids,
      ...(serialNumber && { serialNumber }),
      ...(manufacturer && { maker: manufacturer }),
      ...(friendlyName && { product: friendlyName }),
      ...(board && { board }),
    })
  }
  return ports
}

function hex4(id: string): string {
  return id.replace(/^0x/i, '').toLowerCase().padStart(4, '0')
}
