import type { ByteStream } from './byte-stream.ts'
import { findPort, listPorts, type PortLookup, realPath } from './list-ports.ts'
import { isBootLoader, isSameDevice, type PortDescription, portText } from './port-description.ts'
import { PortError } from './port-error.ts'
import { findUsbPort, type PortSpec, portSpecText } from './port-spec.ts'
import { type SerialOptions, serialStream } from './serial-stream.ts'
import { tcpStream } from './tcp-stream.ts'

/** How any kind of port is used. Everything may be left out. */
export interface DialOptions extends SerialOptions {
  /** How long a connection over the network may take to come about, in milliseconds; 5000 when left out. */
  connectMs?: number | undefined
}

/** A stream to a device that was found, not opened yet. */
export interface DialedStream extends ByteStream {
  /** What everybody who means this device calls it: by-id paths and other links lead to the same. */
  readonly device: string
  /** Known after opening. */
  readonly port: PortDescription | undefined
  /** Known after opening. */
  readonly linesText: string
  /** Tells whether the opened device is one that was there before. */
  compared(before: PortDescription | undefined): 'same' | 'other' | 'unknown'
}

/**
 * Finds the device that a spec names now. A device that was there before and comes back at another path is taken there,
 * since the system gives out paths in the order of plugging in.
 *
 * @throws PortError when nothing fits, or more than one
 */
export async function dial(
  spec: PortSpec,
  options: DialOptions,
  last: PortDescription | undefined,
): Promise<DialedStream> {
  if (spec.kind === 'tcp')
    return Object.assign(tcpStream(spec.host, spec.port, options), {
      device: portSpecText(spec),
      port: undefined,
      linesText: '',
      compared: () => 'unknown' as const,
    })
  const { ports = listPorts } = options
  const path = spec.kind === 'path' ? await pathOf(spec.path, last, ports) : findUsbPort(spec, await ports()).path
  const refusal = last && ((port: PortDescription) => bootLoaderRefusal(port, last))
  const stream = serialStream(path, { ...options, refusal })
  return Object.assign(stream, {
    device: realPath(path),
    compared: (before: PortDescription | undefined) => compared(before, stream.port),
  })
}

async function pathOf(path: string, last: PortDescription | undefined, ports: PortLookup): Promise<string> {
  if (last === undefined) return path
  const there = await findPort(path, ports)
  if (there !== undefined && isSameDevice(last, there)) return path
  const elsewhere = (await ports()).find(port => isSameDevice(last, port))
  if (elsewhere !== undefined) return elsewhere.path
  const refusal = there && bootLoaderRefusal(there, last)
  if (refusal !== undefined) throw refusal
  return path
}

function bootLoaderRefusal(port: PortDescription, last: PortDescription): PortError | undefined {
  if (!isBootLoader(port, last)) return undefined
  return new PortError('absent', `${portText(port)} is the boot loader of the board now, which is left to an upload`)
}

function compared(before: PortDescription | undefined, now: PortDescription | undefined): 'same' | 'other' | 'unknown' {
  if (before === undefined || now === undefined) return 'unknown'
  if (before.vendorId !== now.vendorId || before.productId !== now.productId) return 'other'
  if (before.serialNumber === undefined && now.serialNumber === undefined) return 'unknown'
  return isSameDevice(before, now) ? 'same' : 'other'
}
