import type { Socket } from 'node:net'
import { Framer, type Link, type LinkReceiver } from '../../runtime/index.ts'

/**
 * The last byte of a copy that has said everything, and still listens: no message has it in it. Named pipes cannot be
 * closed in one direction only.
 */
export const endOfTransmission = '\u0004'
const endByte = 0x04

/** A socket as a link, from some bytes on that were read already. */
export function socketLink(socket: Socket, rest: Uint8Array): Link {
  return {
    open(receiver: LinkReceiver) {
      let ended = false
      const end = () => {
        if (ended) return
        ended = true
        receiver.end()
      }
      const read = (chunk: Uint8Array) => {
        if (chunk[chunk.length - 1] !== endByte) return receiver.bytes(chunk)
        if (chunk.length > 1) receiver.bytes(chunk.subarray(0, -1))
        end()
      }
      socket.on('data', read)
      socket.on('drain', () => receiver.drained())
      socket.once('end', end)
      socket.once('close', () => {
        // Whoever waits for room would never see the end.
        receiver.drained()
        end()
      })
      if (rest.length > 0) read(rest)
      socket.resume()
    },
    write: text => socket.destroyed || socket.write(text),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  }
}

/** The first line may be that long. */
const longestFirstLine = 64 * 1024

/**
 * Reads the first line of a socket, and leaves it paused.
 *
 * @returns the line and what came behind it; nothing when there is none in time, or none that can be read
 */
export function firstLine(socket: Socket, withinMs: number): Promise<{ line: string; rest: Uint8Array } | undefined> {
  return new Promise(resolve => {
    let line: string | undefined
    const framer = new Framer({
      maxLineBytes: longestFirstLine,
      onLine(bytes, start, end) {
        line = Buffer.from(bytes.subarray(start, end)).toString()
        return false
      },
      onOverlong: () => done(undefined),
    })
    const read = (chunk: Buffer) => {
      const at = framer.push(chunk)
      if (line !== undefined) done({ line, rest: Buffer.from(chunk.subarray(at)) })
    }
    const over = () => done(undefined)
    const timer = setTimeout(over, withinMs)
    const done = (found: { line: string; rest: Uint8Array } | undefined) => {
      clearTimeout(timer)
      socket.pause()
      socket.off('data', read)
      socket.off('end', over)
      socket.off('close', over)
      resolve(found)
    }
    socket.on('error', () => {})
    socket.on('data', read)
    socket.once('end', over)
    socket.once('close', over)
    socket.resume()
  })
}
