const pauseMs = 60_000

/** Says the same thing once a minute at most: who is turned away tries again, and a log is not theirs to fill. */
export function seldom(say: (text: string) => void, now: () => number = Date.now): (text: string) => void {
  let last = { text: '', at: 0 }
  return text => {
    const at = now()
    if (text === last.text && at - last.at < pauseMs) return
    last = { text, at }
    say(text)
  }
}
