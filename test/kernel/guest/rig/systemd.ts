import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const units = '/run/ferrule-units'

/**
 * The real systemd, as the first process of a namespace of its own. It knows the units of the test and no others: those of
 * the machine whose files these are would start everything that it has.
 */
export class Systemd {
  /** Its process id, outside of its namespace. */
  readonly #pid: number

  private constructor(pid: number) {
    this.#pid = pid
  }

  static async start(): Promise<Systemd> {
    mkdirSync(units)
    for (const target of ['sysinit', 'basic', 'multi-user', 'shutdown', 'umount', 'final']) {
      writeFileSync(`${units}/${target}.target`, '[Unit]\nDefaultDependencies=no\n')
    }
    const words = ['--system', '--unit=multi-user.target', '--show-status=no', '--crash-reboot=no']
    const output = ['--default-standard-output=kmsg', '--default-standard-error=kmsg']
    const unshare = spawn('unshare', ['--fork', '--pid', '--mount-proc', '/lib/systemd/systemd', ...words, ...output], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, container: 'ferrule', SYSTEMD_UNIT_PATH: units, SYSTEMD_LOG_TARGET: 'kmsg' },
    })
    unshare.unref()
    for (;;) {
      const child = spawnSync('pgrep', ['--parent', String(unshare.pid)], { encoding: 'utf8' }).stdout
      const systemd = new Systemd(Number(child))
      if (Number(child) > 0 && systemd.run('is-system-running', '--wait').stdout.includes('running')) return systemd
      await delay(200)
    }
  }

  /** Adds a unit. */
  add(name: string, text: string): void {
    writeFileSync(`${units}/${name}.service`, text)
    this.systemctl('daemon-reload')
  }

  /** Runs systemctl, and throws when it fails. */
  systemctl(...words: string[]): string {
    const { status, stdout, stderr } = this.run(...words)
    if (status !== 0) throw new Error(`systemctl ${words.join(' ')}: ${stdout}${stderr}${this.log()}`)
    return stdout
  }

  run(...words: string[]) {
    return this.inside(['systemctl', '--no-pager', ...words])
  }

  /** Runs a program where systemd runs, to its end. */
  inside(command: readonly string[], as?: { uid: number; gid: number }) {
    const user = as === undefined ? [] : ['--setuid', String(as.uid), '--setgid', String(as.gid)]
    return spawnSync('nsenter', ['--target', String(this.#pid), '--pid', '--mount', ...user, '--', ...command], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
  }

  /** A property of a unit, as systemctl shows it. */
  show(unit: string, property: string): string {
    return this.systemctl('show', '--value', '--property', property, unit).trim()
  }

  /** Waits until a property of a unit is as it should be. */
  async until(unit: string, property: string, isSo: (value: string) => boolean): Promise<string> {
    for (let tries = 0; ; tries++) {
      const value = this.show(unit, property)
      if (isSo(value)) return value
      if (tries > 300) throw new Error(`${property} of ${unit} is ${value}\n${this.log()}`)
      await delay(100)
    }
  }

  /** The main process of a unit, outside of systemd's namespace. */
  mainPid(unit: string): number {
    const inside = this.show(unit, 'MainPID')
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        const [, outer, inner] = /^NSpid:\t(\d+)\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
        if (inner === inside) return Number(outer)
      } catch {
        // It has ended meanwhile.
      }
    }
    throw new Error(`${unit} has no main process: ${inside}`)
  }

  /** What systemd and its units said, the newest last. */
  log(): string {
    return execFileSync('dmesg', { encoding: 'utf8' })
      .split('\n')
      .filter(line => /systemd|ferrule/.test(line))
      .slice(-40)
      .join('\n')
  }

  end(): void {
    process.kill(this.#pid, 'SIGKILL')
  }
}
