/** What is taken of Node's own modules here. */
interface Builtins {
  'node:buffer': typeof import('node:buffer')
  'node:fs': typeof import('node:fs')
  'node:net': typeof import('node:net')
}

/**
 * A module of Node's own, without what an import of it reads beside it: of node:fs its streams, of node:net its lists of
 * addresses, together a twentieth of a start. Nothing before Node 20.16, where the streams of the process have to do.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Partial<Builtins[Name]> {
  return (process.getBuiltinModule as ((name: Name) => Builtins[Name]) | undefined)?.(name) ?? {}
}
