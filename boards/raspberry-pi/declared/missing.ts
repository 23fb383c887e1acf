import { HardwareError } from '../hardware-error.ts'

/** What cannot be had, and for which entries. */
export interface Missing {
  readonly entries: readonly string[]
  readonly why: unknown
}

/** Hardware of a declared board that cannot be had. The message says it of each, and what to do. */
export class MissingHardware extends HardwareError {
  /**
   * @param kind outputs stop the start, and sensors do not
   * @param model what the machine says it is
   * @param file the file that the board is from
   */
  constructor(
    kind: 'outputs' | 'sensors',
    missing: readonly Missing[],
    model: string | undefined,
    file: string | undefined,
  ) {
    const byReason = new Map<string, Set<string>>()
    for (const { entries, why } of missing) {
      const text = reason(why)
      byReason.set(text, new Set([...(byReason.get(text) ?? []), ...entries]))
    }
    const lines = [...byReason].map(([why, entries]) => `  ${[...entries].join(', ')}: ${why}.`)
    super('ENODEV', [heads[kind], ...lines, ...advice(model, file)].join('\n'))
    // The message is for a person, and says it all.
    this.stack = this.message
  }
}

const heads = {
  outputs: 'some outputs cannot be had, so that nobody could make them safe:',
  sensors: 'some sensors are not there now:',
}

function reason(why: unknown): string {
  return why instanceof Error ? why.message : String(why)
}

function advice(model: string | undefined, file: string | undefined): string[] {
  if (model?.includes('Raspberry Pi')) return []
  const simulated =
    file === undefined ? '--simulate' : `ferrule serve ${/\s/.test(file) ? `"${file}"` : file} --simulate`
  return [
    `This machine is ${model === undefined ? 'no Raspberry Pi' : `a ${model}, and no Raspberry Pi`}. To try the board without its hardware: ${simulated}`,
  ]
}
