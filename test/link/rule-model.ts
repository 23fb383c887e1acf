/** What a model output declares. A number is 0 when it is safe, anything else `false`. */
export interface ModelOutput {
  type: 'number' | 'boolean'
  initial?: number | boolean
  holdMs?: number
  restMs?: number
  ratePerS?: number
  group?: string
  arming?: boolean
}

interface Standing {
  output: ModelOutput
  value: number | boolean
  movedAt: number | undefined
  awaySince: number | undefined
}

/** The rules of docs/link.md, sections 6 to 8, for outputs that move at once: written from the text, for tests alone. */
export class RuleModel {
  readonly standing: Standing[]
  armed = false
  #now = 0
  #heardAt: number | undefined = undefined
  readonly #silenceMs: number

  constructor(outputs: readonly ModelOutput[], silenceMs: number) {
    this.#silenceMs = silenceMs
    this.standing = outputs.map(output => {
      const value = output.initial ?? safeOf(output)
      return { output, value, movedAt: undefined, awaySince: value === safeOf(output) ? undefined : 0 }
    })
  }

  /** The error code of a call, 0 when it moves. */
  call(number: number, value: number | boolean): number {
    const one = this.standing[number]!
    const code = value === safeOf(one.output) ? 0 : this.#refusal(one, value)
    if (code !== 0) return code
    one.value = value
    one.movedAt = this.#now
    one.awaySince = value === safeOf(one.output) ? undefined : (one.awaySince ?? this.#now)
    return 0
  }

  /** A frame of the session came. */
  heard(): void {
    this.#heardAt = this.#now
  }

  stop(): void {
    this.armed = false
    for (const one of this.standing) this.#makeSafe(one)
  }

  arm(armed: boolean): void {
    this.armed = armed
    if (!armed) for (const one of this.standing) if (one.output.arming) this.#makeSafe(one)
  }

  pass(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const silentAt = this.#heardAt === undefined ? Infinity : this.#heardAt + this.#silenceMs
      const dues = this.standing.map(({ awaySince = Infinity, output: { holdMs = Infinity } }) => awaySince + holdMs)
      const due = Math.min(silentAt, ...dues)
      if (due > end) break
      this.#now = due
      for (const [at, one] of this.standing.entries()) if (dues[at]! <= due) this.#makeSafe(one)
      if (silentAt > due) continue
      this.#heardAt = undefined
      this.stop()
    }
    this.#now = end
  }

  #refusal({ output, value: last, movedAt = -Infinity }: Standing, value: number | boolean): number {
    if (output.arming && !this.armed) return 8
    const others = this.standing.filter(other => other.output !== output && other.output.group === output.group)
    if (output.group !== undefined && others.some(({ awaySince }) => awaySince !== undefined)) return 6
    const passed = this.#now - movedAt
    if (passed < (output.restMs ?? 0)) return 7
    const step = Math.abs(Number(value) - Number(last))
    const { ratePerS, type } = output
    return ratePerS !== undefined && type === 'number' && step > (ratePerS * Math.min(passed, 1000)) / 1000 ? 7 : 0
  }

  #makeSafe(one: Standing): void {
    if (one.awaySince !== undefined) one.movedAt = this.#now
    one.awaySince = undefined
    one.value = safeOf(one.output)
  }
}

export function safeOf({ type }: ModelOutput): number | boolean {
  return type === 'number' ? 0 : false
}
