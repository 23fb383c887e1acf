import type { KernelCalls } from '../kernel/kernel-calls.ts'

/** Writes where some bytes lie into a structure, in the size that this machine has. */
export function writePointer(kernel: KernelCalls, structure: Buffer, offset: number, to: Uint8Array): void {
  const address = kernel.addressOf(to)
  if (kernel.pointerBytes === 8) structure.writeBigUInt64LE(address, offset)
  else structure.writeUInt32LE(Number(address), offset)
}
