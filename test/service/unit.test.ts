/** The unit of `ferrule service`, as systemd reads it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Arguments, commands } from '../../bin/commands.ts'
import { Failure } from '../../bin/failure.ts'
import { parse } from '../../bin/parse.ts'
import { nameOf } from '../../bin/service/choice.ts'
import { run } from '../../bin/service/index.ts'
import { packageSight, projectFolder, sightOf } from '../../bin/service/sight.ts'
import { serviceName, type UnitChoice, unitText } from '../../bin/service/unit.ts'
import { boundPath, commandLine, restOfLine, shellWord, unitWord } from '../../bin/service/words.ts'
import { projectDir } from '../child.ts'

vi.setConfig({ testTimeout: 60_000 })

const usual: UnitChoice = {
  name: 'greenhouse',
  serve: [process.execPath, '/srv/ferrule.js', 'serve', '/srv/board.json', '--http', 'localhost:8970'],
  makeSafe: [process.execPath, '/srv/ferrule.js', 'safe', '/srv/board.json'],
  user: 'daemon',
  groups: [],
  readable: [],
  writable: [],
  showsHomes: false,
  devices: ['gpiochip', 'i2c', 'spi'],
  lowPort: false,
  staysHere: true,
  systemd: 252,
}

/** The values of a key, in order. */
function valuesOf(text: string, key: string): string[] {
  return text.split('\n').flatMap(line => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))
}

describe('words of a unit', () => {
  it.each([
    ['plain', 'plain', 'plain'],
    ['/a b/c', '"/a b/c"', '"/a b/c"'],
    ['100%', '100%%', '100%%'],
    ['%h', '%%h', '%%h'],
    ['$HOME', '$HOME', '$$HOME'],
    [`\${a}`, `\${a}`, `$\${a}`],
    ['say "hi"', '"say \\"hi\\""', '"say \\"hi\\""'],
    ["it's", '"it\'s"', '"it\'s"'],
    ['back\\slash', 'back\\\\slash', 'back\\\\slash'],
    [';', '";"', '";"'],
    ['line\nbreak', 'line\\nbreak', 'line\\nbreak'],
    ['', '""', '""'],
  ])('%s', (text, word, argument) => {
    expect(unitWord(text)).toBe(word)
    expect(commandLine(['/node', text])).toBe(`/node ${argument}`)
  })

  it('a colon in a path that is bound is no separator, and a description takes one line', () => {
    expect(boundPath('/srv/a:b')).toBe('"/srv/a:b"')
    expect(boundPath('-/srv/a b:c')).toBe('"-/srv/a b:c"')
    expect(restOfLine('50 % wet\nUser=root')).toBe('50 %% wet User=root')
    expect(shellWord("it's")).toBe("'it'\\''s'")
    expect(shellWord('/srv/board.json')).toBe('/srv/board.json')
  })
})

describe('what a service is shown', () => {
  it('of homes and temporary folders only what it needs, and nothing twice', () => {
    expect(
      sightOf(['/home/pi/greenhouse', '/home/pi/greenhouse/node_modules', '/usr/bin', '/home/pi/.nvm/v20', '/srv/x']),
    ).toEqual({ readable: ['/home/pi/greenhouse', '/home/pi/.nvm/v20'], showsHomes: false })
    expect(sightOf(['/home/pi/board.json', '/home/pi/board.json'])).toEqual({
      readable: ['/home/pi/board.json'],
      showsHomes: false,
    })
    expect(sightOf(['/home/pi', '/tmp/x'])).toEqual({ readable: ['/tmp/x'], showsHomes: true })
    expect(sightOf(['/root', '/home/pi/x'])).toEqual({ readable: [], showsHomes: true })
    expect(sightOf(['/homestead/x'])).toEqual({ readable: [], showsHomes: false })
  })

  it('a package with what it depends on, and a project from its package.json on', () => {
    expect(packageSight('/home/pi/g/node_modules/ferrule')).toBe('/home/pi/g/node_modules')
    expect(packageSight('/home/pi/ferrule')).toBe('/home/pi/ferrule')
    const manifest = (path: string) => path === '/home/pi/g/package.json'
    expect(projectFolder('/home/pi/g/boards/a.ts', manifest)).toBe('/home/pi/g')
    expect(projectFolder('/home/pi/h/a.ts', manifest)).toBe('/home/pi/h')
  })
})

