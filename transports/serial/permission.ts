import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import process from 'node:process'

/** Everything that decides whether a process may open a file, so that a test can hand it in. */
export interface Permission {
  /** Of the file. */
  mode: number
  uid: number
  gid: number
  group: string
  /** Of this process. */
  user: string
  groups: readonly number[]
  /** Names that the system's list of groups has for this user, whether this session knows it or not. */
  memberOf: readonly string[]
  /** What keeps devices away from the process, whatever the file's mode says. */
  sandbox: 'snap' | 'flatpak' | 'container' | undefined
  /** What the flatpak is called. */
  flatpak?: string | undefined
}

/** Gathers what decides about a file on this machine. */
export function permissionOf(path: string): Permission {
  const { mode, uid, gid } = statSync(path)
  const { username } = userInfo()
  const groups = groupLines()
  return {
    mode,
    uid,
    gid,
    group: groups.find(line => line[2] === String(gid))?.[0] ?? `number ${gid}`,
    user: username,
    groups: [...(process.getgroups?.() ?? []), process.getegid?.() ?? -1],
    memberOf: groups.filter(line => line[3]?.split(',').includes(username)).map(line => line[0] ?? ''),
    sandbox: sandbox(),
    flatpak: process.env.FLATPAK_ID,
  }
}

/** Which needs no new session, and no group. */
const udev = 'install the udev rule that "ferrule ports --udev" prints'

/** Whether a rule for the USB ids of a device can help. */
function isUsb(path: string): boolean {
  return /\/tty(ACM|USB)\d|\/serial\/by-/.test(path)
}

/** Says what is missing, and the one thing to do about it. */
export function permissionText(path: string, permission: Permission): string {
  const { mode, group, gid, user, groups, memberOf, sandbox, flatpak } = permission
  const denied = `no permission to open ${path}`
  if (sandbox === 'snap')
    return `${denied}: this Node is a snap, which is kept away from devices. Install Node another way`
  if (sandbox === 'flatpak')
    return (
      `${denied}: this program runs in a flatpak. ` +
      `Run: flatpak override --user --device=all ${flatpak ?? 'NAME'}, then start it again`
    )
  const rule = `it belongs to group ${group} with mode ${modeText(mode)}`
  const groupMay = (mode & 0o060) === 0o060
  if (groupMay && gid !== 0 && !groups.includes(gid)) {
    if (memberOf.includes(group))
      return `${denied}: ${user} is in group ${group}, but was not yet when this session began. Log out and log in again`
    if (sandbox === 'container')
      return `${denied}: ${rule}. This is a container: start it with --device=${path} and --group-add ${gid}`
    return (
      `${denied}: ${rule}, and ${user} is not in that group. ` +
      `Run: sudo usermod -aG ${group} ${user}, then log out and log in again${isUsb(path) ? `. Or ${udev}` : ''}`
    )
  }
  // Even root gets no further where the device was not handed in.
  if (sandbox === 'container')
    return `${denied}: ${rule}. This is a container, which devices must be handed to: start it with --device=${path}`
  if (groupMay && groups.includes(gid)) return `${denied}: ${rule}, which allows it, but something else forbids it`
  const lasting = isUsb(path) ? `For good, ${udev}` : 'A udev rule gives it to a group'
  return `${denied}: ${rule}, which lets nobody else in. ${lasting}; for now run: sudo chmod 666 ${path}`
}

/** `crw-rw----`, as `ls` shows it. */
function modeText(mode: number): string {
  const bits = [0o400, 0o200, 0o100, 0o040, 0o020, 0o010, 0o004, 0o002, 0o001]
  return `c${bits.map((bit, place) => ((mode & bit) === 0 ? '-' : 'rwx'[place % 3])).join('')}`
}

function groupLines(): string[][] {
  try {
    return readFileSync('/etc/group', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
  } catch {
    return []
  }
}

function sandbox(): Permission['sandbox'] {
  const { SNAP, FLATPAK_ID, container } = process.env
  if (SNAP !== undefined && process.execPath.startsWith('/snap/')) return 'snap'
  if (FLATPAK_ID !== undefined) return 'flatpak'
  if (container !== undefined || exists('/.dockerenv') || exists('/run/.containerenv')) return 'container'
  return undefined
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
