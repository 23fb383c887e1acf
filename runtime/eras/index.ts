import type { Era } from './era.ts'
import { legacy } from './legacy.ts'
import { modern } from './modern.ts'

/** The eras that are spoken. Each message is given to the first that claims it. */
export const eras: readonly Era[] = [modern, legacy]
