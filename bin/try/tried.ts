import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { builtInDemo, scannedBoard } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { findFile } from '../load.ts'

/** What is tried: a server, and what belongs to it. */
export interface Tried {
  /** The words of the command that serves it. */
  words: readonly string[]
  /** What it is, as a sentence. */
  about: string
  /** Nothing can be damaged: everything may be moved. */
  isDemo: boolean
  /** What else the person should know. */
  note?: string
  /** Ends what is not the server itself. */
  end(): void
}

/** What is said beside the file. */
export interface TriedOptions {
  /** The demo without a chip. */
  simulated: boolean
  /** The pins of a board that is scanned, as words of the command line. */
  pins: readonly string[]
}

/** Finds what is to be tried, and starts what it hangs on. Throws a {@link Failure} when the file is not there. */
export async function findTried(given: string | undefined, { simulated, pins }: TriedOptions): Promise<Tried> {
  if (given === scannedBoard) {
    const about = 'What a scan of this computer finds, served by a process of its own.'
    return { words: ['serve', given, ...pins], about, isDemo: false, end: () => {} }
  }
  if (pins.length > 0) throw new Failure(`${pins[0]} belongs to ${scannedBoard}`, exitCodes.wrongUse)
  if (given !== undefined && given !== builtInDemo) {
    const file = await findFile(given)
    return { words: ['serve', file], about: `${file}, served by a process of its own.`, isDemo: false, end: () => {} }
  }
  if (simulated || given === builtInDemo) return simulatedDemo()
  try {
    return await chipDemo()
  } catch (thrown) {
    // Whoever asked to see something sees something, and learns why it is not all.
    return { ...simulatedDemo(), note: `No emulated chip: ${(thrown as Error).message}` }
  }
}

function simulatedDemo(): Tried {
  return {
    words: ['serve', builtInDemo, '--record', 'off'],
    about: 'The built-in demo: a simulated greenhouse, served by a process of its own.',
    isDemo: true,
    end: () => {},
  }
}

/** The whole chain: a chip with its firmware in one process, a bridge that serves what is on its line in another. */
async function chipDemo(): Promise<Tried> {
  // The same flags too: in a checkout this runs by a loader that the others need as well.
  const args = [...process.execArgv, process.argv[1]!, 'emulate', '--while-stdin', '--reset-on-open']
  const chip = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const address = await addressOf(chip)
  return {
    words: ['bridge', '--no-share', '--record', 'off', '--port', address],
    about: 'Firmware greenhouse on an emulated ATmega328P, over a serial line at 115200 baud, served by the bridge.',
    isDemo: true,
    end: () => void chip.kill(),
  }
}

/** The first line that it prints. Rejects with what it said when it ends before. */
function addressOf(chip: ChildProcess): Promise<string> {
  let said = ''
  chip.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  // A process that is gone shows as its end.
  chip.stdin!.on('error', () => {})
  return new Promise((resolve, reject) => {
    createInterface({ input: chip.stdout! }).once('line', resolve)
    chip.once('error', reject)
    chip.once('close', code =>
      reject(
        new Failure(
          said
            .trim()
            .split('\n')
            .at(-1)
            ?.replace(/^ferrule: /, '') || `it ended with code ${code}`,
        ),
      ),
    )
  })
}
