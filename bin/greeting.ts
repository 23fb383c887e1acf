import type { Board } from '../runtime/index.ts'
import type { Loaded } from './load.ts'

/** What a person reads who starts `ferrule serve` by hand, where a host was meant to. */
export function greeting(file: string, loaded: Loaded): string {
  const shown = /\s/.test(file) ? `"${file}"` : file
  return [
    `ferrule serves ${describe(loaded.board ?? loaded.server.board)}.`,
    'It waits for an MCP host on stdin; hosts start this command by themselves.',
    `  to add it to a host   ferrule host claude-desktop ${shown}`,
    `  to try it yourself    ferrule try ${shown}`,
    'Ctrl-C ends it.',
    '',
  ].join('\n')
}

function describe(board: Board): string {
  return `the board ${board.name}: ${count(board.sensors, 'sensor')} and ${count(board.actuators, 'actuator')}`
}

function count(table: object | undefined, noun: string): string {
  const found = Object.keys(table ?? {}).length
  return `${found} ${noun}${found === 1 ? '' : 's'}`
}
