import { setTimeout as delay } from 'node:timers/promises'

/** After so long a wait counts as failed. It asserts nothing: a machine under load takes its time. */
const patienceMs = 60_000

/** Waits for something that nobody tells, such as what the kernel does, and gives it. */
export async function until<T>(find: () => T | undefined | false, what: string): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = find()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`waited ${patienceMs / 1000} s for ${what}`)
    await delay(20)
  }
}
