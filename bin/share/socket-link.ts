import type { Socket } from 'node:net'
import { Framer, type Link, type LinkReceiver } from '../../runtime/index.ts'

/** Bytes between lines with which a copy tells something of itself. No JSON text has them in it. */
export const signs = Object.freeze({
  /** Nothing more comes, and answers are still heard: named pipes cannot be closed in one direction only. */
  end: '\u0004',
  /** No call that moves anything runs, and none will come. */
  still: '\u0006',
})
const endByte = signs.end.charCodeAt(0)
const stillByte = signs.still.charCodeAt(0)

/**
 * A socket as a link.
 *
 * @param rest what was read of it already
 * @param still called when the other side begins nothing more that moves anything
 */
export function socketLink(socket: Socket, rest: Uint8Array, still: () => void): Link {
  return {
    open(receiver: LinkReceiver) {
      let ended = false
      const end = () => {
        if (ended) return
        ended = true
        receiver.end()
      }
      const read = (chunk: Uint8Array): void => {
        const at = chunk.indexOf(stillByte)
        if (at !== -1) {
          if (at > 0) receiver.bytes(chunk.subarray(0, at))
          still()
          return at + 1 < chunk.length ? read(chunk.subarray(at + 1)) : undefined
        }
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
