import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandLine, configFile, entry, type Host, type Place } from '../bin/hosts.ts'
import { stableNode, vanishingPackage } from '../bin/paths.ts'

const start = { name: 'greenhouse', command: '/usr/bin/node', args: ['/opt/ferrule.js', 'serve', '/home/me/a b.ts'] }
const linux: Place = { platform: 'linux', home: '/home/me', env: {} }
const mac: Place = { platform: 'darwin', home: '/Users/me', env: {} }
const windows: Place = { platform: 'win32', home: 'C:\\Users\\me', env: { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' } }

describe('the entry', () => {
  const { command, args } = start
  it.each<[Host, object]>([
    ['claude-desktop', { mcpServers: { greenhouse: { command, args } } }],
    ['cursor', { mcpServers: { greenhouse: { command, args } } }],
    ['vscode', { servers: { greenhouse: { type: 'stdio', command, args } } }],
  ])('of %s is JSON in its own form', (host, expected) => {
    expect(JSON.parse(entry(host, start, 'linux'))).toEqual(expected)
  })

  it('of Claude Code is its command line', () => {
    expect(entry('claude-code', start, 'linux')).toBe(
      "claude mcp add --scope user greenhouse -- /usr/bin/node /opt/ferrule.js serve '/home/me/a b.ts'",
    )
  })

  it('keeps the backslashes of Windows', () => {
    const there = { ...start, command: 'C:\\Program Files\\nodejs\\node.exe' }
    expect(JSON.parse(entry('cursor', there, 'win32')).mcpServers.greenhouse.command).toBe(there.command)
    expect(entry('claude-code', there, 'win32')).toContain('-- "C:\\Program Files\\nodejs\\node.exe" ')
  })
})

describe('where the entry goes', () => {
  it.each<[Host, Place, string]>([
    ['claude-desktop', mac, '/Users/me/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', windows, 'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
    ['claude-desktop', linux, '/home/me/.config/Claude/claude_desktop_config.json'],
    ['cursor', mac, '/Users/me/.cursor/mcp.json'],
    ['cursor', windows, 'C:\\Users\\me\\.cursor\\mcp.json'],
    ['vscode', mac, '/Users/me/Library/Application Support/Code/User/mcp.json'],
    ['vscode', windows, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['vscode', linux, '/home/me/.config/Code/User/mcp.json'],
    ['vscode', linux, '.vscode/mcp.json'],
    ['claude-code', linux, 'claude mcp add-json --scope user greenhouse'],
  ])('of %s is told', (host, place, expected) => expect(configFile(host, start, place)).toContain(expected))
})

describe('a command line', () => {
  const words = ['plain', "it's", 'a b', '$HOME', '`id`', 'x"y', 'back\\slash', '', '*', 'ünï', '{"a":1}']

  it.skipIf(process.platform === 'win32')('means the same words to a POSIX shell', () => {
    const shown = execFileSync('sh', ['-c', `printf '%s\\n' ${commandLine(words, 'linux')}`], { encoding: 'utf8' })
    expect(shown).toBe(`${words.join('\n')}\n`)
  })

  it.each([
    ['a b', '"a b"'],
    ['x"y', '"x\\"y"'],
    ['C:\\a b\\', '"C:\\a b\\\\"'],
    ['C:\\plain', 'C:\\plain'],
  ])('quotes %s for Windows', (word, expected) => expect(commandLine([word], 'win32')).toBe(expected))
})

describe('the path of node', () => {
  it.each([
    ['/opt/homebrew/Cellar/node/22.1.0/bin/node', '/opt/homebrew/opt/node/bin/node'],
    ['/usr/local/Cellar/node@20/20.9.0/bin/node', '/usr/local/opt/node@20/bin/node'],
    ['/snap/node/9000/bin/node', '/snap/node/current/bin/node'],
    ['/usr/bin/node', '/usr/bin/node'],
  ])('%s becomes one that outlives an update', (path, expected) => {
    expect(stableNode(path, () => true)).toEqual({ path: expected })
  })

  it('stays when the lasting path leads elsewhere', () => {
    expect(stableNode('/snap/node/9000/bin/node', () => false).path).toBe('/snap/node/9000/bin/node')
  })

  it.each([
    ['/run/user/1000/fnm_multishells/12_34/bin/node', 'belongs to this terminal session'],
    ['C:\\Users\\me\\AppData\\Local\\fnm_multishells\\12_34\\node.exe', 'belongs to this terminal session'],
    ['/home/me/.nvm/versions/node/v22.1.0/bin/node', 'belongs to nvm'],
    ['/home/me/.local/share/mise/installs/node/22/bin/node', 'belongs to mise'],
  ])('%s comes with a warning', (path, warning) => {
    expect(stableNode(path, () => false)).toMatchObject({ path, warning: expect.stringContaining(warning) })
  })
})

it.each([
  ['/home/me/.npm/_npx/0123/node_modules/ferrule', true],
  ['C:\\Users\\me\\AppData\\Local\\npm-cache\\_npx\\0123\\node_modules\\ferrule', true],
  ['/home/me/.cache/pnpm/dlx-123/node_modules/ferrule', true],
  ['/usr/lib/node_modules/ferrule', false],
  ['/home/me/project/node_modules/ferrule', false],
])('the package in %s may vanish: %s', (folder, vanishes) => {
  expect(vanishingPackage(folder) !== undefined).toBe(vanishes)
})
