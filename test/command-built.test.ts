import { execFileSync, type SpawnOptionsWithoutStdio, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { light, small } from '../bench/profiles.ts'
import { Child, projectDir } from './child.ts'

// Each test runs a process or two, several at a time, on machines that may be slow.
vi.setConfig({ testTimeout: 120_000 })

/** The command as people get it: built into a folder of its own, and run there. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ferrule-command-')))
const built = join(folder, 'ferrule')
const ferrule = join(built, 'dist', 'bin', 'ferrule.js')
/** A folder of a person who has not installed ferrule in it. */
const lone = join(folder, 'lone')
/** The command where nothing else is installed. */
const bare = join(lone, 'project/node_modules/ferrule/dist/bin/ferrule.js')

beforeAll(() => {
  const repository = dirname(dirname(fileURLToPath(import.meta.url)))
  const parts = ['bin', 'boards', 'runtime', 'transports', 'build', 'package.json']
  for (const part of [...parts, 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(join(repository, part), join(built, part), { recursive: true })
  }
  symlinkSync(join(repository, 'node_modules'), join(built, 'node_modules'), 'junction')
  execFileSync(process.execPath, ['build/build.mjs'], { cwd: built, stdio: 'pipe' })
  mkdirSync(lone)
  write('project/package.json', '{ "type": "commonjs" }')
  for (const part of ['dist', 'package.json']) {
    cpSync(join(built, part), join(lone, 'project/node_modules/ferrule', part), { recursive: true })
  }
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a program to its end. */
function runProgram(command: string, args: readonly string[], input: string, options: SpawnOptionsWithoutStdio) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(command, args, options)
    const ended: Ended = { status: null, stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        ended[name] += text
      })
    }
    child.once('error', reject)
    child.once('close', status => resolve({ ...ended, status }))
    child.stdin.end(input)
  })
}

function run(...words: string[]): Promise<Ended> {
  return runProgram(process.execPath, [ferrule, ...words], '', { cwd: lone })
}

