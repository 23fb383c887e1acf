import type { KernelCalls } from '../kernel/kernel-calls.ts'

/**
 * The GPIO character device, version 2 (linux/gpio.h, since Linux 5.10): structures as bytes. They hold no pointers and
 * are the same on 32 and 64 bits.
 */

const GPIO_GET_CHIPINFO_IOCTL = 0x8044b401
const GPIO_V2_GET_LINEINFO_IOCTL = 0xc100b405
const GPIO_V2_GET_LINE_IOCTL = 0xc250b407
const GPIO_V2_LINE_SET_CONFIG_IOCTL = 0xc110b40d
const GPIO_V2_LINE_GET_VALUES_IOCTL = 0xc010b40e
const GPIO_V2_LINE_SET_VALUES_IOCTL = 0xc010b40f

const GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES = 2
const GPIO_V2_LINE_ATTR_ID_DEBOUNCE = 3
const GPIO_V2_LINE_EVENT_RISING_EDGE = 1

/** GPIO_V2_LINE_FLAG_*. */
export const LineFlag = Object.freeze({
  USED: 1,
  ACTIVE_LOW: 2,
  INPUT: 4,
  OUTPUT: 8,
  EDGE_RISING: 16,
  EDGE_FALLING: 32,
  OPEN_DRAIN: 64,
  OPEN_SOURCE: 128,
  BIAS_PULL_UP: 256,
  BIAS_PULL_DOWN: 512,
  BIAS_DISABLED: 1024,
})

/** A controller: `struct gpiochip_info`. */
export interface ChipInfo {
  name: string
  label: string
  lines: number
}

/** A line as anybody may see it: `struct gpio_v2_line_info`. */
export interface LineInfo {
  /** What the device tree calls it; empty when it has no name. */
  name: string
  /** Who has it; empty when nobody does. */
  consumer: string
  flags: number
}

/** How a line is taken: `struct gpio_v2_line_config`, for one line. */
export interface LineConfig {
  flags: number
  /** The logical level of an output. */
  value?: boolean
  debounceMs?: number
}

/** An edge: `struct gpio_v2_line_event`. */
export interface LineEvent {
  /** The logical level after it. */
  value: boolean
  /** Monotonic time in milliseconds. */
  timeMs: number
}

const text = (bytes: Buffer, offset: number) => bytes.toString('utf8', offset, offset + 32).replace(/\0.*$/s, '')

/** What a controller says of itself. */
export function chipInfo(kernel: KernelCalls, chip: number): ChipInfo {
  const info = Buffer.alloc(68)
  kernel.ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, info)
  return { name: text(info, 0), label: text(info, 32), lines: info.readUInt32LE(64) }
}

/** What the controller says of a line, whoever has it. */
export function lineInfo(kernel: KernelCalls, chip: number, offset: number): LineInfo {
  const info = Buffer.alloc(256)
  info.writeUInt32LE(offset, 64)
  kernel.ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, info)
  return { name: text(info, 0), consumer: text(info, 32), flags: Number(info.readBigUInt64LE(72)) }
}

/** Edges that wait until they are read; of more, the oldest are lost. The kernel's own choice is 16. */
const mostWaiting = 128

/** Takes one line, with its direction and level in one step. Gives the descriptor of the line. */
export function requestLine(
  kernel: KernelCalls,
  chip: number,
  { offset, consumer, config }: { offset: number; consumer: string; config: LineConfig },
): number {
  const request = Buffer.alloc(592)
  request.writeUInt32LE(offset, 0)
  request.write(consumer, 256, 31)
  lineConfig(config).copy(request, 288)
  request.writeUInt32LE(1, 560)
  request.writeUInt32LE(mostWaiting, 564)
  kernel.ioctl(chip, GPIO_V2_GET_LINE_IOCTL, request)
  return request.readInt32LE(588)
}

/** Changes how a line is taken, without letting go of it. */
export function configureLine(kernel: KernelCalls, line: number, config: LineConfig): void {
  kernel.ioctl(line, GPIO_V2_LINE_SET_CONFIG_IOCTL, lineConfig(config))
}

function lineConfig({ flags, value, debounceMs }: LineConfig): Buffer {
  const config = Buffer.alloc(272)
  let attributes = 0
  const attribute = (id: number, content: number) => {
    const start = 32 + 24 * attributes++
    config.writeUInt32LE(id, start)
    config.writeUInt32LE(content, start + 8)
    config.writeUInt32LE(1, start + 16)
  }
  config.writeBigUInt64LE(BigInt(flags), 0)
  if (value !== undefined) attribute(GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES, Number(value))
  if (debounceMs !== undefined) attribute(GPIO_V2_LINE_ATTR_ID_DEBOUNCE, Math.round(debounceMs * 1000))
  config.writeUInt32LE(attributes, 8)
  return config
}

/** The logical level of a line that is held. */
export function lineValue(kernel: KernelCalls, line: number): boolean {
  const values = Buffer.alloc(16)
  values[8] = 1
  kernel.ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, values)
  return values[0] === 1
}

/** Sets the logical level of an output that is held. */
export function setLineValue(kernel: KernelCalls, line: number, value: boolean): void {
  const values = Buffer.alloc(16)
  values[0] = Number(value)
  values[8] = 1
  kernel.ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, values)
}

const eventBytes = 48

/** The edges that wait on a line. Call it only when there are some: the kernel waits for the first one. */
export function lineEvents(kernel: KernelCalls, line: number): LineEvent[] {
  const bytes = Buffer.alloc(eventBytes * 16)
  const length = kernel.read(line, bytes)
  return Array.from({ length: Math.floor(length / eventBytes) }, (_, i) => ({
    value: bytes.readUInt32LE(i * eventBytes + 8) === GPIO_V2_LINE_EVENT_RISING_EDGE,
    timeMs: Number(bytes.readBigUInt64LE(i * eventBytes)) / 1e6,
  }))
}
