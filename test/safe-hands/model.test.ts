import fc from 'fast-check'
import { expect, it } from 'vitest'
import { capable } from '../memory-client.ts'
import { hands, off, on } from './hands.ts'

/*
 * Random days of a rig against a reference model of its rules, which is written here once more and in another way: the
 * outputs as they stand, and for each of them when it moved last and since when it is away from its safe state.
 */

const outputs = {
  pump: { holdForMs: 5000 },
  up: { group: 'motor', holdForMs: 8000 },
  down: { group: 'motor' },
  fan: { minIntervalMs: 1000 },
  lamp: { arming: false },
  saw: { arming: true, confirm: 'each' },
} as const
type Name = keyof typeof outputs
const names = Object.keys(outputs) as Name[]

type Step =
  | { do: 'set'; name: Name; on: boolean; person: 'accept' | 'decline' | 'away'; cut: 'no' | 'before' | 'after' }
  | { do: 'stop' | 'arm' | 'gone' | 'restart' }
  | { do: 'wait'; ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      // Those whose rules reach over several steps come more often.
      name: fc.constantFrom(...names, 'pump', 'pump', 'up', 'fan', 'fan'),
      on: fc.constantFrom(true, true, false),
      person: fc.constantFrom('accept', 'accept', 'decline', 'away'),
      cut: fc.constantFrom('no', 'no', 'no', 'before', 'after'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('stop', 'arm', 'gone', 'restart') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 999, 1000, 2500, 4999, 5000),
    }),
  },
)

class Model {
  armed = false
  stopped = false
  now = 0
  readonly away = new Map<Name, number>()
  readonly moved = new Map<Name, number>()

  /** What refuses the call; nothing when it is carried out. */
  refusal(name: Name, on: boolean, person: string): string | undefined {
    if (!on) return undefined
    if (name === 'saw' && person !== 'accept') return 'agree'
    if (name !== 'lamp' && this.stopped) return 'stopped'
    if (name === 'saw' && !this.armed) return 'until a person arms'
    if (name === 'up' && this.away.has('down')) return 'down is on'
    if (name === 'down' && this.away.has('up')) return 'up is on'
    if (name === 'fan' && this.now - (this.moved.get('fan') ?? Number.NEGATIVE_INFINITY) < 1000) return 'at most once'
    return undefined
  }

  set(name: Name, on: boolean, cut: boolean): void {
    this.moved.set(name, this.now)
    if (on) this.away.set(name, this.away.get(name) ?? this.now)
    else if (!cut) this.away.delete(name)
  }

  allSafe(): void {
    for (const name of this.away.keys()) this.moved.set(name, this.now)
    this.away.clear()
  }

  wait(ms: number): void {
    const until = this.now + ms
    for (const [name, since] of [...this.away].sort((one, other) => one[1] - other[1])) {
      const due = since + ((outputs[name] as { holdForMs?: number }).holdForMs ?? Number.POSITIVE_INFINITY)
      if (due > until) continue
      this.away.delete(name)
      this.moved.set(name, due)
    }
    this.now = until
  }
}

it('no sequence leaves an output on for too long or two of a group at once, and each refusal is the expected one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async steps => {
      const model = new Model()
      let cut: 'no' | 'before' | 'after' = 'no'
      // What the pins really show, and since when.
      const pins = new Map<Name, number>()
      const breaches: string[] = []
      let clockNow = () => 0
      const drive = (name: Name, isOn: boolean) => {
        if (isOn && !pins.has(name)) pins.set(name, clockNow())
        if (!isOn) pins.delete(name)
        if (pins.has('up') && pins.has('down')) breaches.push('up and down at once')
      }
      const rules = Object.fromEntries(
        names.map(name => [
          name,
          {
            ...outputs[name],
            set(args: { on: boolean }) {
              if (cut === 'before') throw new Error('the cable was pulled before it')
              drive(name, args.on)
              if (cut === 'after') throw new Error('the cable was pulled after it')
            },
          },
        ]),
      )
      let rig = hands(rules)
      const start = async () => {
        clockNow = () => rig.clock.now()
        await rig.server.open()
      }
      await start()
      for (const each of steps) {
        if (each.do === 'set') {
          const args = each.on ? on : off
          const expected = model.refusal(each.name, each.on, each.person)
          const meta = each.person === 'away' ? undefined : capable({ elicitation: {} })
          cut = each.cut
          let answer = await rig.call(each.name, args, meta)
          if (answer.resultType === 'input_required') {
            const [key] = Object.keys(answer.inputRequests)
            const inputResponses = { [key!]: { action: each.person, content: {} } }
            answer = await rig.call(each.name, args, meta, { requestState: answer.requestState, inputResponses })
          }
          cut = 'no'
          if (expected !== undefined) expect(answer.text).toContain(expected)
          else if (each.cut === 'no') expect([each, answer.isError]).toEqual([each, undefined])
          else expect(answer.text).toContain('the cable was pulled')
          if (expected === undefined) model.set(each.name, each.on, each.cut !== 'no')
        } else if (each.do === 'wait') {
          await rig.clock.advance(each.ms)
          model.wait(each.ms)
        } else if (each.do === 'arm') {
          await rig.server.arm('the test')
          model.armed = true
          model.stopped = false
        } else if (each.do === 'restart') {
          await rig.server.close()
          rig = hands(rules)
          await start()
          Object.assign(model, { armed: false, stopped: false, now: 0 })
          model.away.clear()
          model.moved.clear()
        } else {
          await (each.do === 'stop' ? rig.server.stop('the test') : rig.server.makeSafe())
          model.allSafe()
          model.armed = false
          if (each.do === 'stop') model.stopped = true
        }
        for (const [name, since] of pins) {
          const { holdForMs = Number.POSITIVE_INFINITY } = outputs[name] as { holdForMs?: number }
          if (rig.clock.now() - since >= holdForMs) breaches.push(`${name} on for ${rig.clock.now() - since} ms`)
          // Whatever a pulled cable left behind: what is on is known to be perhaps on.
          if (!model.away.has(name)) breaches.push(`${name} is on, and is believed to be safe`)
        }
        expect(breaches).toEqual([])
      }
      await rig.server.close()
      expect([...pins.keys()]).toEqual([])
    }),
    { numRuns: Number(process.env.RUNS ?? 1000) },
  )
})
