import { userInfo } from 'node:os'

/**
 * A pin, bus or chip of this machine that cannot be had or does not answer. The message says which, why, and what to do.
 */
export class HardwareError extends Error {
  override readonly name = 'HardwareError'
  /** The kernel's word for it: `EBUSY` (somebody has it), `ENODEV` (it is gone), `EACCES`, `ENOENT`, `EINVAL`. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const usual: Record<string, string> = {
  EACCES: 'may not be opened by this user: see "Who may use pins and buses" in docs/raspberry-pi.md',
  EPERM: 'may not be used by this user: see "Who may use pins and buses" in docs/raspberry-pi.md',
  ENOENT: 'is not there',
  ENODEV: 'is gone: the driver or the device was removed',
  EBUSY: 'is in use by another program or by the kernel',
  EMFILE: 'cannot be opened: this program has too many files open',
}

/**
 * What is thrown for a failed call: subject, reason and advice as one sentence.
 *
 * @param advice what is said for a code, in the place of the usual words
 */
export function hardwareError(subject: string, thrown: unknown, advice: Record<string, string> = {}): HardwareError {
  if (thrown instanceof HardwareError) return thrown
  const code = codeOf(thrown)
  const said = advice[code] ?? usual[code] ?? `failed: ${thrown instanceof Error ? thrown.message : thrown}`
  return new HardwareError(code, `${subject} ${said}`, { cause: thrown })
}

/** What is said where only the members of a group may open something: which group, and how to join it. */
export function membersOnly(group: string): Record<string, string> {
  const text = `may not be opened by this user: sudo usermod -aG ${group} ${userName()}, and log in again`
  return { EACCES: text, EPERM: text }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A user without an entry in passwd, as in a container.
    return 'NAME'
  }
}

/** The kernel's word for what went wrong, of what was thrown by a call or by the file system. */
export function codeOf(thrown: unknown): string {
  return String((thrown as { code?: unknown } | null)?.code ?? 'EIO')
}
