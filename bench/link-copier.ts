/** The least that can stand between a host and a device: it copies bytes between its standard streams and a port. */
import process from 'node:process'
import { openPort } from '../transports/serial/index.ts'

const port = openPort(process.argv[2]!, {
  onBytes: chunk => void process.stdout.write(Uint8Array.from(chunk)),
  onChange: ({ state }) => {
    if (state === 'open') process.stdin.on('data', chunk => void port.write(chunk))
  },
})
process.stdin.once('end', () => void port.close().then(() => process.exit()))
