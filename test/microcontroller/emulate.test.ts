import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assemble } from 'avr8js/dist/cjs/utils/assembler.js'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startFerrule } from '../bridge/cabled-board.ts'
import { echo } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-emulate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program as the Arduino IDE exports it. */
function hexFile(name: string, source: string): string {
  const { bytes } = assemble(source)
  const records = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, row) => {
    const data = [...bytes.subarray(row * 16, row * 16 + 16)]
    const record = [data.length, (row * 16) >> 8, (row * 16) & 0xff, 0, ...data]
    const check = -record.reduce((sum, byte) => sum + byte, 0) & 0xff
    return `:${[...record, check]
      .map(byte => byte.toString(16).padStart(2, '0'))
      .join('')
      .toUpperCase()}`
  })
  const file = join(folder, name)
  writeFileSync(file, [...records, ':00000001FF', ''].join('\n'))
  return file
}

async function emulating(...words: string[]) {
  const child = startFerrule(['emulate', ...words])
  await child.until(() => child.lines.length > 0, 'an address')
  const address = child.lines[0]!
  expect(address).toMatch(/^tcp:\/\/127\.0\.0\.1:\d+$/)
  return { child, address, port: Number(address.slice(address.lastIndexOf(':') + 1)) }
}

async function heard(socket: Socket, wanted: string): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.length >= wanted.length) break
  }
  return text
}

describe('ferrule emulate', () => {
  it('runs a program, with its serial line on a TCP port, until Ctrl-C', async () => {
    const { child, port, address } = await emulating(hexFile('echo.hex', echo))
    await child.tells(`echo runs on an emulated ATmega328P; its serial line is at ${address}`)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write('Is anybody there?')
    expect(await heard(socket, 'Is anybody there?')).toBe('Is anybody there?')
    child.process.kill('SIGINT')
    expect((await child.exit()).code).toBe(0)
  })

  it('has one at the line at a time', async () => {
    const { child, port } = await emulating(hexFile('echo.hex', echo))
    const first = connect(port, '127.0.0.1')
    onTestFinished(() => void first.destroy())
    await once(first, 'connect')
    const second = connect(port, '127.0.0.1')
    second.on('error', () => {})
    await once(second, 'close')
    await child.tells('one at a time')
    first.write('x')
    expect(await heard(first, 'x')).toBe('x')
  })

  it.each([
    [['nothing.hex'], 1, 'there is no file nothing.hex'],
    [['package.json'], 1, 'package.json cannot be loaded: line 1 is no record of Intel HEX'],
    [['x.hex', '--listen', 'here'], 2, '--listen is HOST:PORT, such as 127.0.0.1:5000, not here'],
    [['x.hex', '--listen', '127.0.0.1:99999'], 2, '--listen is HOST:PORT'],
    [['x.hex', '--frequency', '8'], 2, 'unknown option --frequency of emulate'],
  ])('%j: a mistake is told, with exit code %i', async (words, code, text) => {
    const child = startFerrule(['emulate', ...words])
    expect((await child.exit()).code).toBe(code)
    expect(child.stderr).toContain(text)
    expect(child.lines).toEqual([])
  })

  it('says who else listens there', async () => {
    const { port } = await emulating(hexFile('echo.hex', echo))
    const child = startFerrule(['emulate', hexFile('echo.hex', echo), '--listen', `127.0.0.1:${port}`])
    expect((await child.exit()).code).toBe(1)
    expect(child.stderr).toContain('another program listens there')
  })
})
