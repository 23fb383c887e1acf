import { cpus, totalmem } from 'node:os'
import process from 'node:process'

/** Where and when something was measured, in one line. `quick` runs say so: their figures are rough. */
export function measuredOn(quick: boolean): string {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const date = new Date().toISOString().slice(0, 10)
  const rough = quick ? '; a quick run: rough figures' : ''
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${machine}; ${date}${rough}`
}
