import type { Era } from './era.ts'
import { legacy } from './legacy.ts'
import { modern } from './modern.ts'

/** The eras that are spoken. Each message is given to the first that claims it. */
export const eras: readonly Era[] = [modern, legacy]

/** The protocol revisions that are served, newest first, by the name of their era. */
export const protocolVersions: Readonly<Record<string, readonly string[]>> = Object.freeze(
  Object.fromEntries(eras.map(({ name, versions }) => [name, versions])),
)
