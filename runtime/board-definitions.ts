import { DefinitionError } from './errors.ts'
import type { Registry } from './registry.ts'

// What a board defines stands in the registries beside what was added to its server.

/**
 * Registers what the board defines, and what was added.
 *
 * @param what names the kind in errors: `tool`
 * @throws DefinitionError for what both define
 */
export function register<D>(
  what: string,
  registry: Registry<D>,
  own: Record<string, D>,
  added: Record<string, D>,
): void {
  refuseTwins(what, own, added)
  for (const [key, definition] of Object.entries(own)) registry.set(key, definition)
  for (const [key, definition] of Object.entries(added)) registry.set(key, definition)
}

/** Puts `next` in the place of `last`. What stays the same is not touched. */
export function replace<D>(registry: Registry<D>, last: Record<string, D>, next: Record<string, D>): void {
  for (const key of Object.keys(last)) if (!Object.hasOwn(next, key)) registry.delete(key)
  for (const [key, definition] of Object.entries(next)) registry.set(key, definition)
}

/** Throws a DefinitionError for what was added under a name that the board has, too. */
export function refuseTwins(what: string, own: object, added: object): void {
  const twin = Object.keys(added).find(key => Object.hasOwn(own, key))
  if (twin !== undefined) throw new DefinitionError(`${what} "${twin}" is declared twice: the board has one too`)
}
