import { listPorts, type PortDescription, portText } from '../../transports/serial/index.ts'
import { identityOf } from './identity.ts'

/** How the one board is looked for. */
export interface AutoOptions {
  /** Tells whether a board answers on a port. It opens it, so it is only asked where there is a choice. */
  answers(spec: string): Promise<boolean>
  say(text: string): void
  signal: AbortSignal
  ports?: () => Promise<readonly PortDescription[]>
  wait?: (ms: number) => Promise<void>
}

const lookAgainMs = 1000

/**
 * Finds the one board that is plugged in, or the one that answers where there are several; waits until there is one.
 * Ports that belong to no USB device are left out: what hangs on them is for the person to say.
 *
 * @returns how to name it, in the way that stays the same when it is plugged in elsewhere
 */
export async function findBoard(options: AutoOptions): Promise<string> {
  const { answers, say, signal, ports = listPorts, wait = delay } = options
  let told = ''
  let asked = ''
  while (!signal.aborted) {
    const found = (await ports()).filter(({ vendorId }) => vendorId !== undefined)
    const shown = found.map(portText).join(', ')
    const [only] = found
    if (found.length === 1) return specOf(only!, found)
    if (found.length > 1 && shown !== asked) {
      asked = shown
      const specs = found.map(port => specOf(port, found))
      const answering = (await Promise.all(specs.map(async spec => ((await answers(spec)) ? [spec] : [])))).flat()
      if (answering.length === 1) return answering[0]!
      const what = answering.length === 0 ? 'none of them answers' : `${answering.length} of them answer`
      const example = (answering[0] ?? specs[0])!
      say(`${found.length} boards are plugged in, and ${what}: ${shown}. Choose one: --port ${example}`)
      told = shown
    }
    if (found.length === 0 && told !== 'none') {
      told = 'none'
      asked = ''
      say('no board is plugged in: it is waited for. Is it there already? Then check that its cable carries data')
    }
    await wait(lookAgainMs)
  }
  throw new Error('nobody looks for a board any more')
}

function specOf(port: PortDescription, all: readonly PortDescription[]): string {
  const identity = identityOf(port)
  const unique = identity !== undefined && all.filter(each => identityOf(each) === identity).length === 1
  return unique ? identity : (port.byId ?? port.path)
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
