import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { projectDir } from '../child.ts'
import type { Line } from './line.ts'

/**
 * Puts a server of a process of its own at the other end of a line, and waits until it hears. The line is lost when the
 * process ends; end it.
 */
export async function startDevice(line: Line, file: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    cwd: projectDir,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin!.on('error', () => {})
  const lines = createInterface({ input: child.stdout! })
  const hears = new Promise(resolve => lines.once('line', resolve))
  child.stdin!.write('{"jsonrpc":"2.0","id":"ready","method":"ping"}\n')
  await hears
  lines.on('line', text => line.client.receive(text))
  child.once('exit', () => line.client.lost('the cable was pulled'))
  line.device = text => void child.stdin!.write(`${text}\n`)
  return child
}
