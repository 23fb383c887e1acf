import process from 'node:process'
import { type PortDescription, portsText, portText } from './port-description.ts'
import { PortError } from './port-error.ts'

/** How a port was named: by its path, by what is plugged in, or by an address in the network. */
export type PortSpec =
  | { kind: 'path'; path: string }
  | { kind: 'usb'; vendorId: string; productId: string; serialNumber: string | undefined }
  | { kind: 'tcp'; host: string; port: number }

/**
 * Reads `/dev/ttyACM0`, `COM3`, `usb:2341:0043`, `usb:2341:0043:SERIAL` or `tcp://host:port`.
 *
 * @throws PortError with code `spec` when it means nothing
 */
export function parsePortSpec(spec: string, platform: NodeJS.Platform = process.platform): PortSpec {
  if (/^usb:/i.test(spec)) return parseUsb(spec)
  if (/^[a-z]+:\/\//i.test(spec)) return parseTcp(spec)
  if (spec.trim() === '') throw new PortError('spec', 'the name of the port is empty')
  return { kind: 'path', path: listedPath(spec, platform) }
}

/**
 * A port that has several names by the one that the system lists: Windows takes `com3` and `\\.\COM3` for `COM3`, and on macOS
 * `/dev/tty.usbmodem1` is `/dev/cu.usbmodem1`, but waits for a carrier that no board has.
 */
function listedPath(path: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return /^(?:[\\/]{2}\.[\\/])?(com\d+)$/i.exec(path)?.[1]?.toUpperCase() ?? path
  return platform === 'darwin' ? path.replace(/^\/dev\/tty\./, '/dev/cu.') : path
}

function parseUsb(spec: string): PortSpec {
  const match = /^usb:(?:0x)?([0-9a-f]{1,4}):(?:0x)?([0-9a-f]{1,4})(?::(.+))?$/i.exec(spec)
  if (match === null)
    throw new PortError('spec', `${spec} names no port: usb:VID:PID or usb:VID:PID:SERIAL, as in usb:2341:0043`)
  const [, vendor = '', product = '', serialNumber] = match
  return { kind: 'usb', vendorId: hex4(vendor), productId: hex4(product), serialNumber }
}

function parseTcp(spec: string): PortSpec {
  const match = /^tcp:\/\/(\[[0-9a-f:.]+\]|[^:/[\]]+):(\d{1,5})\/?$/i.exec(spec)
  const port = Number(match?.[2])
  if (match === null || port < 1 || port > 65_535)
    throw new PortError('spec', `${spec} names no port: tcp://HOST:PORT, as in tcp://192.168.1.7:3333`)
  return { kind: 'tcp', host: match[1]!.replace(/^\[|\]$/g, ''), port }
}

function hex4(digits: string): string {
  return digits.toLowerCase().padStart(4, '0')
}

/**
 * Finds the one port that fits USB ids.
 *
 * @throws PortError `absent` when none does, `several` when more than one does: which was meant is not for us to guess
 */
export function findUsbPort(spec: PortSpec & { kind: 'usb' }, ports: readonly PortDescription[]): PortDescription {
  const { vendorId, productId, serialNumber } = spec
  const fitting = ports.filter(
    port =>
      port.vendorId === vendorId &&
      port.productId === productId &&
      (serialNumber === undefined || port.serialNumber?.toLowerCase() === serialNumber.toLowerCase()),
  )
  const [found] = fitting
  const name = portSpecText(spec)
  if (found === undefined) throw new PortError('absent', `${name} is not plugged in; ${portsText(ports)}`)
  if (fitting.length === 1) return found
  const choices = fitting.map(portText).join(', ')
  const how = fitting.every(port => port.serialNumber !== undefined)
    ? `add the serial number, as in ${name}:${found.serialNumber}`
    : 'name one by its path'
  throw new PortError('several', `${name} is plugged in ${fitting.length} times: ${choices}. Choose: ${how}`)
}

/** The way in which a port is named, as it would be typed. */
export function portSpecText(spec: PortSpec): string {
  if (spec.kind === 'path') return spec.path
  if (spec.kind === 'tcp') return `tcp://${spec.host.includes(':') ? `[${spec.host}]` : spec.host}:${spec.port}`
  const { vendorId, productId, serialNumber } = spec
  return `usb:${vendorId}:${productId}${serialNumber === undefined ? '' : `:${serialNumber}`}`
}
