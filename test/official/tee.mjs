/**
 * Runs a server, passes everything through in both directions, and keeps a record of it:
 *
 *   node tee.mjs <folder for the record> <command> [arguments]
 *
 * Each line of the record is `{"from":"client"|"server","text":…}` in the order in which it came by, and at the end
 * `{"from":"end","code":…,"signal":…}`. A chunk is recorded before it is passed on, so whoever has received something
 * finds it in the record.
 */
import { spawn } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'

const [folder, command, ...args] = process.argv.slice(2)
const file = openSync(join(folder, `${Date.now()}-${process.pid}.ndjson`), 'a')
const record = entry => writeSync(file, `${JSON.stringify(entry)}\n`)

const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal))

function pass(from, input, output) {
  const decoder = new StringDecoder('utf8')
  input.on('data', chunk => {
    record({ from, text: decoder.write(chunk) })
    output.write(chunk)
  })
  input.on('end', () => {
    if (output !== process.stdout) output.end()
  })
  // Whichever side goes away first, the other one is still passed through.
  output.on('error', () => {})
}

pass('client', process.stdin, server.stdin)
pass('server', server.stdout, process.stdout)
server.on('close', (code, signal) => {
  record({ from: 'end', code, signal })
  process.exit(code ?? 1)
})