function write(name: string, text: string): string {
  const file = join(lone, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const discover = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})}\n`

/** Starts a program as a desktop app does, asks it what it is and ends its input. Returns its messages and its end. */
async function ask(command: string, args: readonly string[], input = discover) {
  const { status, stdout, stderr } = await runProgram(command, args, input, { cwd: '/', env: {} })
  const messages = stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  return { status, messages, stderr }
}

function boardOf({ messages }: Awaited<ReturnType<typeof ask>>): string {
  return messages[0]?.result?._meta?.['io.modelcontextprotocol/serverInfo']?.name
}

describe.concurrent('ferrule', () => {
  it('on a Node that is too old says so before it reads anything else', async () => {
    const old = `Object.defineProperty(process.versions, 'node', { value: '18.19.0' })`
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, ferrule, 'serve', '@greenhouse']
    const { status, stdout, stderr } = await runProgram(process.execPath, args, '', { cwd: lone })
    expect(stderr).toBe(
      'ferrule: this is Node.js 18.19.0, and ferrule needs Node.js 20 or later: see https://nodejs.org\n',
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(readFileSync(ferrule, 'utf8')).not.toMatch(/^import\b(?!\()/m)
  })

  it.each([
    [[], 2, '', 'Usage:'],
    [['--help'], 0, 'Usage:', ''],
    [['-h'], 0, 'Usage:', ''],
    [['help'], 0, 'Usage:', ''],
    [['help', 'serve'], 0, 'Usage: ferrule serve <file>', ''],
    [['try', '--help'], 0, 'Usage: ferrule try [file]', ''],
    [['--version'], 0, '0.', ''],
    [['sevre'], 2, '', 'ferrule: unknown command sevre: did you mean serve?'],
    [['greenhouse.ts'], 2, '', 'did you mean ferrule serve greenhouse.ts?'],
    [['help', 'sevre'], 2, '', 'unknown command sevre'],
    [['--verzion'], 2, '', 'unknown option --verzion: did you mean --version?'],
    [['serve', '--wire', 'a.ts'], 2, '', 'unknown option --wire of serve'],
    [['serve'], 2, '', 'serve needs a file'],
    [['serve', 'nothing.ts'], 1, '', 'there is no file'],
  ])('%j ends with code %i', async (words, status, stdout, stderr) => {
    const ended = await run(...words)
    expect(ended.status).toBe(status)
    if (stdout === '') expect(ended.stdout).toBe('')
    else expect(ended.stdout).toContain(stdout)
    if (stderr === '') expect(ended.stderr).toBe('')
    else expect(ended.stderr).toContain(stderr)
  })
})

describe.concurrent('a server file', () => {
  const plain = "export default { name: 'plain', sensors: { t: { read: () => 1 } } }"
  const typed = [
    "import { createServer, type Board } from 'ferrule'",
    "import { simulatedGreenhouse } from 'ferrule/boards/simulated'",
    "const board: Board = simulatedGreenhouse({ name: 'typed' })",
    'export default createServer(board)',
  ].join('\n')
  const untyped = typed.replace(', type Board', '').replace(': Board', '').replace("'typed'", "'untyped'")

  it.each([
    ['a board', 'a.mjs', plain, 'plain'],
    ['a board named board', 'b.mjs', plain.replace('default', 'const board ='), 'plain'],
    ['a function', 'c.mjs', `export default async () => (${plain.slice('export default '.length)})`, 'plain'],
    ['CommonJS', 'd.cjs', plain.replace('export default', 'module.exports ='), 'plain'],
    ['TypeScript that uses ferrule', 'e.ts', typed, 'typed'],
    ['TypeScript that uses ferrule', 'f.mts', typed, 'typed'],
    ['JavaScript that uses ferrule', 'g.mjs', untyped, 'untyped'],
    ['JavaScript that uses ferrule', 'h.js', untyped, 'untyped'],
  ])('may be %s (%s), where ferrule is not installed', async (_, name, text, board) => {
    const ended = await ask(process.execPath, [ferrule, 'serve', write(name, text)])
    expect(boardOf(ended), ended.stderr).toBe(board)
    expect(ended.status).toBe(0)
  })

  it.each([
    ['a.js', untyped, 'untyped'],
    ['b.ts', typed, 'typed'],
  ])(
    '%s works with the ferrule of its own project, below the package.json that npm init writes',
    async (name, text, board) => {
      const file = write(`project/${name}`, text)
      const ended = await ask(process.execPath, [ferrule, 'serve', file])
      expect(boardOf(ended), ended.stderr).toBe(board)
    },
  )

  it('may print while it loads: the protocol stays clean', async () => {
    const file = write('noisy.mjs', `console.log('loud'); process.stdout.write('louder\\n')\n${plain}`)
    const ended = await ask(process.execPath, [ferrule, 'serve', file])
    expect(boardOf(ended)).toBe('plain')
    expect(ended.stderr).toContain('loud\nlouder\n')
  })

  it('gets the tool read_sensors when asked', async () => {
    const file = write('sensors.mjs', plain)
    const input = discover.replace('server/discover', 'tools/list')
    const { messages } = await ask(process.execPath, [ferrule, 'serve', file, '--read-sensors'], input)
    expect(messages[0].result.tools).toMatchObject([{ name: 'read_sensors' }])
  })

  it.each([
    ['wrong.mjs', 'export const a = 1\nconst b = = 2', /wrong\.mjs:2: Unexpected token/],
    ['wrong.ts', 'export const a: number = 1\nconst b: = 2', /wrong\.ts:2(:\d+)?: .+/],
    ['empty.mjs', 'export const helper = 1', /exports helper, .+\n\n {2}export default \{\n.*sensors.*\n {2}\}\n$/],
    ['nothing.mjs', '', /it exports nothing/],
    [
      'package.mjs',
      "import 'no-such-package'",
      /needs the package no-such-package, .+\n {2}Run "npm install no-such-package"/,
    ],
    ['import.mjs', "import './gone.mjs'", /imports .+gone\.mjs, which is not there/],
    ['throws.mjs', '\nundefined.x\n', /throws\.mjs:2: TypeError: /],
    ['text.mjs', "throw 'a text'", /threw a text/],
    ['rejects.mjs', "export default async () => { throw new Error('no bus') }", /rejects\.mjs:1: Error: no bus/],
    ['asks.mjs', 'export default io => ({ name: io.name })', /asks for 1 argument\(s\) and is called without any/],
    ['never.mjs', `await new Promise(() => {})\n${plain}`, /never finishes loading/],
    ['named.mjs', "export default { name: 'no name!' }", /board "no name!": a name is/],
    [
      'made.mjs',
      "import { createServer } from 'ferrule'\nexport default createServer({ name: '!' })",
      /board "!": a name is/,
    ],
    ['data.txt', '{}', /must end in \.json, \.ts, \.mts, \.js or \.mjs/],
    [
      'bad-board.json',
      '{\n "name": "b",\n "sensors": { "air": { "driver": "bme820" } }\n}',
      /bad-board\.json has a mistake:\n {2}line 3, sensors\.air\.driver: .*"bme280"\?$/m,
    ],
    [
      'comma.json',
      '{\n "name": "b",\n}',
      /comma\.json has a mistake:\n {2}line 3, column 1: there is a comma too many before this }$/m,
    ],
  ])('%s is told what is wrong, without a stack', async (name, text, message) => {
    const { status, stdout, stderr } = await run('serve', write(name, text))
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^ferrule: /)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(stdout).toBe('')
    expect(status).toBe(1)
  })

  it('that is not there is answered with a similar one', async () => {
    const file = write('greenhouse.mjs', plain)
    expect((await run('serve', 'grenhouse.mjs')).stderr).toBe(
      `ferrule: there is no file ${join(lone, 'grenhouse.mjs')}\n  did you mean ${file}?\n`,
    )
    expect((await run('serve', 'greenhouse')).stderr).toContain(`did you mean ${file}?`)
  })
})

describe.concurrent('ferrule serve board.json', () => {
  const text = JSON.stringify({
    name: 'shed',
    sensors: { air: { driver: 'bme280', address: '0x76' } },
    actuators: { pump: { driver: 'relay', pin: 'GPIO17', activeLow: true } },
  })
  // A machine that has no pins is needed: one where the tests run on a Raspberry Pi would take them.
  const hasPins = existsSync('/dev/gpiochip0')

  it.skipIf(hasPins)('where the hardware is not, says what is missing, and how to go on without it', async () => {
    const file = write('shed.json', text)
    const { status, messages, stderr } = await ask(process.execPath, [ferrule, 'serve', file])
    expect(status).toBe(0)
    // The server is there, and says the same to whoever asks for the hardware.
    expect(messages).toHaveLength(1)
    expect(stderr).toMatch(/^ferrule: shed could not be opened: some outputs cannot be had/)
    expect(stderr).toMatch(/^ {2}pump: .+\.$/m)
    expect(stderr).toContain(`ferrule serve ${file} --simulate`)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('with --simulate serves the same board without its hardware', async () => {
    const file = write('simulated-shed.json', text)
    const call = { name: 'pump', arguments: { on: true } }
    const asked =
      discover +
      discover
        .replace('"id":1', '"id":2')
        .replace('server/discover', 'tools/call')
        .replace('"params":{', `"params":{${JSON.stringify(call).slice(1, -1)},`)
    const ended = await ask(process.execPath, [ferrule, 'serve', file, '--simulate'], asked)
    expect(boardOf(ended), ended.stderr).toBe('shed')
    const { result } = ended.messages.find(({ id }) => id === 2)
    expect(result.isError).not.toBe(true)
    expect(ended.stderr).toBe('')
  })

  it('is found by a name that is nearly right, and no other JSON file is', async () => {
    const file = write('json/board.json', text)
    write('json/package.json', '{}')
    expect((await run('serve', 'json/bord.json')).stderr).toContain(`did you mean ${file}?`)
    expect((await run('serve', 'json/packages.json')).stderr).not.toContain('did you mean')
  })

  it('goes into the entry of a host', async () => {
    const file = write('entry/board.json', text)
    const { stdout, status } = await run('host', 'cursor', file)
    expect(status).toBe(0)
    expect(JSON.parse(stdout).mcpServers.shed.args).toContain(file)
  })

  it('is tried in the terminal', async () => {
    const text = JSON.stringify({ name: 'shed', sensors: { cpu: { driver: 'thermal-zone' } } })
    const { stdout, stderr } = await run('try', write('tried/board.json', text), '--once')
    expect(stdout, stderr).toContain('Cpu')
  })
})

describe.concurrent('ferrule host', () => {
  const text =
    "console.log('loud'); setInterval(() => {}, 1000)\nexport default { name: 'housed', sensors: { t: { read: () => 1 } } }"

  it.each(['claude-desktop', 'cursor', 'vscode'])(
    '%s: what it prints starts the server without PATH and HOME',
    async host => {
      write(`housed-${host}.mjs`, text)
      const { status, stdout } = await run('host', host, `housed-${host}.mjs`)
      expect(status).toBe(0)
      const { mcpServers, servers } = JSON.parse(stdout)
      const { command, args } = (mcpServers ?? servers).housed
      const ended = await ask(command, args)
      expect(boardOf(ended), ended.stderr).toBe('housed')
      expect(ended.status).toBe(0)
    },
  )

  it.skipIf(process.platform === 'win32')(
    'claude-code: the command line leads to the same, also with odd paths',
    async () => {
      const file = write("it's an odd folder/housed.mjs", text)
      const { stdout } = await run('host', 'claude-code', file)
      expect(stdout).toMatch(/^claude mcp add --scope user housed -- /)
      const ended = await ask('/bin/sh', ['-c', stdout.slice(stdout.indexOf(' -- ') + 4)])
      expect(boardOf(ended), ended.stderr).toBe('housed')
    },
  )

  it('takes the name that is given and does not run the file then', async () => {
    write('throws-now.mjs', "throw new Error('not now')")
    const { status, stdout } = await run('host', 'cursor', 'throws-now.mjs', '--name', 'mine')
    expect(status).toBe(0)
    expect(Object.keys(JSON.parse(stdout).mcpServers)).toEqual(['mine'])
    expect((await run('host', 'cursor', 'throws-now.mjs', '--name', 'not mine')).status).toBe(2)
  })

  it('prints the entry of a file that does not load, and why it does not', async () => {
    write('odd name.mjs', "throw new Error('no bus')")
    const { status, stdout, stderr } = await run('host', 'cursor', 'odd name.mjs')
    expect(status).toBe(1)
    expect(Object.keys(JSON.parse(stdout).mcpServers)).toEqual(['odd-name'])
    expect(stderr).toContain('no bus')
  })

  it('makes the entry of a board on a cable, which need not be there', async () => {
    const { status, stdout } = await run('host', 'cursor', '--port', 'lab=/dev/ttyNONE', '--baud', '9600')
    expect(status).toBe(0)
    const { command, args } = JSON.parse(stdout).mcpServers.lab
    expect(args.slice(1)).toEqual(['bridge', '--port', 'lab=/dev/ttyNONE', '--baud', '9600', '--read-sensors'])
    const ended = await ask(command, args)
    expect(boardOf(ended), ended.stderr).toBe('lab')
    expect((await run('host', 'cursor', '--port', 'tcp://nowhere')).status).toBe(2)
    expect((await run('host', 'cursor', 'a.ts', '--port', 'COM3')).status).toBe(2)
  })

  it('leaves out --read-sensors where the file makes its own server', async () => {
    write(
      'own.mjs',
      "import { createServer } from 'ferrule'\nexport default createServer({ name: 'own', sensors: {} })",
    )
    const { stdout } = await run('host', 'cursor', 'own.mjs')
    expect(JSON.parse(stdout).mcpServers.own.args).not.toContain('--read-sensors')
  })
})

describe.concurrent('ferrule try, without a terminal', () => {
  const demos = [
    [[], 'Firmware greenhouse on an emulated ATmega328P, over a serial line at 115200 baud'],
    [['--simulated'], 'a simulated greenhouse, served by a process of its own'],
  ] as const

  it.each(demos.flatMap(([words, about]) => ['modern', 'legacy'].map(era => [words, era, about] as const)))(
    'goes through the built-in demo %j once, in the %s era',
    async (words, era, about) => {
      const { status, stdout, stderr } = await run('try', ...words, '--era', era)
      expect(status, stdout + stderr).toBe(0)
      expect(stdout).toMatch(/^ok {6}pump .* Soil moisture [\d.]+ % → [\d.]+ %$/m)
      expect(stdout).toMatch(/^ok {6}vent .* Air temperature [\d.]+ °C → [\d.]+ °C$/m)
      expect(stdout).toMatch(/^ok {6}refuse /m)
      expect(stdout).toMatch(/^ok {6}leave /m)
      expect(stdout).toContain(about)
      expect(stdout).toContain('All 8 steps ok.')
      expect(stdout).not.toContain('\x1b')
    },
  )

  it('shows the simulated board where the chip cannot be emulated, and says why', async () => {
    const { status, stdout } = await runProgram(process.execPath, [bare, 'try'], '', { cwd: lone })
    expect(status, stdout).toBe(0)
    expect(stdout).toContain('No emulated chip: the package avr8js, which emulates the chip, is not installed')
    expect(stdout).toContain('a simulated greenhouse')
  })

  it('has no file to go with --simulated', async () => {
    const { status, stderr } = await run('try', 'a.ts', '--simulated')
    expect(status).toBe(2)
    expect(stderr).toContain('--simulated is the demo; leave it out to try a.ts')
  })

  it('only reads a file that it does not know, and shows the wire when asked', async () => {
    const moved = join(lone, 'moved')
    const file = write(
      'unknown.mjs',
      `import { writeFileSync } from 'node:fs'
      export default {
        name: 'unknown',
        sensors: { t: { title: 'Tank', unit: 'Cel', read: () => 21.5 } },
        actuators: { go: { safe: null, set: () => writeFileSync(${JSON.stringify(moved)}, '') } },
      }`,
    )
    const { status, stdout } = await run('try', file, '--once', '--wire')
    expect(status, stdout).toBe(0)
    expect(stdout).toMatch(/Tank {2}21\.5 °C/)
    expect(stdout).toMatch(/→ \d+ resources\/read \{"uri":"sensor:\/\/unknown"\}/)
    expect(stdout).toContain('Nothing was moved')
    expect(() => realpathSync(moved)).toThrow()
  })

  it('fails when a sensor does not answer, and says which', async () => {
    const read = "() => { throw new Error('bme280 does not answer') }"
    const file = write('mute.mjs', `export default { name: 'mute', sensors: { t: { title: 'Tank', read: ${read} } } }`)
    const { status, stdout } = await run('try', file)
    expect(status).toBe(1)
    expect(stdout).toMatch(/^failed {2}read /m)
    expect(stdout).toContain('bme280 does not answer')
  })

  it('fails when the file does not load, and says why', async () => {
    const { status, stdout } = await run('try', write('broken.mjs', 'export default = 1'))
    expect(status).toBe(1)
    expect(stdout).toContain('broken.mjs:1: Unexpected token')
  })
})

/** `script` of util-linux gives a program a terminal of its own. */
const hasScript =
  process.platform === 'linux' &&
  /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')

describe.skipIf(!hasScript).concurrent('ferrule try, in a terminal (needs `script` of util-linux)', () => {
  const enter = '\x1b[?1049h'
  const leave = '\x1b[?1049l'

  /** A terminal of 80 columns and 24 rows with a program in it, and all that it showed. */
  function terminal(...words: string[]) {
    const line = ['stty', 'cols', '80', 'rows', '24', ';', 'exec', process.execPath, ferrule, ...words].join(' ')
    const env = { ...process.env, TERM: 'xterm-256color', NO_COLOR: '1' }
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: lone, env })
    let shown = ''
    let look = () => {}
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text: string) => {
      shown += text
      look()
    })
    return {
      child,
      shown: () => shown,
      type: (text: string) => child.stdin.write(text),
      ended: new Promise<number | null>(resolve => child.once('close', resolve)),
      /** Waits until something was shown after `from`. Returns where it ends. */
      sees: (what: RegExp, from = 0) =>
        new Promise<number>((resolve, reject) => {
          const late = setTimeout(() => reject(new Error(`${what} was not shown in:\n${shown}`)), 30_000)
          look = () => {
            const found = what.exec(shown.slice(from))
            if (!found) return
            clearTimeout(late)
            resolve(from + found.index + found[0].length)
          }
          look()
        }),
    }
  }

  it('shows the sensors, works the pump, and gives the terminal back', async () => {
    const { shown, type, sees, ended } = terminal('try', '--simulated')
    let place = await sees(/Simulated greenhouse/)
    place = await sees(/Soil moisture {2,}\d+\.\d %/, place)
    await sees(/seconds=0…60 +Water pump/)
    type('pu\t')
    place = await sees(/› pump/, place)
    type('\x17pump 2\r')
    place = await sees(/▸ pump seconds=2/, place)
    place = await sees(/✓ pump {2}litres 0\.1/, place)
    type('pump lots\r')
    place = await sees(/✗ Nothing was done: the arguments of pump/, place)
    type('wire\r')
    place = await sees(/On the wire/, place)
    type('\x04')
    expect(await ended).toBe(0)
    const text = shown()
    expect(text.indexOf(enter)).toBeGreaterThanOrEqual(0)
    expect(text.lastIndexOf(leave)).toBeGreaterThan(text.lastIndexOf(enter))
    expect(text.slice(text.lastIndexOf(leave))).toContain('it made its outputs safe and ended')
    expect(text).not.toMatch(/\x1b\[3\dm/)
  })

  it('shows what the firmware of an emulated chip measures and moves, and says what it is', async () => {
    const { shown, type, sees, ended } = terminal('try')
    let place = await sees(/ Greenhouse {2}greenhouse 1\.0\.0/)
    place = await sees(/Soil moisture {2,}\d+\.\d %/, place)
    await sees(/Firmware greenhouse on an emulated ATmega328P/)
    type('pump 1\r')
    place = await sees(/▸ pump seconds=1/, place)
    place = await sees(/✓ pump {2}actuator pump, set \{"seconds":1\}, outcome \d+/, place)
    type('\x04')
    expect(await ended).toBe(0)
    expect(shown().slice(shown().lastIndexOf(leave))).toContain('it made its outputs safe and ended')
  })

  it('stops what runs at Esc', async () => {
    const { type, sees, ended } = terminal('try', '--simulated', '--era', 'legacy')
    await sees(/Water pump/)
    type('pump 50\r')
    let place = await sees(/▸ pump seconds=50/)
    type('\x1b')
    place = await sees(/pump was stopped/, place)
    type('\x03')
    expect(await ended).toBe(0)
  })

  it('gives the terminal back and tells why when the server dies', async () => {
    const file = write(
      'dies.mjs',
      `const die = { safe: null, set: () => process.kill(process.pid, 'SIGKILL') }
      export default { name: 'dies', actuators: { die } }`,
    )
    const { shown, type, sees, ended } = terminal('try', file)
    await sees(/die {2,}die/)
    type('die\r')
    expect(await ended).toBe(1)
    expect(shown().slice(shown().lastIndexOf(leave))).toContain('the server ended (SIGKILL)')
  })

  it('tells in the plain terminal when the file does not load', async () => {
    const { shown, ended } = terminal('try', write('torn.mjs', 'export default = 1'))
    expect(await ended).toBe(1)
    expect(shown()).toContain('torn.mjs:1: Unexpected token')
    expect(shown()).not.toContain(enter)
  })

  it('started by hand, serve says what it is and what to do', async () => {
    const { type, sees, ended } = terminal('serve', '@greenhouse')
    await sees(/the board greenhouse: 7 sensors and 5 actuators/)
    await sees(/ferrule host claude-desktop @greenhouse/)
    type('\x03')
    expect(await ended).toBe(0)
  })
})

describe('on a board with little memory', () => {
  it.each([light, small])(
    'started as the page on performance says, $name, it does everything',
    async ({ env = {} }) => {
      const child = new Child(process.execPath, [ferrule, 'serve', '@greenhouse'], { env, cwd: lone })
      onTestFinished(() => child.stop())
      await child.initialize()
      const uri = 'sensor://greenhouse/soil_moisture'
      expect(await child.request('resources/subscribe', { uri })).toMatchObject({ result: {} })
      expect(await child.call('pump', { seconds: 1 })).toContain('litres')
      await child.until(
        () => child.lines.some(line => line.includes('notifications/resources/updated') && line.includes(uri)),
        'the soil to get wet',
      )
      const answers = await Promise.all(Array.from({ length: 500 }, () => child.request('resources/read', { uri })))
      expect(answers.every(({ result }) => result.contents.length === 2)).toBe(true)
      const padding = { 'example.com/pad': 'x'.repeat(4_000_000) }
      expect(await child.request('resources/read', { uri, _meta: padding })).toMatchObject({ result: {} })
      child.process.stdin!.end()
      expect(await child.exited).toMatchObject({ code: 0 })
    },
  )

  it('that page shows the settings for a host and for a service', () => {
    const page = readFileSync(join(projectDir, 'docs/performance.md'), 'utf8')
    for (const [name, value] of Object.entries(small.env!)) {
      expect(page).toContain(`"${name}": "${value}"`)
      expect(page).toContain(`Environment="${name}=${value}"`)
    }
  })
})
