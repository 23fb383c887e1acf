import { listPorts, type PortDescription, PortError, portText } from '../../transports/serial/index.ts'
import { candidates } from './sought.ts'
import { identityOf } from './usb-identity.ts'

/** How the one board is looked for. */
export interface AutoOptions {
  /** What was named: `auto` when left out, a glob of paths, a serial number, or what the board calls itself. */
  spec?: string
  /**
   * Tells whether a board answers on a port, and one that is called so where a name is given. It opens it, so it is only
   * asked where there is a choice.
   */
  answers(spec: string, called?: string): Promise<boolean>
  say(text: string): void
  signal: AbortSignal
  /** Waits for nothing: what would be said is thrown. */
  once?: boolean
  ports?: () => Promise<readonly PortDescription[]>
  wait?: (ms: number) => Promise<void>
}

const lookAgainMs = 1000

/**
 * Finds the one board that fits, or the one that answers where several fit; waits until there is one. Of `auto`, ports
 * that belong to no USB device are left out: what hangs on them is for the person to say.
 *
 * @returns how to name it, in the way that stays the same when it is plugged in elsewhere
 * @throws PortError when it is looked for once, and not found
 */
export async function findBoard(options: AutoOptions): Promise<string> {
  const { spec = 'auto', answers, signal, once = false, ports = listPorts, wait = delay } = options
  const say = (text: string) => {
    if (once) throw new PortError('absent', text)
    options.say(text)
  }
  const waits = once ? '' : ': it is waited for'
  let told = ''
  let asked = ''
  while (!signal.aborted) {
    const all = await ports()
    const { ports: found, called } = candidates(spec, all)
    const shown = found.map(portText).join(', ')
    const [only] = found
    if (found.length === 1 && called === undefined) return specOf(only!, all)
    if (found.length > 0 && shown !== asked) {
      asked = shown
      const specs = found.map(port => specOf(port, all))
      const answering = (
        await Promise.all(specs.map(async each => ((await answers(each, called)) ? [each] : [])))
      ).flat()
      if (answering.length === 1) return answering[0]!
      say(choiceText(spec, called, shown, specs, answering, once))
      told = shown
    }
    if (found.length === 0 && told !== 'none') {
      told = 'none'
      asked = ''
      const what = spec === 'auto' ? 'no board is plugged in' : `nothing that is plugged in is ${spec}`
      say(`${what}${waits}. Is it there already? Then check that its cable carries data`)
    }
    await wait(lookAgainMs)
  }
  throw new Error('nobody looks for a board any more')
}

function choiceText(
  spec: string,
  called: string | undefined,
  shown: string,
  specs: readonly string[],
  answering: readonly string[],
  once: boolean,
): string {
  const choose = `Choose one: ${once ? '' : '--port '}${answering[0] ?? specs[0]}`
  if (called !== undefined) {
    if (answering.length > 0) return `${answering.length} boards are called ${called}: ${shown}. ${choose}`
    return (
      `no board that is called ${called} answers, and nothing has that serial number: ${shown}. ` +
      (once ? '' : 'It is waited for; plug it in again to have it asked again. ') +
      '"ferrule ports" shows what the boards are called'
    )
  }
  const how = answering.length === 0 ? 'none of them answers' : `${answering.length} of them answer`
  const what = spec === 'auto' ? `${specs.length} boards are plugged in` : `${spec} fits ${specs.length} ports`
  return `${what}, and ${how}: ${shown}. ${choose}`
}

function specOf(port: PortDescription, all: readonly PortDescription[]): string {
  const identity = identityOf(port)
  const unique = identity !== undefined && all.filter(each => identityOf(each) === identity).length === 1
  return unique ? identity : (port.byId ?? port.path)
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
