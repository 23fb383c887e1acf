import { DeviceFailure } from '../../../runtime/index.ts'

/** The link's own error codes: 0 and up. Those below zero belong to the sketch. */
export const LinkCode = Object.freeze({
  /** The kind of message is unknown to the device. */
  Unsupported: 1,
  /** No sensor, actuator or record has this number. */
  Unknown: 2,
  /** The arguments are too few, too many, or of the wrong type. */
  BadArguments: 3,
  /** An argument lies outside its range or is none of its values. */
  OutOfRange: 4,
  /** This actuator is moving, or all calls that the device can take are under way. */
  Busy: 5,
  /** Another actuator of the same group is on. */
  Interlocked: 6,
  /** It moved a moment ago and must rest first, or would change faster than it may. */
  TooSoon: 7,
  /** Outputs are disarmed until a person arms them. */
  NotArmed: 8,
  /** It took longer than it may; the actuator was made safe. */
  TimedOut: 9,
  /** It was cancelled; the actuator was made safe. */
  Cancelled: 10,
  /** A stop, or the silence of the host, broke it off; the actuator was made safe. */
  Stopped: 11,
  /** The sensor did not answer, or the actuator failed. */
  Failed: 12,
  /** The answer does not fit into a frame. */
  TooLarge: 13,
  /** The frame belongs to a session that the device does not have: it restarted, or another host took over. */
  NoSession: 14,
  /** The call is older than the newest one and no longer remembered: its outcome is unknown, and it is not run again. */
  Forgotten: 15,
  /** The major version of the protocol is not spoken here. */
  Version: 16,
})

const texts: Record<number, string> = {
  [LinkCode.Unsupported]: 'the device does not know this kind of message: its firmware is older than this program',
  [LinkCode.Unknown]: 'the device has nothing under this number: its firmware has changed',
  [LinkCode.BadArguments]: 'the arguments do not fit',
  [LinkCode.OutOfRange]: 'a value is out of range',
  [LinkCode.Busy]: 'it is still moving: wait until that is done, or stop it',
  [LinkCode.Interlocked]:
    'another actuator of its group is on, and only one may be: put that one into its safe state first',
  [LinkCode.TooSoon]: 'it moved a moment ago, or would change too fast: wait a moment, and go there in smaller steps',
  [LinkCode.NotArmed]:
    'it stays off until a person arms the outputs (with ferrule arm, or by the tool arm_outputs in a host that can ask)',
  [LinkCode.TimedOut]: 'it took too long and was put into its safe state',
  [LinkCode.Cancelled]: 'it was cancelled and put into its safe state',
  [LinkCode.Stopped]: 'it was stopped and put into its safe state',
  [LinkCode.Failed]: 'it failed',
  [LinkCode.TooLarge]: 'the value is too large for one frame',
  [LinkCode.NoSession]:
    'the device restarted or another program took it over before this reached it: nothing was moved',
  [LinkCode.Forgotten]: 'the device no longer remembers this call: its outcome is unknown',
  [LinkCode.Version]: 'the device speaks another version of the link',
}

/** With these the device itself refused what it was asked for, and nothing was begun (section 9 of the norm). */
export const refusals: readonly number[] = [
  LinkCode.Unsupported,
  LinkCode.Unknown,
  LinkCode.BadArguments,
  LinkCode.OutOfRange,
  LinkCode.Busy,
  LinkCode.Interlocked,
  LinkCode.TooSoon,
  LinkCode.NotArmed,
]

/** With these nothing was begun, whether the device refused it or never met it. */
const notRun: readonly number[] = [...refusals, LinkCode.NoSession, LinkCode.Version]

/** What an error code means, for a reader who has to act on it. */
export function codeText(code: number): string {
  return texts[code] ?? (code < 0 ? `the device reports error ${code}` : `error ${code} of the link`)
}

/**
 * The device refused or failed, and says so. Thrown on a device from `set` or `read`, it chooses the code: negative
 * ones are the device's own.
 */
export class LinkError extends DeviceFailure {
  override readonly name = 'LinkError'
  override readonly outcome: DeviceFailure['outcome']
  readonly code: number

  /**
   * @param code one of {@link LinkCode}, or a negative number of the device's own
   * @param text what the device says of it; what the code means when left out
   */
  constructor(code: number, text?: string) {
    super(text === undefined || text === '' ? codeText(code) : text)
    this.code = code
    this.outcome = code === LinkCode.Forgotten ? 'unknown' : notRun.includes(code) ? 'refused' : 'failed'
  }
}

/** A call reached the line and its outcome never came back: it ran once, or not at all. Never repeat it blindly. */
export class UnknownOutcomeError extends DeviceFailure {
  override readonly name = 'UnknownOutcomeError'
  override readonly outcome = 'unknown'
}

/** The device cannot be reached, and nothing was moved by this request. */
export class LinkDownError extends DeviceFailure {
  override readonly name = 'LinkDownError'
  override readonly outcome = 'refused'
}
