import { FrameWriter, writeCbor } from '../../boards/remote/link/index.ts'

/** A frame of the host, as it travels. */
export function frame(message: Parameters<typeof writeCbor>[1]): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  writeCbor(writer, message)
  return writer.end().slice()
}
