import { listPorts, type PortDescription, PortError, portHolders } from '../transports/serial/index.ts'
import { type BridgeStatus, ownerOf } from './bridge/identity.ts'
import { ask, bootMs, foundText } from './bridge/probe.ts'
import { udevFile, udevRules } from './bridge/udev-rules.ts'
import type { Arguments } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { portUse } from './line-options.ts'
import { plain } from './try/readings.ts'

/** What is known of a port, for a person or as JSON. */
interface Listed extends PortDescription {
  /** Who has it: a bridge, or another program. */
  usedBy?: string
  /** What answers on it. */
  answers?: string
}

/** `ferrule ports`: lists the serial ports, and what answers on them. */
export async function run({ values }: Arguments): Promise<void> {
  const ports = await listPorts().catch(thrown => {
    throw new Failure(thrown instanceof PortError ? thrown.message : String(thrown))
  })
  if (values.udev === true) return printUdevRules(ports)
  const use = portUse(values)
  if (ports.length > 0 && values['no-ask'] !== true) {
    process.stderr.write(`ferrule: asks who is there, which takes up to ${bootMs / 1000} s\n`)
  }
  const listed = await Promise.all(
    ports.map(async (port): Promise<Listed> => {
      const bridge = await ownerOf(port.path)
      if (bridge !== undefined) return { ...port, ...bridgeText(bridge, port) }
      const [holder] = (await portHolders(port.path).catch(() => [])).filter(({ pid }) => pid !== process.pid)
      if (holder !== undefined) return { ...port, usedBy: `${holder.command} (process ${holder.pid})` }
      if (values['no-ask'] === true) return port
      const found = await ask({ spec: port.path, prefix: undefined, ...use }, bootMs)
      await found.cable.close()
      return { ...port, answers: foundText(found) }
    }),
  )
  process.stdout.write(values.json === true ? `${JSON.stringify(listed, null, 2)}\n` : listText(listed))
}

function printUdevRules(ports: readonly PortDescription[]): void {
  if (process.platform !== 'linux') {
    throw new Failure('--udev is for Linux: here every user may open a serial port', exitCodes.wrongUse)
  }
  const rules = udevRules(ports)
  if (rules === undefined) {
    throw new Failure('no board is plugged in by USB: plug in the one that the rules are for, and run this again')
  }
  process.stdout.write(rules)
  process.stderr.write(
    [
      'ferrule: to put them in place:',
      `  ferrule ports --udev | sudo tee ${udevFile}`,
      '  sudo udevadm control --reload',
      'Then plug the board in again.',
      '',
    ].join('\n'),
  )
}

function bridgeText({ pid, ports }: BridgeStatus, port: PortDescription): Pick<Listed, 'usedBy' | 'answers'> {
  const own = ports.find(({ path, spec }) => path === port.path || spec === port.path) ?? ports[0]
  const answers = own === undefined || own.away !== undefined ? (own?.away ?? 'nothing yet') : own.name
  return { usedBy: `ferrule bridge (process ${pid})`, answers }
}

/** The list as a person reads it. */
export function listText(ports: readonly Listed[]): string {
  if (ports.length === 0) {
    return 'No serial port is there: check that the board is plugged in, and that the cable carries data.\n'
  }
  return ports
    .map(({ path, byId, vendorId, productId, serialNumber, maker, product, board, usedBy, answers }) => {
      const usb = vendorId === undefined ? undefined : `${vendorId}:${productId}`
      const facts = [
        ['what', board ?? product],
        ['maker', maker],
        ['USB', usb],
        ['serial no.', serialNumber],
        ['always at', byId],
        ['in use by', usedBy],
        ['answers as', answers],
      ].filter(([, value]) => value !== undefined)
      return [path, ...facts.map(([name, value]) => `  ${name!.padEnd(10)}  ${plain(value!)}`), ''].join('\n')
    })
    .join('\n')
}
