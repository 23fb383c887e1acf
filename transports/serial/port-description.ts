/** A serial port, and what the system tells of it. What is not known is missing. */
export interface PortDescription {
  /** By which it is opened: `/dev/ttyACM0`, `/dev/cu.usbmodem101`, `COM3`. May be another one after the next plugging in. */
  path: string
  /** A path that stays the same for this device: `/dev/serial/by-id/…`. */
  byId?: string
  /** USB ids, four hexadecimal digits in small letters each. */
  vendorId?: string
  productId?: string
  /** What the device says of itself. */
  serialNumber?: string
  maker?: string
  product?: string
  /** What the board is, as a person would call it, where its USB ids tell. */
  board?: string
}

/** One line for a person: `/dev/ttyACM0 (Arduino Uno R3, 2341:0043, serial number 7543…)`. */
export function portText(port: PortDescription): string {
  const facts = [port.board ?? port.product ?? port.maker]
  if (port.vendorId !== undefined) facts.push(`${port.vendorId}:${port.productId}`)
  if (port.serialNumber !== undefined) facts.push(`serial number ${port.serialNumber}`)
  const known = facts.filter(fact => fact !== undefined)
  return known.length === 0 ? port.path : `${port.path} (${known.join(', ')})`
}

/** The ports in one sentence, or what to check when there are none. */
export function portsText(ports: readonly PortDescription[]): string {
  if (ports.length === 0)
    return 'no serial port is there at all: check that the board is plugged in, and that the cable carries data'
  return `the ports that are there: ${ports.map(portText).join(', ')}`
}

/**
 * Tells whether two descriptions are of the same device. Without a serial number nobody can know, and two boards of one
 * kind must not be taken for each other.
 */
export function isSameDevice(one: PortDescription, other: PortDescription): boolean {
  return (
    one.serialNumber !== undefined &&
    one.serialNumber === other.serialNumber &&
    one.vendorId === other.vendorId &&
    one.productId === other.productId
  )
}

/**
 * Tells whether a device is the boot loader of a board that was there before. Boards of Arduino, Adafruit and Seeed with
 * their own USB have one product id with the highest bit for their programs, and the same without it for the boot loader.
 */
export function isBootLoader(device: PortDescription, board: PortDescription): boolean {
  const programs = 0x8000
  const [productId, own] = [device, board].map(each => Number.parseInt(each.productId ?? '', 16))
  return device.vendorId === board.vendorId && (productId! | programs) === own && productId !== own
}
