import { messageOf, PortError } from './port-error.ts'

/** The package `serialport`, as far as it is used here. */
export type SerialPortPackage = typeof import('serialport')

let loading: Promise<SerialPortPackage> | undefined

/**
 * Loads the package that opens serial ports, when the first port is opened and not before: whoever serves a board over
 * standard input and output does not need it, nor the 30 ms that it takes.
 *
 * @throws PortError with code `no-library` when it is not installed, or has no build for this machine
 */
export function loadSerialPort(): Promise<SerialPortPackage> {
  loading ??= import('serialport').catch(thrown => {
    loading = undefined
    throw noLibrary(thrown)
  })
  return loading
}

/** What is said when the package cannot be loaded. */
export function noLibrary(thrown: unknown): PortError {
  const missing = (thrown as { code?: string } | null)?.code === 'ERR_MODULE_NOT_FOUND'
  const what = missing
    ? 'the package serialport, which opens serial ports, is not installed: run npm install serialport'
    : `the package serialport, which opens serial ports, does not load: ${messageOf(thrown)}. Run npm rebuild serialport`
  return new PortError('no-library', what, { cause: thrown })
}
