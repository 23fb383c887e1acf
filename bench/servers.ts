import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Era } from './process.ts'

/** A server that is measured: each with the same content, written as its own documentation shows it. */
export interface Server {
  name: string
  file: string
  eras: Era[]
  /** The folder of the package whose version is told. */
  package?: string
  /** What its user installs; the package itself when it is Ferrule, nothing for floor. */
  installs: string[] | 'packed'
  /** The newest handshake revision that it speaks, where that is not the newest. */
  revision?: string
  /** Calls take it so long that fewer of them are made. */
  slow?: boolean
  /** A long line in small pieces takes it time in proportion to the square: asked for once only, in a full run. */
  quadratic?: boolean
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Every server that can be measured. */
export const servers: readonly Server[] = [
  { name: 'floor', file: here('servers/floor.mjs'), eras: ['legacy', 'modern'], installs: [] },
  { name: 'ferrule', file: here('server.mjs'), eras: ['legacy', 'modern'], package: here('..'), installs: 'packed' },
  {
    name: 'sdk v2',
    file: here('servers/sdk-v2.mjs'),
    eras: ['legacy', 'modern'],
    package: here('../node_modules/@modelcontextprotocol/server'),
    installs: ['@modelcontextprotocol/server', 'zod'],
    slow: true,
    quadratic: true,
  },
  {
    name: 'sdk v1',
    file: here('servers/sdk-v1.mjs'),
    eras: ['legacy'],
    package: here('../node_modules/@modelcontextprotocol/sdk'),
    installs: ['@modelcontextprotocol/sdk', 'zod'],
    slow: true,
    quadratic: true,
  },
  {
    name: 'fastmcp',
    file: here('peers/fastmcp.mjs'),
    eras: ['legacy'],
    package: here('peers/node_modules/fastmcp'),
    installs: ['fastmcp', 'zod'],
    slow: true,
    quadratic: true,
  },
  {
    name: 'mcp-lite',
    file: here('peers/mcp-lite.mjs'),
    eras: ['legacy'],
    package: here('peers/node_modules/mcp-lite'),
    installs: ['mcp-lite'],
    revision: '2025-06-18',
    slow: true,
  },
]

/** Whether the packages that a server needs are there. */
export function isInstalled({ name, package: folder }: Server): boolean {
  if (name === 'ferrule') return existsSync(here('../dist/runtime/index.js'))
  return folder === undefined || existsSync(folder)
}

/** The version of a package of the project's or the peers' folder, or of the one that a server stands for. */
export function versionOf({ package: folder }: Pick<Server, 'package'>): string | undefined {
  if (folder === undefined) return undefined
  return (JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string }).version
}
