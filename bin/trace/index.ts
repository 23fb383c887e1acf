import type { Arguments } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { portUse } from '../line-options.ts'
import { Recorder } from './recorder.ts'

/** `ferrule trace`: shows the messages of a stdio server, or of a board on a cable. */
export async function run({ values, rest }: Arguments): Promise<void> {
  const { port, record } = values
  if ((port === undefined) === (rest === undefined)) {
    throw new Failure(
      'trace needs what to show: ferrule trace -- node server.js, or ferrule trace --port /dev/ttyACM0',
      exitCodes.wrongUse,
    )
  }
  // Around a server, stdout is the server's.
  const output = rest === undefined ? process.stdout : process.stderr
  output.on('error', () => {})
  const recorder = new Recorder({
    print: line => void output.write(`${line}\n`),
    json: values.json === true,
    record: record as string | undefined,
  })
  try {
    if (rest !== undefined) process.exitCode = await (await import('./server.ts')).traceServer(rest, recorder)
    else await (await import('./port.ts')).tracePort(String(port), portUse(values), recorder)
  } finally {
    await recorder.close()
  }
}
