// The same runtime with all its parts. In the built package `index` reads some of them when they are first needed, by
// means that old releases of Node do not have and bundlers do not see: those take this file.

export * from './index.ts'
