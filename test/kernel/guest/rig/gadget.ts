import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configure, text } from './files.ts'

/** What a USB device is. Ids are four hexadecimal digits each. */
export interface GadgetOptions {
  vendorId: string
  productId: string
  /** Cheap boards have none. */
  serialNumber?: string
  maker?: string
  product?: string
  /** Which driver the host takes for it, and so whether its port is a `ttyACM` or a `ttyUSB`; `acm` when left out. */
  kind?: 'acm' | 'gser'
}

const gadgets = '/sys/kernel/config/usb_gadget'
const english = 'strings/0x409'

let made = 0

/** A USB device with one serial port, made of the kernel's gadget functions, on a bus that ends in the same kernel. */
export class Gadget {
  /** The end of its serial port that is the device's. It stays when the device is unplugged. */
  readonly deviceEnd: string
  readonly #folder = join(gadgets, `gadget${process.pid}-${made++}`)
  readonly #function: string

  constructor({ vendorId, productId, serialNumber, maker, product, kind = 'acm' }: GadgetOptions) {
    configure(this.#folder, { idVendor: `0x${vendorId}`, idProduct: `0x${productId}` })
    configure(join(this.#folder, english), {
      ...(maker !== undefined && { manufacturer: maker }),
      ...(product !== undefined && { product }),
      ...(serialNumber !== undefined && { serialnumber: serialNumber }),
    })
    configure(join(this.#folder, 'configs/c.1'))
    this.#function = `${kind}.port`
    const functionFolder = join(this.#folder, 'functions', this.#function)
    configure(functionFolder)
    symlinkSync(functionFolder, join(this.#folder, 'configs/c.1', this.#function))
    this.deviceEnd = `/dev/ttyGS${text(join(functionFolder, 'port_num'))}`
  }

  /** Whether its cable is plugged in. */
  get isPlugged(): boolean {
    return text(join(this.#folder, 'UDC')) !== ''
  }

  /** The host's end of its serial port, such as `/dev/ttyACM0`; nothing while the host has not found it. */
  get hostEnd(): string | undefined {
    const controller = text(join(this.#folder, 'UDC'))
    if (controller === '') return undefined
    // dummy_udc.1 is the plug of the bus that dummy_hcd.1 has.
    const bus = controller.replace('udc', 'hcd')
    return readdirSync('/sys/class/tty')
      .filter(name => /^tty(ACM|USB)\d/.test(name))
      .filter(name => realpathSync(join('/sys/class/tty', name)).includes(`/${bus}/`))
      .map(name => `/dev/${name}`)[0]
  }

  plug(): void {
    const taken = readdirSync(gadgets).map(name => text(join(gadgets, name, 'UDC')))
    const free = readdirSync('/sys/class/udc').find(name => !taken.includes(name))
    if (free === undefined) throw new Error('no USB socket is free: see dummy_hcd.num in boot.ts')
    configure(this.#folder, { UDC: free })
  }

  unplug(): void {
    if (this.isPlugged) configure(this.#folder, { UDC: '\n' })
  }

  /** Its device's end must be closed before. */
  remove(): void {
    this.unplug()
    unlinkSync(join(this.#folder, 'configs/c.1', this.#function))
    for (const folder of ['configs/c.1', join('functions', this.#function), english, '.']) {
      rmdirSync(join(this.#folder, folder))
    }
  }
}

/** What the kernel tells of the USB device that a port belongs to. */
export function usbFile(port: string, file: string): string | undefined {
  let folder = realpathSync(port.replace('/dev/', '/sys/class/tty/'))
  while (!existsSync(join(folder, 'idVendor'))) {
    if (folder === dirname(folder)) return undefined
    folder = dirname(folder)
  }
  return existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : undefined
}
