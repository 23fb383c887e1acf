import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** Runs a program that has the transport as `serial`, and gives what it prints. */
async function run(program: string): Promise<string> {
  const transport = pathToFileURL(join(here, '../../transports/serial/index.ts')).href
  const script = `import * as serial from ${JSON.stringify(transport)}\nimport { createRequire } from 'node:module'\n${program}`
  const node = promisify(execFile)(process.execPath, ['--import', tsx, '--input-type=module', '-e', script], {
    cwd: here,
  })
  return (await node).stdout
}

const loaded = `Object.keys(createRequire(import.meta.url).cache).some(path => /bindings-cpp/.test(path))`

describe('The library for serial ports', () => {
  it('is not loaded before a serial port is opened', async () => {
    const program = `
      serial.parsePortSpec('usb:2341:0043')
      await serial.tcpStream('127.0.0.1', 1).open({}).catch(() => {})
      console.log(${loaded})
      await serial.serialStream('/dev/no-such-port').open({}).catch(() => {})
      console.log(${loaded})`
    expect(await run(program)).toBe('false\ntrue\n')
  })
})
