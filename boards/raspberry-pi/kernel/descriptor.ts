import { HardwareError, hardwareError } from '../hardware-error.ts'
import type { KernelCalls } from './kernel-calls.ts'

/** Something that the kernel gave to this program: a line, a place on a bus. Once closed it is closed for good. */
export class Descriptor {
  readonly kernel: KernelCalls
  /** What messages call it. */
  readonly title: string
  readonly #advice: Record<string, string>
  /** Gone once it is closed: its number may be another's by then. */
  #fd: number | undefined

  /** @param advice what is said for a code of the kernel, in the place of the usual words */
  constructor(kernel: KernelCalls, fd: number, title: string, advice: Record<string, string> = {}) {
    this.kernel = kernel
    this.#fd = fd
    this.title = title
    this.#advice = advice
  }

  get closed(): boolean {
    return this.#fd === undefined
  }

  /** Makes a call with it; what fails is told with its title. */
  use<Result>(call: (kernel: KernelCalls, fd: number) => Result): Result {
    try {
      return call(this.kernel, this.#held())
    } catch (thrown) {
      throw hardwareError(this.title, thrown, this.#advice)
    }
  }

  /** The same for a call that waits. */
  async useInPool<Result>(call: (kernel: KernelCalls, fd: number) => Promise<Result>): Promise<Result> {
    try {
      return await call(this.kernel, this.#held())
    } catch (thrown) {
      throw hardwareError(this.title, thrown, this.#advice)
    }
  }

  /** Gives it back, unless that was done before. */
  close(): void {
    const fd = this.#fd
    this.#fd = undefined
    if (fd !== undefined) this.kernel.close(fd)
  }

  #held(): number {
    if (this.#fd === undefined) throw new HardwareError('EBADF', `${this.title} is closed`)
    return this.#fd
  }
}
