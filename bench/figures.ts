import { quantile } from './table.ts'

/** What a row promises of Ferrule. */
export interface Target {
  text: string
  isMet(own: number, ratio: number, floor: number): boolean
}

/** One row of the comparison: what one round gives for each server. */
export interface Measure {
  name: string
  unit: string
  /** How many digits after the point are worth reading. */
  digits: number
  /** A count is the same each time, and no ratio of it means anything. */
  isCount?: true
  target?: Target
}

/** At most so many times what floor takes. */
export const ofFloor = (most: number): Target => ({
  text: `≤ ${most.toFixed(2)} of floor`,
  isMet: (_, ratio) => ratio <= most,
})

/** At most so much, in the unit of the row. */
export const atMost = (most: number, unit: string): Target => ({
  text: `≤ ${most.toLocaleString('en')}${unit && ` ${unit}`}`,
  isMet: own => own <= most,
})

/** At most so much more than floor. */
export const overFloor = (most: number, unit: string): Target => ({
  text: `≤ floor + ${most} ${unit}`,
  isMet: (own, _, floor) => own <= floor + most,
})

/** Figures by measure, server and round; a round that a server skipped is a hole. */
export class Figures<Name extends string> {
  readonly #measures: Readonly<Record<Name, Measure>>
  readonly #kept = new Map<Name, Map<string, number[]>>()

  constructor(measures: Readonly<Record<Name, Measure>>) {
    this.#measures = measures
  }

  note(measure: Name, server: string, round: number, figure: number): void {
    const byServer = this.#kept.get(measure) ?? new Map<string, number[]>()
    this.#kept.set(measure, byServer)
    const list = byServer.get(server) ?? []
    byServer.set(server, list)
    list[round] = figure
  }

  /** What a server came to in the median of the rounds; nothing when it was not measured. */
  median(measure: Name, server: string): number | undefined {
    const own = this.#of(measure, server)
    return own.length === 0 ? undefined : quantile(own)
  }

  /** The rows that were measured, with a column for each of the servers, and for the target behind Ferrule. */
  rows(servers: readonly string[]): string[][] {
    const names = (Object.keys(this.#measures) as Name[]).filter(name => this.#kept.has(name))
    const withTarget = (cells: string[], target: string) =>
      cells.flatMap((cell, i) => (servers[i] === 'ferrule' ? [cell, target] : [cell]))
    return [
      ['', ...withTarget([...servers], 'target')],
      ...names.map(name => {
        const cells = servers.map(server => this.#cell(name, server))
        return [this.#measures[name].name, ...withTarget(cells, this.#verdict(name))]
      }),
    ]
  }

  #of(name: Name, server: string): number[] {
    return (this.#kept.get(name)?.get(server) ?? []).filter(figure => figure !== undefined)
  }

  #ratios(name: Name, server: string): number[] {
    const floor = this.#kept.get(name)?.get('floor') ?? []
    const own = this.#kept.get(name)?.get(server) ?? []
    return own.flatMap((figure, round) => (floor[round] === undefined ? [] : [figure / floor[round]]))
  }

  #cell(name: Name, server: string): string {
    const { digits, unit, isCount } = this.#measures[name]
    const own = this.median(name, server)
    if (own === undefined) return '-'
    const median = `${own.toFixed(digits)}${unit && ` ${unit}`}`
    const ratios = this.#ratios(name, server)
    if (isCount || server === 'floor' || ratios.length === 0) return median
    const [low, ratio, high] = [0.25, 0.5, 0.75].map(q => quantile(ratios, q).toFixed(2))
    return `**${ratio}** ${ratios.length > 1 ? `(${low}-${high}) ` : ''}${median}`
  }

  #verdict(name: Name): string {
    const { target } = this.#measures[name]
    const own = this.median(name, 'ferrule')
    if (target === undefined || own === undefined) return ''
    const floor = this.median(name, 'floor') ?? Number.NaN
    const isMet = target.isMet(own, quantile(this.#ratios(name, 'ferrule')), floor)
    return `${target.text}: ${isMet ? 'met' : '**not met**'}`
  }
}
