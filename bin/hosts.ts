import { posix, win32 } from 'node:path'

/** The hosts that an entry can be made for. */
export type Host = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode'

/** How a host starts a server. */
export interface Start {
  /** The server's name in the host. */
  name: string
  command: string
  args: readonly string[]
}

/** The machine that the host runs on, as far as its files depend on it. */
export interface Place {
  platform: NodeJS.Platform
  home: string
  env: Readonly<Record<string, string | undefined>>
}

/** The text to give to a host: JSON for its configuration file, or a command line. */
export function entry(host: Host, { name, command, args }: Start, platform: NodeJS.Platform): string {
  switch (host) {
    case 'claude-desktop':
    case 'cursor':
      return json({ mcpServers: { [name]: { command, args } } })
    case 'vscode':
      return json({ servers: { [name]: { type: 'stdio', command, args } } })
    case 'claude-code':
      return commandLine(['claude', 'mcp', 'add', '--scope', 'user', name, '--', command, ...args], platform)
  }
}

/** Where the text goes and what to do afterwards, for the person. */
export function configFile(host: Host, { name, command, args }: Start, place: Place): string {
  const merge = 'If the file has entries already, add this one beside them.'
  switch (host) {
    case 'claude-desktop':
      return [
        `Put this into ${appFolder(place, 'Claude', 'claude_desktop_config.json')}`,
        `${merge} Then quit Claude Desktop completely and start it again.`,
      ].join('\n')
    case 'cursor':
      return [
        `Put this into ${path(place).join(place.home, '.cursor', 'mcp.json')} (or .cursor/mcp.json in one project)`,
        merge,
      ].join('\n')
    case 'vscode':
      return [
        'Put this into .vscode/mcp.json in your project, or for all projects into',
        appFolder(place, 'Code', 'User', 'mcp.json'),
        merge,
      ].join('\n')
    case 'claude-code': {
      const body = JSON.stringify({ type: 'stdio', command, args })
      const alternative = commandLine(['claude', 'mcp', 'add-json', '--scope', 'user', name, body], place.platform)
      return `Run this command; it writes ${path(place).join(place.home, '.claude.json')}\nOr, as JSON: ${alternative}`
    }
  }
}

function appFolder(place: Place, ...names: string[]): string {
  const { join } = path(place)
  if (place.platform === 'darwin') return join(place.home, 'Library', 'Application Support', ...names)
  if (place.platform === 'win32') return join(place.env.APPDATA || join(place.home, 'AppData', 'Roaming'), ...names)
  return join(place.env.XDG_CONFIG_HOME || join(place.home, '.config'), ...names)
}

function path(place: Place): typeof posix {
  return place.platform === 'win32' ? win32 : posix
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}

/** Words as a line for the shell that people have on that platform: a POSIX shell, or PowerShell and cmd. */
export function commandLine(words: readonly string[], platform: NodeJS.Platform): string {
  return words.map(word => quoted(word, platform)).join(' ')
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (platform !== 'win32') return `'${word.replaceAll("'", `'\\''`)}'`
  if (/^[\w@+=:,./\\-]+$/.test(word)) return word
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}
