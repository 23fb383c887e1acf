import { stateRoot } from '../record/places.ts'
import { runtimeRoot } from '../share/meeting-folder.ts'
import { boundPath, commandLine, restOfLine } from './words.ts'

/** What a unit depends on. */
export interface UnitChoice {
  /** Its name, without `ferrule-` and `.service`. */
  name: string
  /** The server: Node, the command and its words. Paths are absolute. */
  serve: readonly string[]
  /** What makes the outputs safe once the server is gone; nothing where nothing real is moved. */
  makeSafe?: readonly string[] | undefined
  user: string
  /** Groups of this computer that the user joins. */
  groups: readonly string[]
  /** Where it runs, as far as its own file depends on that. */
  folder?: string | undefined
  /** What of the folders of people, and of those for temporary files, it may read. */
  readable: readonly string[]
  /** What beside its own folders it may write to. */
  writable: readonly string[]
  /** Homes are there to be read, because what it reads lies in one without a folder of its own. */
  showsHomes: boolean
  /** Kinds of device, as /proc/devices calls them. */
  devices: readonly string[]
  /** It listens at a port that is for root otherwise. */
  lowPort: boolean
  /** It has nothing to do with any other computer. */
  staysHere: boolean
  /** The version of systemd. */
  systemd: number
}

/** The name of the service of a board. */
export function serviceName(name: string): string {
  return `ferrule-${name}`
}

/** Where it keeps what stays: the record, and tokens where the user has no place for them. */
export function stateFolder(name: string): string {
  return `${stateRoot}/${name}`
}

/** The text of a unit of systemd (systemd.service(5), systemd.exec(5)). */
export function unitText(choice: UnitChoice): string {
  const { name, user, systemd } = choice
  return sections({
    Unit: [
      ['Description', restOfLine(`Ferrule: ${name}`)],
      // Never given up: whatever was wrong may be mended while nobody looks.
      ['StartLimitIntervalSec', '0'],
    ],
    Service: [
      '# It says when its outputs are safe and it listens, and then that it lives. Whoever hangs is started anew.',
      ['Type', 'notify'],
      ['NotifyAccess', 'main'],
      ['ExecStart', commandLine(choice.serve)],
      ['WatchdogSec', '10'],
      ['WatchdogSignal', 'SIGKILL'],
      ['TimeoutStartSec', '90'],
      ['Restart', 'always'],
      ['RestartSec', '2'],
      ...(systemd >= 254
        ? lines([
            ['RestartSteps', '5'],
            ['RestartMaxDelaySec', '60'],
          ])
        : []),
      '# At SIGTERM it makes its outputs safe and ends, within two seconds. When it could not, this does it.',
      ['KillMode', 'mixed'],
      ['TimeoutStopSec', '10'],
      ...(choice.makeSafe === undefined ? [] : lines([['ExecStopPost', commandLine(choice.makeSafe)]])),
      '# Who it is, and what it keeps.',
      ['User', user],
      ...(choice.groups.length === 0 ? [] : lines([['SupplementaryGroups', choice.groups.join(' ')]])),
      ['SyslogIdentifier', serviceName(name)],
      ...(choice.folder === undefined ? [] : lines([['WorkingDirectory', restOfLine(choice.folder)]])),
      ['StateDirectory', `ferrule/${name}`],
      ['StateDirectoryMode', '0750'],
      ['RuntimeDirectory', `ferrule/${name}`],
      ['RuntimeDirectoryMode', '0700'],
      ['Environment', `FERRULE_STATE_DIR=${stateFolder(name)} FERRULE_RUNTIME_DIR=${runtimeRoot}/${name}`],
      ['UMask', '0077'],
      '# What it may reach: its own files, and the pins and buses.',
      ['ProtectSystem', 'strict'],
      ['ProtectHome', choice.showsHomes ? 'read-only' : 'tmpfs'],
      ['PrivateTmp', 'yes'],
      ...(choice.readable.length === 0
        ? []
        : lines([['BindReadOnlyPaths', choice.readable.map(path => boundPath(path)).join(' ')]])),
      ...(choice.writable.length === 0
        ? []
        : lines([['BindPaths', choice.writable.map(path => boundPath(path)).join(' ')]])),
      ['DevicePolicy', 'closed'],
      ...choice.devices.map(kind => ['DeviceAllow', `char-${kind} rw`] as const),
      // ProtectKernelTunables has all of /sys read-only, and the files by which PWM and LEDs are set are there.
      ['ReadWritePaths', '-/sys/devices'],
      ['RestrictAddressFamilies', 'AF_UNIX AF_INET AF_INET6 AF_NETLINK'],
      ...(choice.staysHere
        ? lines([
            ['IPAddressDeny', 'any'],
            ['IPAddressAllow', 'localhost'],
          ])
        : []),
      '# What it may do. MemoryDenyWriteExecute is missing: JavaScript is compiled while it runs.',
      ['NoNewPrivileges', 'yes'],
      ['CapabilityBoundingSet', choice.lowPort ? 'CAP_NET_BIND_SERVICE' : ''],
      ['AmbientCapabilities', choice.lowPort ? 'CAP_NET_BIND_SERVICE' : ''],
      ['ProtectKernelTunables', 'yes'],
      ['ProtectKernelModules', 'yes'],
      ['ProtectKernelLogs', 'yes'],
      ['ProtectControlGroups', 'yes'],
      ['ProtectClock', 'yes'],
      ['ProtectHostname', 'yes'],
      ['ProtectProc', 'invisible'],
      ['RestrictNamespaces', 'yes'],
      ['RestrictRealtime', 'yes'],
      ['RestrictSUIDSGID', 'yes'],
      ['LockPersonality', 'yes'],
      ['SystemCallArchitectures', 'native'],
      ['SystemCallFilter', '@system-service'],
      ['SystemCallFilter', '~@privileged @resources'],
      ['SystemCallErrorNumber', 'EPERM'],
    ],
    Install: [['WantedBy', 'multi-user.target']],
  })
}

type Line = string | readonly [key: string, value: string]

function lines(all: readonly Line[]): readonly Line[] {
  return all
}

function sections(all: Readonly<Record<string, readonly Line[]>>): string {
  return Object.entries(all)
    .map(([name, content]) => {
      const texts = content.map(line => (typeof line === 'string' ? `\n${line}` : `${line[0]}=${line[1]}`))
      return `[${name}]\n${texts.join('\n').replace(/^\n/, '')}\n`
    })
    .join('\n')
}