describe('the name of a service', () => {
  it('is what is asked for, the name in a board of data, or how the file is called', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const named = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return nameOf(join(folder, name), undefined)
    }
    expect(named('a.json', '{ "name": "green house" }')).toBe('green-house')
    expect(named('my board.json', '{ not json')).toBe('my-board')
    expect(named('pump.ts', 'throw new Error("never run")')).toBe('pump')
    expect(nameOf('@greenhouse', undefined)).toBe('greenhouse')
    expect(nameOf('/x/a.ts', 'attic')).toBe('attic')
    expect(() => nameOf('/x/a.ts', '../a')).toThrow('--name ../a')
  })
})

describe('a unit', () => {
  it('never gives up, and is watched, stopped and made safe', () => {
    const text = unitText(usual)
    const expected = {
      StartLimitIntervalSec: ['0'],
      Type: ['notify'],
      NotifyAccess: ['main'],
      WatchdogSec: ['10'],
      Restart: ['always'],
      User: ['daemon'],
      NoNewPrivileges: ['yes'],
      ProtectHome: ['tmpfs'],
      CapabilityBoundingSet: [''],
      IPAddressDeny: ['any'],
      MemoryDenyWriteExecute: [],
      CPUSchedulingPolicy: [],
      RestartSteps: [],
      ExecStopPost: [`${process.execPath} /srv/ferrule.js safe /srv/board.json`],
    }
    for (const [key, values] of Object.entries(expected)) expect([key, valuesOf(text, key)]).toEqual([key, values])
  })

  it('has more where it is asked for: a low port, a folder, groups, a newer systemd', () => {
    const text = unitText({
      ...usual,
      lowPort: true,
      staysHere: false,
      groups: ['gpio', 'i2c'],
      folder: '/srv/my 100%',
      readable: ['/home/pi/a b'],
      writable: ['/srv/records'],
      showsHomes: true,
      makeSafe: undefined,
      systemd: 257,
    })
    const expected = {
      AmbientCapabilities: ['CAP_NET_BIND_SERVICE'],
      CapabilityBoundingSet: ['CAP_NET_BIND_SERVICE'],
      IPAddressDeny: [],
      SupplementaryGroups: ['gpio i2c'],
      WorkingDirectory: ['/srv/my 100%%'],
      BindReadOnlyPaths: ['"/home/pi/a b"'],
      BindPaths: ['/srv/records'],
      ProtectHome: ['read-only'],
      ExecStopPost: [],
      RestartSteps: ['5'],
    }
    for (const [key, values] of Object.entries(expected)) expect([key, valuesOf(text, key)]).toEqual([key, values])
  })
})

function hasSystemd(): boolean {
  return process.platform === 'linux' && spawnSync('systemd-analyze', ['--version']).status === 0
}

/** More than this a service with pins, buses and a port on the network need not be exposed; 10 is everything. */
const highestExposure = 2.0

describe.skipIf(!hasSystemd())('systemd', () => {
  function written(choice: UnitChoice): string {
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, `${serviceName(choice.name)}.service`)
    writeFileSync(file, unitText(choice))
    return file
  }

  it('reads it without a word, whatever the paths are called', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ferrule-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const place = join(folder, `Ünder 100%h; $HOME "of" it's`)
    mkdirSync(place)
    // Of a program's own path systemd takes no quotation marks.
    const node = join(folder, 'no de 100%')
    copyFileSync('/bin/true', node)
    chmodSync(node, 0o755)
    for (const choice of [
      usual,
      {
        ...usual,
        serve: [node, join(place, 'board.json'), '--allow', 'lamp:colour=red|green'],
        makeSafe: [node, place],
      },
      {
        ...usual,
        folder: place,
        readable: [place, `-${place}/x:y`],
        writable: [place],
        staysHere: false,
        lowPort: true,
      },
    ]) {
      const { stderr, status } = spawnSync('systemd-analyze', ['verify', written(choice)], { encoding: 'utf8' })
      expect(stderr).toBe('')
      expect(status).toBe(0)
    }
  })

  it(`finds an exposure of no more than ${highestExposure}, where 10 is all`, () => {
    const exposure = (choice: UnitChoice) => {
      const args = ['security', '--offline=true', '--no-pager', written(choice)]
      const { stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
      return Number(/Overall exposure level for \S+: (\d+\.\d+)/.exec(stdout)?.[1])
    }
    const found = {
      'a board of data, on this computer': exposure(usual),
      'a board of code, on the network, on a low port': exposure({
        ...usual,
        staysHere: false,
        lowPort: true,
        showsHomes: true,
      }),
    }
    console.info('exposure by systemd-analyze security:', found)
    for (const value of Object.values(found)) expect(value).toBeLessThanOrEqual(highestExposure)
  })
})

