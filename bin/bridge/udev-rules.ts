import { type PortDescription, portText } from '../../transports/serial/index.ts'
import { plain } from '../try/readings.ts'

/** Where the rules belong. Below 73, or the rule that gives devices to who is logged in has been passed already. */
export const udevFile = '/etc/udev/rules.d/70-ferrule.rules'

/** Udev rules for every kind of board that is plugged in; nothing when none of the ports is one of USB. */
export function udevRules(ports: readonly PortDescription[]): string | undefined {
  const kinds = new Map<string, { names: string[]; rule: string }>()
  for (const port of ports) {
    const { vendorId, productId } = port
    if (!isId(vendorId) || !isId(productId)) continue
    const kind = kinds.get(`${vendorId}:${productId}`) ?? { names: [], rule: ruleFor(vendorId, productId) }
    // What a device says of itself must not end the comment: the file is read by root.
    kind.names.push(plain(portText(port)))
    kinds.set(`${vendorId}:${productId}`, kind)
  }
  if (kinds.size === 0) return undefined
  const head = [
    '# Boards on serial ports: whoever sits at this computer may use them, and ModemManager leaves them alone.',
    `# Belongs into ${udevFile}`,
  ]
  const rules = [...kinds.values()].map(({ names, rule }) => [...names.map(name => `# ${name}`), rule].join('\n'))
  return `${[head.join('\n'), ...rules].join('\n\n')}\n`
}

function isId(id: string | undefined): id is string {
  return id !== undefined && /^[0-9a-f]{4}$/.test(id)
}

function ruleFor(vendorId: string, productId: string): string {
  return [
    'SUBSYSTEM=="tty"',
    `ATTRS{idVendor}=="${vendorId}"`,
    `ATTRS{idProduct}=="${productId}"`,
    'MODE="0660"',
    'TAG+="uaccess"',
    'ENV{ID_MM_PORT_IGNORE}="1"',
  ].join(', ')
}
