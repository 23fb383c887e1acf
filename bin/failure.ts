/** What the command tells the person before it ends: a message without a stack, and the exit code. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The exit codes of every command, as its help lists them. */
export const exitCodes = Object.freeze({ ok: 0, failed: 1, wrongUse: 2 })