describe.skipIf(process.platform !== 'linux')('ferrule service', () => {
  /** Runs the command in this process; a failure is its text and its exit code. */
  async function service(...args: string[]) {
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[name], 'write').mockImplementation(text => {
        written[name] += text
        return true
      })
    }
    try {
      await run((await parse('service', commands.service, args)) as Arguments)
      return { ...written, code: 0 }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      return { ...written, stderr: thrown.message, code: thrown.exitCode }
    } finally {
      vi.restoreAllMocks()
    }
  }
  const someone = ['--user', 'daemon']

  it('prints a unit on stdout, and on stderr what to do with it', async () => {
    const { stdout, stderr } = await service(
      ...['@greenhouse', ...someone, '--allow', 'pump:seconds=0..10', '--name', 'gh', '--page'],
    )
    expect(stderr).toContain(
      'service @greenhouse --name gh --user daemon --allow pump:seconds=0..10 --page --install\n',
    )
    expect(stderr).toContain('sudo tee /etc/systemd/system/ferrule-gh.service')
    const [start] = valuesOf(stdout, 'ExecStart')
    expect(start).toMatch(
      / serve @greenhouse --allow pump:seconds=0\.\.10 --http localhost:8970 --page --token-file \/var\/lib\/ferrule\/gh\/tokens\.json$/,
    )
    expect(start).toMatch(/^\/\S+ \/\S+\/dist\/bin\/ferrule\.js /)
    expect(valuesOf(stdout, 'ExecStopPost')).toEqual([])
  })

  it('a board of the own making is made safe when the server is gone, and found by its whole path', async () => {
    const { stdout, stderr } = await service('examples/own-board.ts', ...someone, '--http', '80')
    expect(stderr).toContain(join(projectDir, 'examples/own-board.ts'))
    expect(valuesOf(stdout, 'ExecStopPost')[0]).toMatch(/ safe \S*\/examples\/own-board\.ts$/)
    expect(valuesOf(stdout, 'AmbientCapabilities')).toEqual(['CAP_NET_BIND_SERVICE'])
    expect(valuesOf(stdout, 'WorkingDirectory')).toEqual([projectDir.replace(/\/$/, '')])
  })

  it('on a cable it has the ports, and no port of the network', async () => {
    const { stdout } = await service('@greenhouse', ...someone, '--serial', '/dev/ttyGS0')
    expect(valuesOf(stdout, 'ExecStart')[0]).toMatch(/ serve @greenhouse --serial \/dev\/ttyGS0$/)
    expect(valuesOf(stdout, 'DeviceAllow')).toContain('char-ttyGS rw')
  })

  it.each([
    [['@greenhouse', '--user', 'root'], 2, 'that is root'],
    [['@greenhouse', '--user', 'nobody-of-that-name'], 1, 'has no user of that name'],
    [['@greenhouse', ...someone, '--http', '--serial', '/dev/ttyGS0'], 2, 'two ways to serve'],
    [['@greenhouse', ...someone, '--install', '--remove'], 2, 'name one of them'],
    [['@greenhouse', ...someone, '--allow', 'pump:'], 2, '--allow pump: cannot be read'],
    [['@greenhouse', ...someone, '--tls-key', 'x'], 2, 'belong together'],
    [['@greenhouse', ...someone, '--http', 'x:y'], 2, 'does not know what to do with x:y'],
    [
      ['@greenhouse', ...someone, '--remove', '--name', 'not-there'],
      1,
      'no /etc/systemd/system/ferrule-not-there.service',
    ],
    [['nowhere.ts', ...someone], 1, 'there is no file'],
  ])('%j is refused', async (args, code, text) => {
    const refused = await service(...args)
    expect(refused.stderr).toContain(text)
    expect([refused.code, refused.stdout]).toEqual([code, ''])
  })

  it.skipIf(process.getuid?.() !== 0)('a person without root is told what to type', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(projectDir, 'dist/bin/ferrule.js'), 'service', '@greenhouse', '--install'],
      { encoding: 'utf8', uid: idOf('daemon'), gid: idOf('daemon'), env: { PATH: process.env.PATH } },
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /As root it is:\n {2}sudo \S+node \S+ferrule\.js service @greenhouse --user daemon --install\n/,
    )
  })
})

function idOf(user: string): number {
  return Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }))
}
