import { loadKernelCalls } from './koffi-calls.ts'

/**
 * The calls into the Linux kernel that pins and buses need and that Node lacks. One implementation goes through the package
 * `koffi`; tests hand in a kernel of their own, and an addon may take its place. What fails throws an `Error` whose
 * `code` is the kernel's word for it: `EBUSY`, `ENODEV`.
 */
export interface KernelCalls {
  /** The size of a pointer: structures that hold one differ between 32 and 64 bits. */
  readonly pointerBytes: 4 | 8
  /** Where bytes lie in memory, for structures that point at them. */
  addressOf(bytes: Uint8Array): bigint
  /** Opens a device for reading and writing. */
  open(path: string): number
  close(fd: number): void
  read(fd: number, into: Uint8Array): number
  /** ioctl(2), at once: for what the kernel answers without waiting for hardware. */
  ioctl(fd: number, request: number, argument: Uint8Array | number): number
  /** ioctl(2) in the thread pool: for a transfer on a bus. What the argument points at is kept until the call is over. */
  ioctlInPool(fd: number, request: number, argument: Uint8Array, pointedAt?: readonly Uint8Array[]): Promise<number>
  /** Tells each time that there is something to read, until the function returned is called; one thread serves all. */
  onReadable(fd: number, tell: () => void): () => void
}

/** What everything that is wired to a Linux board can be told about the system below it. */
export interface SystemOptions {
  /** Where the files of the system begin: `/`, or a folder with a copy of `sys`, `proc` and `dev`. */
  root?: string
  /** The calls into the kernel: those of this machine when left out. */
  kernel?: KernelCalls
}

/** The kernel that was handed in, or that of this machine. */
export function kernelOf({ kernel }: SystemOptions): KernelCalls {
  return kernel ?? loadKernelCalls()
}
