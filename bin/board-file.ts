import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { Board } from '../runtime/index.ts'
import { Failure } from './failure.ts'

/**
 * The board of a file that describes it as JSON.
 *
 * @param typed the file as it was typed, for what is to be typed next
 * @throws Failure with all the mistakes in the file
 */
export async function boardOfFile(file: string, typed: string): Promise<Board> {
  const { boardFromJson, DeclarationError } = await import('../boards/raspberry-pi/board.ts')
  try {
    return boardFromJson(readFileSync(file, 'utf8'), {
      file: typed,
      warn: text => void process.stderr.write(`ferrule: ${text}\n`),
    })
  } catch (thrown) {
    throw thrown instanceof DeclarationError ? new Failure(thrown.message) : thrown
  }
}
