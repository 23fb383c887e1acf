/**
 * What the lines DTR and RTS do on a board.
 * `native`: USB ends in the board's own processor, which sends nothing while DTR is down.
 * `bridge`: a chip turns USB into a UART. A rising DTR resets Uno-like boards, and on ESP boards the two lines together
 * decide about reset and boot mode: equal, they leave the board alone.
 */
export type BoardWiring = 'native' | 'bridge'

/** What USB ids tell of a board. */
export interface KnownBoard {
  /** As a person would call it. */
  name: string
  wiring: BoardWiring
}

/** By vendor, then by product; `*` is what all others of the vendor are. Hexadecimal in small letters, as udev prints it. */
const boards: Record<string, Record<string, readonly [name: string, wiring: BoardWiring]>> = {
  // Arduino
  '2341': {
    '0001': ['Arduino Uno', 'bridge'],
    '0010': ['Arduino Mega 2560', 'bridge'],
    '0036': ['Arduino Leonardo boot loader', 'native'],
    '0037': ['Arduino Micro boot loader', 'native'],
    '003b': ['Arduino USB-serial adapter', 'bridge'],
    '003d': ['Arduino Due (programming port)', 'bridge'],
    '003e': ['Arduino Due (native port)', 'native'],
    '003f': ['Arduino Mega ADK', 'bridge'],
    '0042': ['Arduino Mega 2560 R3', 'bridge'],
    '0043': ['Arduino Uno R3', 'bridge'],
    '0044': ['Arduino Mega ADK R3', 'bridge'],
    '0045': ['Arduino Serial R3', 'bridge'],
    '0058': ['Arduino Nano Every', 'bridge'],
    '005e': ['Arduino Nano RP2040 Connect', 'native'],
    '0069': ['Arduino Uno R4 Minima', 'native'],
    '0070': ['Arduino Nano ESP32', 'native'],
    '0243': ['Arduino Uno R3', 'bridge'],
    '1002': ['Arduino Uno R4 WiFi', 'native'],
    '8036': ['Arduino Leonardo', 'native'],
    '8037': ['Arduino Micro', 'native'],
    '804d': ['Arduino Zero (native port)', 'native'],
    '804e': ['Arduino MKR1000', 'native'],
    '8054': ['Arduino MKR WiFi 1010', 'native'],
    '8057': ['Arduino Nano 33 IoT', 'native'],
    '805a': ['Arduino Nano 33 BLE', 'native'],
    '*': ['Arduino', 'native'],
  },
  '2a03': {
    '0001': ['Arduino Uno', 'bridge'],
    '0010': ['Arduino Mega 2560', 'bridge'],
    '0042': ['Arduino Mega 2560 R3', 'bridge'],
    '0043': ['Arduino Uno R3', 'bridge'],
    '*': ['Arduino', 'native'],
  },
  // Raspberry Pi
  '2e8a': {
    '0005': ['Raspberry Pi Pico (MicroPython)', 'native'],
    '0009': ['Raspberry Pi Pico 2', 'native'],
    '000a': ['Raspberry Pi Pico', 'native'],
    '000c': ['Raspberry Pi Debug Probe', 'native'],
    '000f': ['Raspberry Pi Pico 2', 'native'],
    f00a: ['Raspberry Pi Pico W', 'native'],
    f00f: ['Raspberry Pi Pico 2 W', 'native'],
    '*': ['RP2040 or RP2350 board', 'native'],
  },
  // Espressif
  '303a': {
    '0002': ['ESP32-S2', 'native'],
    '1001': ['ESP32 (built-in USB)', 'native'],
    '*': ['ESP32 board', 'native'],
  },
  '239a': { '*': ['Adafruit board', 'native'] },
  '2886': { '*': ['Seeed board', 'native'] },
  '1b4f': { '*': ['SparkFun board', 'native'] },
  '2b04': { '*': ['Particle board', 'native'] },
  '1915': { '*': ['Nordic board', 'native'] },
  '1209': { '*': ['board with a pid.codes id', 'native'] },
  '16c0': { '0483': ['Teensy', 'native'], '0487': ['Teensy', 'native'], '0489': ['Teensy', 'native'] },
  '0d28': { '0204': ['micro:bit or other DAPLink board', 'native'] },
  '0483': {
    '374b': ['STM32 board (ST-LINK)', 'native'],
    '374e': ['STM32 board (ST-LINK)', 'native'],
    '5740': ['STM32 board', 'native'],
  },
  '1366': { '*': ['board with a J-Link', 'native'] },
  // Chips between USB and a UART
  '1a86': {
    '5523': ['board with a CH341', 'bridge'],
    '55d3': ['board with a CH343', 'bridge'],
    '55d4': ['board with a CH9102', 'bridge'],
    '7522': ['board with a CH340', 'bridge'],
    '7523': ['board with a CH340', 'bridge'],
  },
  '0403': {
    '6001': ['board with an FT232', 'bridge'],
    '6010': ['board with an FT2232', 'bridge'],
    '6011': ['board with an FT4232', 'bridge'],
    '6014': ['board with an FT232H', 'bridge'],
    '6015': ['board with an FT231X', 'bridge'],
  },
  '10c4': {
    ea60: ['board with a CP210x', 'bridge'],
    ea70: ['board with a CP2105', 'bridge'],
    ea71: ['board with a CP2108', 'bridge'],
  },
  '067b': { '*': ['board with a PL2303', 'bridge'] },
}

/** Looks a board up by its USB ids, four hexadecimal digits each. */
export function knownBoard(vendorId: string, productId: string): KnownBoard | undefined {
  const products = own(boards, vendorId.toLowerCase())
  const found = products && (own(products, productId.toLowerCase()) ?? products['*'])
  return found && { name: found[0], wiring: found[1] }
}

/** Ids come from devices and command lines, and may be anything. */
function own<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
