import { type CborInput, FramePort, FrameWriter, readCbor, writeCbor } from '../../../boards/remote/link/index.ts'

/** A message as it travels. */
export function frameOf(message: CborInput | Uint8Array): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  if (message instanceof Uint8Array) for (const byte of message) writer.byte(byte)
  else writeCbor(writer, message)
  return writer.end()
}

/** What came: messages, by their bytes in hex, and text. A damaged frame is an error of the test. */
export function taken(bytes: Uint8Array): { frames: string[]; texts: string[] } {
  const frames: string[] = []
  const texts: string[] = []
  const port = new FramePort({
    outlet: { write() {} },
    onFrame: (message, length) => void frames.push(Buffer.from(message.subarray(0, length)).toString('hex')),
    onText: (line, start, end) => void texts.push(Buffer.from(line.subarray(start, end)).toString()),
    onDamaged() {
      throw new Error(`damaged: ${Buffer.from(bytes).toString('hex')}`)
    },
  })
  port.receive(bytes)
  return { frames, texts }
}

/** The messages that came, as items. */
export function messagesIn(bytes: Uint8Array): any[] {
  return taken(bytes).frames.map(hex => readCbor(Uint8Array.from(Buffer.from(hex, 'hex'))))
}
