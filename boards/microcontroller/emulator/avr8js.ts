/** The package `avr8js`, as far as it is used here. */
export type Avr8js = typeof import('avr8js')

/** The package that executes the instructions of an AVR is not there, or does not load. */
export class EmulatorMissing extends Error {}

let loading: Promise<Avr8js> | undefined

/**
 * Loads the package that executes the instructions, when the first chip is made and not before: nothing else needs it.
 *
 * @throws EmulatorMissing when it is not installed or does not load
 */
export function loadAvr8js(): Promise<Avr8js> {
  loading ??= import('avr8js').catch(thrown => {
    loading = undefined
    throw missing(thrown)
  })
  return loading
}

function missing(thrown: unknown): EmulatorMissing {
  const why =
    (thrown as { code?: string } | null)?.code === 'ERR_MODULE_NOT_FOUND'
      ? 'is not installed: run npm install avr8js'
      : `does not load: ${thrown instanceof Error ? thrown.message : thrown}. Run npm install avr8js`
  return new EmulatorMissing(`the package avr8js, which emulates the chip, ${why}`, { cause: thrown })
}
