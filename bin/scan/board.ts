import process from 'node:process'
import { type BoardDeclaration, DeclarationError, raspberryPi } from '../../boards/raspberry-pi/board.ts'
import { exampleEntries, scannedDeclaration, sensorEntries } from '../../boards/raspberry-pi/scan/board-entries.ts'
import { isEmpty, type Scan, type ScanOptions, scan } from '../../boards/raspberry-pi/scan/index.ts'
import type { Board } from '../../runtime/index.ts'
import { type Arguments, scannedBoard } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'

/**
 * The board that this computer is: the sensors that a scan finds, and the pins that were named.
 *
 * @param system another machine than this one
 * @throws Failure when there is nothing to serve, or a pin is none
 */
export async function boardOfScan(
  { values, lists = {} }: Pick<Arguments, 'values' | 'lists'>,
  system: ScanOptions = {},
): Promise<Board> {
  const pins = { inputs: lists.input ?? [], outputs: lists.output ?? [] }
  // A second copy of a server serves the same as the first, which has the buses open.
  const found = await scan({ ...system, readsOneWire: false })
  let entries: Parameters<typeof scannedDeclaration>[0] = sensorEntries(found)
  if (values.simulate === true && (found.chips.length === 0 || entries.length === 0)) {
    say('no board with sensors is here: what is simulated has a BME280 and a thermometer')
    entries = exampleEntries
  } else if (isEmpty(found)) throw new Failure(nothingHere)
  else if (entries.length === 0 && pins.inputs.length === 0 && pins.outputs.length === 0) {
    throw new Failure(nothingFound(found))
  }
  return board(scannedDeclaration(entries, pins), system)
}

function board(declaration: BoardDeclaration, { root, kernel, clock }: ScanOptions): Board {
  try {
    return raspberryPi(declaration, {
      ...(root !== undefined && { root }),
      ...(kernel !== undefined && { kernel }),
      ...(clock !== undefined && { clock }),
      file: scannedBoard,
      warn: say,
    })
  } catch (thrown) {
    if (!(thrown instanceof DeclarationError)) throw thrown
    // What was found is right, so it is about a pin that was typed.
    const mistakes = thrown.mistakes.map(({ path, text }) => `${optionOf(path, declaration)} ${text}`)
    throw new Failure(mistakes.join('\n'), exitCodes.wrongUse)
  }
}

/** `actuators.gpio99.pin` as it was typed: `--output GPIO99`. */
function optionOf(path: string, { sensors = {}, actuators = {} }: BoardDeclaration): string {
  const [, table, key = ''] = /^(sensors|actuators)\.([^.]+)/.exec(path) ?? []
  const entry = table === 'actuators' ? actuators[key] : sensors[key]
  return entry !== undefined && 'pin' in entry ? `--${table === 'actuators' ? 'output' : 'input'} ${entry.pin}` : path
}

const nothingHere = [
  `${scannedBoard} is the board that this computer is, and nothing is here: no pins, no I2C, no sensor that the kernel knows.`,
  '  On a Raspberry Pi, "ferrule scan" shows what is connected and what is off.',
  `  Without hardware: "ferrule serve ${scannedBoard} --simulate", "ferrule serve @greenhouse", or "ferrule try".`,
].join('\n')

function nothingFound({ model = 'this computer' }: Scan): string {
  return [
    `no sensor was found on ${model}.`,
    '  "ferrule scan" shows what is off or may not be used, and what to do about it.',
    `  Pins can be named: ferrule serve ${scannedBoard} --input GPIO23 --output GPIO17`,
  ].join('\n')
}

function say(text: string): void {
  process.stderr.write(`ferrule: ${text}\n`)
}
