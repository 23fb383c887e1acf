/** What a side of the link has seen, for `doctor` and for tests. All begin at 0 and only rise. */
export interface LinkCounters {
  /** Good frames that came in, and frames that were written. */
  framesIn: number
  framesOut: number
  /** Bytes of the line, newlines and escapes included. */
  bytesIn: number
  bytesOut: number
  /** Frames that were cut or damaged, or whose message breaks the rules. */
  damaged: number
  /** Messages of kinds that are unknown here. */
  unknown: number
  /** Answers that nobody waits for any more, or frames of another session: dropped. */
  late: number
  /** Messages that were sent again. */
  repeats: number
  /** Sessions that were opened, and restarts of the device that were seen. */
  sessions: number
  restarts: number
}

/** Counters that stand at 0. */
export function newCounters(): LinkCounters {
  return {
    framesIn: 0,
    framesOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    damaged: 0,
    unknown: 0,
    late: 0,
    repeats: 0,
    sessions: 0,
    restarts: 0,
  }
}
