import { createReadStream, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorsStep } from '../../bin/doctor/found.ts'
import { lineSample } from '../../bin/doctor/line.ts'
import { Examination } from '../../bin/doctor/steps.ts'
import { listText } from '../../bin/ports.ts'
import { projectDir } from '../child.ts'
import { noPtys, Pty } from '../serial/pty.ts'
import { CabledBoard, greenhouse, linkFirmware, mcpFirmware, ownFolders, startFerrule } from './cabled-board.ts'

/** Runs the doctor to its end; what it printed, and its exit code. */
async function doctor(...words: string[]): Promise<{ code: number | null; text: string }> {
  const child = startFerrule(['doctor', ...words])
  const { code } = await child.exit()
  return { code, text: child.lines.join('\n') }
}

describe.skipIf(noPtys !== undefined)('the doctor', () => {
  it('goes from the port to a reading of a board on the link, and moves nothing', async () => {
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const { code, text } = await doctor(board.path)
    expect(text.match(/^(ok|FAIL|note|-) +[a-z ]+?(?= {2})/gm)?.map(line => line.replace(/ +/g, ' '))).toEqual([
      'ok port',
      'ok permission',
      'ok free',
      'ok line',
      'ok answer',
      'ok device',
      'ok sensors',
      'ok actuators',
      'ok reading',
      'ok round trip',
      'ok errors',
    ])
    expect(text).toMatch(/device +id A1B2C3, firmware .*, start number 1, description [0-9a-f]{4,8}/)
    expect(text).toContain('soil: 0.42 /')
    expect(text).toMatch(/errors +0 damaged frames, \d+ repeats?, 0 restarts/)
    expect([code, moves.filter(each => each > 0)]).toEqual([0, []])
  })

  it('asks the bridge that has a port, which also tells the errors that it saw', async () => {
    const folders = ownFolders()
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const bridge = startFerrule(['bridge', '--port', board.path], folders)
    await bridge.initialize()
    await bridge.call('fan', { percent: 5 })
    const child = startFerrule(['doctor', board.path], folders)
    expect(await child.exit()).toMatchObject({ code: 0 })
    expect(child.lines.join('\n')).toMatch(
      /a ferrule bridge of yours has[\s\S]*ok +answer +.*compact link[\s\S]*ok +errors +0 damaged frames, \d+ repeats?, 0 restarts/,
    )
  })

  it('does so for one that speaks MCP', async () => {
    const board = new CabledBoard(mcpFirmware(greenhouse()))
    const { code, text } = await doctor(board.path)
    expect(text).toMatch(/Greenhouse 1.0.0 \(MCP .*\n.*tools +fan, stop_all, arm_outputs\n.*sensor:\/\/greenhouse/)
    expect(code).toBe(0)
  })

  it('tells a program that prints text from one at another rate, and what to do', async () => {
    const talks = new CabledBoard((send, _) => {
      send('soil 0.42\r\n')
      return { receive: () => send('soil 0.42\r\n'), end: () => {} }
    })
    const noisy = new CabledBoard(send => ({
      receive: () => send(Uint8Array.of(0x9a, 0xf3, 0x80, 0xc0, 0x1b, 0xe2, 0x8c)),
      end: () => {},
    }))
    const [text, noise] = await Promise.all([
      doctor(talks.path, '--timeout', '1500'),
      doctor(noisy.path, '--timeout', '1500'),
    ])
    expect(text.text).toMatch(
      /heard +text, such as: soil 0.42[\s\S]*FAIL +answer[\s\S]*speaks neither the link nor MCP/,
    )
    expect(noise.text).toMatch(/looks like another baud rate than 115200[\s\S]*FAIL +answer[\s\S]*--baud 9600/)
    expect([text.code, noise.code]).toEqual([1, 1])
  })

  it('takes a glob of paths; where that fits none, it says so and waits for nothing', async () => {
    const boards = [1, 2].map(() => new CabledBoard(() => ({ receive: () => {}, end: () => {} })))
    const one = await doctor(boards[0]!.path.replace(/t$/, '?'), '--timeout', '500')
    expect(one.text).toContain(`ok    port          ${boards[0]!.path} is there`)
    const none = await doctor(boards[0]!.path.replace(/port$/, 'x*'))
    expect(none.text).toMatch(/^FAIL +port +nothing that is plugged in is .*x\*\. Is it there already/)
    expect([one.code, none.code]).toEqual([1, 1])
  })

  it('names a port that is not there', async () => {
    const { code, text } = await doctor('/dev/no-such-port')
    expect(text).toMatch(/^FAIL +port +\/dev\/no-such-port is not there/)
    expect(code).toBe(1)
  })

  it('starts the entries of a host as the host does, and says what is wrong with which', async () => {
    const folders = ownFolders()
    const file = join(folders.XDG_CACHE_HOME!, 'mcp.json')
    const ferrule = [
      '--import',
      join(projectDir, 'node_modules/tsx/dist/esm/index.mjs'),
      join(projectDir, 'bin/ferrule.ts'),
    ]
    const good = { command: process.execPath, args: [...ferrule, 'serve', '@greenhouse'] }
    const moved = { command: process.execPath, args: ['/gone/ferrule/dist/bin/ferrule.js', 'serve', '@greenhouse'] }
    const other = { command: 'uvx', args: ['something-else'] }
    writeFileSync(file, JSON.stringify({ mcpServers: { good, moved, other } }))
    const { code, text } = await doctor('--host-config', file)
    expect(text).toMatch(/good:\n.*program.*\n.*files.*\n.*handshake +greenhouse.*\n.*tools .*\n.*reading +sensor:/)
    expect(text).toMatch(/moved:[\s\S]*FAIL +files +\/gone\/ferrule\/dist\/bin\/ferrule.js is not there any more/)
    expect(text).toContain('1 other(s) are left alone')
    expect(code).toBe(1)
  })

  it.each([
    ['{ "mcpServers": {} ', 'is not valid JSON'],
    ['{ "mcp": 1 }', 'neither mcpServers'],
    ['{ "servers": { "a": { "command": "x", }, } } // mine', 'none of its 1 server(s) is a ferrule'],
  ])('reads %s as a host does', async (text, expected) => {
    const file = join(ownFolders().XDG_CACHE_HOME!, 'mcp.json')
    writeFileSync(file, text)
    const found = await doctor('--host-config', file)
    expect(found.text).toContain(expected)
    expect(found.code).toBe(1)
  })
})

describe('the errors of a link', () => {
  it.each([
    [{ damaged: 0, repeats: 1, restarts: 0 }, /^ok +errors +0 damaged frames, 1 repeat, 0 restarts$/],
    [{ damaged: 7, repeats: 9, restarts: 0 }, /^note +errors +7 damaged frames[^\n]*\n *→ a shorter cable/],
    [{ damaged: 0, repeats: 0, restarts: 1 }, /^note +errors [^\n]*1 restart\n *→ check its power supply/],
  ])('%j are told, with what to do', (counters, expected) => {
    const lines: string[] = []
    errorsStep(counters, new Examination(line => lines.push(line)))
    expect(lines.join('\n')).toMatch(expected)
  })
})

describe('what came in over a line', () => {
  it.each([
    ['nothing', '', 'silence'],
    ['text', 'temperature: 21 °C\r\nhumidity', 'text'],
    ['text behind a boot loader', `rl\u0000\u0001${'ready and waiting for commands\n'.repeat(3)}`, 'text'],
  ])('%s is told', (_, text, kind) => expect(lineSample(Buffer.from(text)).kind).toBe(kind))

  it('noise is told, of whatever bytes', () => {
    const noise = Uint8Array.from({ length: 256 }, (_, index) => (index * 167 + 13) & 0xff)
    expect(lineSample(noise).kind).toBe('noise')
  })
})

describe('the list of ports', () => {
  it('has what a person needs to choose one', () => {
    const port = {
      path: '/dev/ttyACM0',
      vendorId: '2341',
      productId: '0043',
      serialNumber: 'U1',
      board: 'Arduino Uno R3',
    }
    expect(listText([{ ...port, answers: 'Greenhouse\u001b 1.0.0' }])).toBe(
      [
        '/dev/ttyACM0',
        '  what        Arduino Uno R3',
        '  USB         2341:0043',
        '  serial no.  U1',
        '  answers as  Greenhouse  1.0.0',
        '',
      ].join('\n'),
    )
    expect(listText([])).toContain('the cable carries data')
  })
})

describe.skipIf(noPtys !== undefined)('a server on a cable', () => {
  it('answers whoever is at the other end, and makes its actuators safe when the cable is pulled', async () => {
    const folders = ownFolders()
    const moves = join(folders.XDG_CACHE_HOME!, 'moves')
    const file = join(folders.XDG_CACHE_HOME!, 'board.mjs')
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs'
      const set = ({ on }) => appendFileSync(${JSON.stringify(moves)}, on ? '1' : '0')
      export default { name: 'cabled', actuators: { lamp: { safe: { on: false }, set,
        inputSchema: { type: 'object', properties: { on: { type: 'boolean' } } } } } }`,
    )
    const pty = new Pty()
    onTestFinished(() => pty.unplug())
    let heard = ''
    let told = () => {}
    pty.onBytes = bytes => {
      heard += bytes.toString()
      told()
    }
    const server = startFerrule(['serve', file, '--serial', pty.path], folders)
    await server.tells('serves cabled')
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'h', version: '1' } }
    pty.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    pty.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'lamp', arguments: { on: true } } })}\n`,
    )
    await new Promise<void>(resolve => {
      told = () => {
        if (heard.includes('"id":2')) resolve()
      }
      told()
    })
    expect(heard).toContain('"name":"cabled"')
    pty.unplug()
    await server.tells('is gone')
    server.process.kill('SIGTERM')
    expect(await server.exit()).toMatchObject({ code: 0 })
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(moves, 'utf8')).toMatch(/^0*10+$/)
  })

  it('wants a port for the options of one', async () => {
    const server = startFerrule(['serve', '@greenhouse', '--baud', '9600'])
    expect(await server.exit()).toMatchObject({ code: 2 })
    expect(server.stderr).toContain('--baud belongs to --serial PATH')
  })
})

describe.skipIf(noPtys !== undefined)('a mirror', () => {
  it('shows a serial monitor what the board sends', async () => {
    const folders = ownFolders()
    const path = join(folders.XDG_CACHE_HOME!, 'mirror')
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const bridge = startFerrule(['bridge', '--port', board.path, '--mirror', path], folders)
    await bridge.initialize()
    await bridge.call('fan', { percent: 5 })
    await bridge.tells('shows what the board sends')
    const monitor = createReadStream(path)
    onTestFinished(() => void monitor.destroy())
    const seen = new Promise<void>(resolve => {
      let text = ''
      monitor.on('data', chunk => {
        text += chunk.toString('latin1')
        if (text.includes('soil is dry')) resolve()
      })
    })
    board.print('soil is dry\r\n')
    await seen
    bridge.endInput()
    await bridge.exit()
    expect(existsSync(path)).toBe(false)
  })
})
