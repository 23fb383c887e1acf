import type { Arguments } from '../commands.ts'
import { httpOptions } from '../http-options.ts'
import { bridgeOptions } from './options.ts'
import { serveBridge, serveBridgeOverHttp } from './serve.ts'

/** `ferrule bridge`: serves a board on a cable to the host that started it, or over HTTP. */
export async function run(given: Arguments): Promise<void> {
  const options = bridgeOptions(given)
  const overHttp = await httpOptions(given)
  if (overHttp !== undefined) return serveBridgeOverHttp(options, overHttp)
  if (process.stdin.isTTY) {
    const ports = options.ports.map(({ spec }) => (spec === 'auto' ? '' : ` --port ${spec}`)).join('')
    process.stderr.write(
      [
        `ferrule bridges ${options.ports.map(({ spec }) => (spec === 'auto' ? 'the board that is plugged in' : spec)).join(', ')}.`,
        'It waits for an MCP host on stdin; hosts start this command by themselves.',
        `  to add it to a host   ferrule host claude-desktop${ports || ' --port auto'}`,
        '  to check the board    ferrule doctor',
        'Ctrl-C ends it.',
        '',
      ].join('\n'),
    )
  }
  await serveBridge(options)
}
