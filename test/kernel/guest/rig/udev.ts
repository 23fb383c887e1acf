import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The system's own udev, in the guest: it names what is plugged in, and gives it to who may have it. */
export function startUdev(): void {
  if (existsSync('/run/udev/control')) return
  const daemon = ['/usr/lib/systemd/systemd-udevd', '/lib/systemd/systemd-udevd'].find(path => existsSync(path))
  if (daemon === undefined) throw new Error('these tests need udev: sudo apt-get install udev')
  execFileSync(daemon, ['--daemon'], { stdio: 'ignore' })
  execFileSync('udevadm', ['trigger', '--action=add', '--subsystem-match=tty'])
  settle()
}

/** Waits until udev has done all that it was told. */
export function settle(): void {
  execFileSync('udevadm', ['settle', '--timeout=60'])
}

/** What udev knows of a device, by name. */
export function properties(path: string): Record<string, string> {
  const printed = execFileSync('udevadm', ['info', '--query=property', `--name=${path}`], { encoding: 'utf8' })
  return Object.fromEntries(
    printed.split('\n').flatMap(line => (/^(.+?)=(.*)$/.exec(line) ? [[RegExp.$1, RegExp.$2]] : [])),
  )
}

/** Runs udevadm, and gives all that it prints. */
export function udevadm(...words: string[]): { code: number; text: string } {
  const { status, stdout, stderr } = spawnSync('udevadm', words, { encoding: 'utf8' })
  return { code: status ?? 1, text: stdout + stderr }
}
