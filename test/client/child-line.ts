import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { projectDir } from '../child.ts'
import type { Line } from './line.ts'

/** Puts a server of a process of its own at the other end of a line. It is lost when the process ends; end it. */
export function startDevice(line: Line, file: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    cwd: projectDir,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin!.on('error', () => {})
  createInterface({ input: child.stdout! }).on('line', text => line.client.receive(text))
  child.once('exit', () => line.client.lost('the cable was pulled'))
  line.device = text => void child.stdin!.write(`${text}\n`)
  return child
}
