import { afterEach, describe, expect, it } from 'vitest'
import type { ByteStream } from '../../transports/serial/index.ts'
import { Recorder } from './recorder.ts'

/** A byte stream and what is at its other end. */
export interface StreamUnderTest {
  stream: ByteStream
  /** The peer sends. */
  send(bytes: Uint8Array | string): void
  /** What the peer has taken in. */
  heard(): string
  /** Resolves when the peer has taken in this text. */
  hears(text: string): Promise<void>
  /** The peer takes nothing in until it is called with `false`. */
  block(blocked: boolean): void
  /** The peer goes away. */
  leave(): void
  /** Clears up. */
  done(): void | Promise<void>
}

const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)

/** What every byte stream does, whatever is under it. */
export function byteStreamContract(kind: string, make: () => StreamUnderTest | Promise<StreamUnderTest>): void {
  describe(`${kind} as a byte stream`, () => {
    let used: StreamUnderTest | undefined
    const opened = async () => {
      used = await make()
      const recorder = new Recorder()
      await used.stream.open(recorder)
      return { ...used, recorder }
    }
    afterEach(async () => {
      await used?.stream.close('now')
      await used?.done()
    })

    it('carries every byte both ways as it is', async () => {
      const { stream, recorder, send, hears } = await opened()
      await stream.write(every)
      await hears(Buffer.from(every).toString('latin1'))
      send(every)
      await recorder.hears(Buffer.from(every).toString('latin1'))
    })

    it('sends texts as UTF-8, in the order of the calls', async () => {
      const { stream, hears } = await opened()
      stream.write('one ')
      stream.write(Buffer.from('two '))
      await stream.write('é\n')
      await hears(Buffer.from('one two é\n').toString('latin1'))
    })

    it('has a write wait while the peer takes nothing, and loses none of it', async () => {
      const { stream, block, hears, heard } = await opened()
      block(true)
      const text = `${'x'.repeat(8_000_000)}\n`
      let taken = false
      const written = stream.write(text).then(() => {
        taken = true
      })
      await new Promise(resolve => setImmediate(resolve))
      expect(taken).toBe(false)
      expect(stream.pendingBytes).toBe(text.length)
      block(false)
      await written
      expect(stream.pendingBytes).toBe(0)
      await hears('\n')
      expect(heard()).toBe(text)
    })

    it('reads while a write waits', async () => {
      const { stream, recorder, block, send, hears } = await opened()
      block(true)
      const written = stream.write(`${'x'.repeat(8_000_000)}\n`)
      send('here\n')
      await recorder.hears('here\n')
      block(false)
      await written
      await hears('\n')
    })

    it('gives nothing while it is paused, and everything after', async () => {
      const { stream, recorder, send, hears } = await opened()
      stream.pause()
      send('late\n')
      // What the peer heard afterwards, it heard after it had sent.
      await stream.write('ping\n')
      await hears('ping\n')
      expect(recorder.text).toBe('')
      stream.resume()
      await recorder.hears('late\n')
    })

    it('tells once, with a reason, that the peer left', async () => {
      const { stream, recorder, leave } = await opened()
      leave()
      await recorder.until(() => recorder.ends.length > 0)
      await expect(stream.write('x')).rejects.toMatchObject({ code: 'lost' })
      await stream.close()
      expect(recorder.ends).toEqual([expect.objectContaining({ code: 'lost' })])
      expect(recorder.ends[0]?.message).toContain(stream.name)
    })

    it('tells that the peer left while a write waits, which fails', async () => {
      const { stream, recorder, block, leave } = await opened()
      block(true)
      const written = stream.write('x'.repeat(8_000_000))
      await new Promise(resolve => setImmediate(resolve))
      leave()
      await expect(written).rejects.toMatchObject({ code: 'lost' })
      await recorder.until(() => recorder.ends.length === 1)
      expect(stream.pendingBytes).toBe(0)
    })

    it('sends what waits before it closes, and closes once', async () => {
      const { stream, recorder, hears } = await opened()
      stream.write('last words\n')
      await Promise.all([stream.close(), stream.close()])
      await stream.close()
      await hears('last words\n')
      expect(recorder.ends).toEqual([undefined])
      await expect(stream.write('x')).rejects.toMatchObject({ code: 'closed' })
    })
  })
}
