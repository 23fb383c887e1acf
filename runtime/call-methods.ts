import type { Call } from './call.ts'

const names = ['progress', 'log', 'elicit', 'sample', 'roots'] as const satisfies (keyof Call)[]

/**
 * Lets handlers take a call apart, as in `set: ({ on }, { progress }) => …`: a method knows its call when it is read. Until
 * then it costs nothing, where a function for each call would.
 */
export function bindMethodsWhenRead(prototype: Pick<Call, (typeof names)[number]>): void {
  for (const name of names) {
    const method = prototype[name] as () => unknown
    Object.defineProperty(prototype, name, {
      get() {
        return method.bind(this)
      },
    })
  }
}
