import { posix, win32 } from 'node:path'
import type { Place } from './hosts.ts'

/**
 * The file of tokens that is used when none is named: in the user's configuration, as the XDG Base Directory
 * Specification places it, or in `%APPDATA%` on Windows.
 */
export function usualTokenFile({ platform, home, env }: Place): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'ferrule', 'tokens.json')
  }
  // The specification has relative paths ignored.
  const named = env.XDG_CONFIG_HOME
  return posix.join(named && posix.isAbsolute(named) ? named : posix.join(home, '.config'), 'ferrule', 'tokens.json')
}
