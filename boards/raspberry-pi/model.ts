import { join } from 'node:path'
import type { SystemOptions } from './kernel/kernel-calls.ts'
import { textOf } from './sysfs/quantity.ts'

/** What the board says it is: `Raspberry Pi 5 Model B Rev 1.0`. Undefined on a machine without a device tree. */
export function boardModel({ root = '/' }: SystemOptions = {}): string | undefined {
  return textOf(join(root, 'proc/device-tree/model'))?.replace(/\0+$/, '')
}
