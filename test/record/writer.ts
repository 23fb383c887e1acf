/**
 * Records until it is stopped: `writer.ts HOW PATH NAME COUNT BYTES`.
 *
 * - `all` records COUNT entries and ends.
 * - `forever` records without end, and says so once something is written.
 * - `paced` records an entry every few milliseconds until the end of its input.
 * - `exit` records COUNT entries and calls `process.exit` while some of them are being written, `exit-later` a turn later.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { recorderOf } from '../../bin/record/options.ts'
import { entry } from './entry.ts'

const [how, path, client, count, bytes] = process.argv.slice(2) as [string, string, string, string, string]
const say = (text: string) => void process.stderr.write(`${text}\n`)
const recorder = (await recorderOf({ record: path, 'record-bytes': bytes }, say))!

if (how === 'all') {
  for (let number = 0; number < Number(count); number++) {
    recorder.record(entry(number, { client }))
    if (number % 7 === 0) await recorder.flush()
    if (number % 50 === 0) await turn()
  }
  await recorder.close()
} else if (how === 'forever') {
  for (let number = 0; ; number++) {
    recorder.record(entry(number, { client }))
    if (number % 20 === 0) await recorder.flush()
    if (number === 100) process.stdout.write('written\n')
  }
} else if (how === 'paced') {
  let isOver = false
  process.stdin.on('end', () => {
    isOver = true
  })
  process.stdin.resume()
  for (let number = 0; !isOver; number++) {
    recorder.record(entry(number, { client }))
    await recorder.flush()
    await delay(5)
  }
  await recorder.close()
} else {
  for (let number = 0; number < Number(count) / 2; number++) recorder.record(entry(number, { client }))
  void recorder.flush()
  for (let number = Number(count) / 2; number < Number(count); number++) recorder.record(entry(number, { client }))
  if (how === 'exit-later') await turn()
  process.exit(0)
}
