/**
 * Everything that a server over standard input and output takes, in one import: each further package path that a program
 * imports takes as long as a twentieth of its start.
 *
 * @module
 */
export * from '../../runtime/index.ts'
export * from './index.ts'
