import { ownerOf } from '../bridge/identity.ts'
import { ask, foundText } from '../bridge/probe.ts'
import { asFailure, type PortUse } from '../line-options.ts'
import { controlDevice } from '../share/control.ts'
import type { Traffic } from './lines.ts'
import type { Recorder } from './recorder.ts'
import { WireTrace } from './wire.ts'

/** Shows what goes over a cable until Ctrl-C: what a bridge does with it, or what answers when it is asked. */
export async function tracePort(spec: string, use: PortUse, recorder: Recorder): Promise<void> {
  const { parsePorts } = await import('../bridge/port-names.ts')
  const [port] = asFailure(() => parsePorts([spec]))
  const stopped = new Promise<void>(resolve => {
    // Without the signal's name, which would be taken for what was found.
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve())
  })
  const owner = await ownerOf(port!.spec)
  if (owner !== undefined) {
    const control = await controlDevice(owner.key, 'trace', {
      onLine: line => {
        if (line.event !== undefined) recorder.show(line.event as Traffic)
        else if (line.leftOut !== undefined) recorder.note(`${line.leftOut} lines are left out: they came too fast`)
      },
    })
    if (control !== undefined) {
      recorder.note(`the bridge (process ${owner.pid}) has ${spec}: this is what it sends and hears. Ctrl-C ends it`)
      const ended = control.over.then(() => recorder.note('the bridge has ended'))
      await Promise.race([stopped, ended])
      return control.close()
    }
  }
  recorder.note(`asks who is at ${spec}, and listens. Ctrl-C ends it`)
  let unlook = () => {}
  const wire = new WireTrace({
    show: traffic => recorder.show(traffic),
    description: () => cable?.remote.description,
  })
  let cable: Awaited<ReturnType<typeof ask>>['cable'] | undefined
  const found = await Promise.race([
    ask({ ...port!, ...use }, undefined, {
      say: text => recorder.note(text),
      made: made => {
        cable = made
        unlook = made.look((direction, bytes) => wire.push(direction, bytes))
      },
    }),
    stopped,
  ])
  if (found !== undefined) {
    if (found.kind !== 'closed') recorder.note(`it is ${foundText(found)}`)
    await stopped
  }
  unlook()
  await cable?.close()
}
