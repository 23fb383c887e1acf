import { createWriteStream, openSync, type WriteStream } from 'node:fs'

/** Takes what devices print for people. */
export interface DeviceLog {
  /** Takes one line of a device, which is already bounded and without control characters. */
  line(device: string, text: string): void
  /** Resolves when the file has all of it. */
  close(): Promise<void>
}

/** How a {@link DeviceLog} is made. */
export interface DeviceLogOptions {
  /** A file that the lines are added to. */
  file?: string | undefined
  /** Shows a line to the operator; on stderr when left out. */
  print?(line: string): void
  /** Is told, once, when the file cannot be written: the bridge goes on without it. */
  say(text: string): void
  now?(): Date
}

/** Shows the lines of devices with their time, and keeps them in a file, with the date too: it may be of many days. */
export function deviceLog(options: DeviceLogOptions): DeviceLog {
  const { file, say, print = line => void process.stderr.write(`${line}\n`), now = () => new Date() } = options
  let stream = file === undefined ? undefined : appending(file, say)
  stream?.on('error', error => {
    stream = undefined
    say(`--log-file ${file} is not written any more: ${error.message}`)
  })
  return {
    line(device, text) {
      const at = now()
      const line = `${timeText(at)} ${device}: ${text}`
      print(line)
      stream?.write(`${dateText(at)} ${line}\n`)
    },
    close: () =>
      new Promise(resolve => {
        if (stream === undefined) return resolve()
        stream.once('error', () => resolve())
        stream.end(resolve)
      }),
  }
}

function appending(file: string, say: (text: string) => void): WriteStream | undefined {
  try {
    // At once, so that it is told while somebody may look.
    return createWriteStream(file, { fd: openSync(file, 'a') })
  } catch (thrown) {
    say(`--log-file ${file} cannot be written: ${(thrown as Error).message}; the bridge goes on without it`)
    return undefined
  }
}

/** The time of day here: `09:31:02.123`. */
function timeText(at: Date): string {
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two)
  return `${hours}:${minutes}:${seconds}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** The day here: `2026-01-31`. */
function dateText(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
