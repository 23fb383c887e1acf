import { DefinitionError, type OperatorLimits, type Server } from '../../runtime/index.ts'
import { checkLimits } from '../../runtime/operator-limits.ts'

/** Says when `--allow` names what a device does not have. What it has is known late, and may be other things after a while. */
export class AllowCheck {
  readonly #limits: OperatorLimits
  readonly #say: (text: string) => void
  #told = ''

  constructor(limits: OperatorLimits, say: (text: string) => void) {
    this.#limits = limits
    this.#say = say
  }

  /** Holds the rules against what is served now. What stays the same is said once. */
  check({ board, tools }: Server): void {
    if (this.#limits.allow === undefined) return
    const offered = Object.fromEntries(
      Array.from(tools.keys(), name => [
        name,
        { inputSchema: tools.get(name)?.inputSchema ?? {}, safe: null, set() {} },
      ]),
    )
    if (Object.keys(offered).length === 0) return
    const mistake = mistakeIn(this.#limits, { ...board, actuators: { ...offered, ...board.actuators } })
    if (mistake !== undefined && mistake !== this.#told) this.#say(`--${mistake}`)
    this.#told = mistake ?? ''
  }
}

function mistakeIn(...given: [OperatorLimits, Server['board']]): string | undefined {
  try {
    checkLimits(...given, [])
    return undefined
  } catch (thrown) {
    if (thrown instanceof DefinitionError) return thrown.message
    throw thrown
  }
}
