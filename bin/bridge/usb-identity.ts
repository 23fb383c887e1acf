import { type PortDescription, portSpecText } from '../../transports/serial/index.ts'

/** `usb:2341:0043:SERIAL` for a device that no other is like. */
export function identityOf({ vendorId, productId, serialNumber }: PortDescription): string | undefined {
  if (vendorId === undefined || productId === undefined || serialNumber === undefined) return undefined
  return portSpecText({ kind: 'usb', vendorId, productId, serialNumber })
}
