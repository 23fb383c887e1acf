// Prints the link's figures: npx tsx test/link/figures.ts [damaged frames by kind of damage; 1 000 000]
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import {
  FrameWriter,
  LinkDevice,
  LinkHost,
  readFrame,
  readHostMessage,
  writeCbor,
} from '../../boards/remote/link/index.ts'
import { noisyLine, seeded } from './pair.ts'
import { vectorBoard } from './vector-board.ts'

const frames = Number(process.argv[2] ?? 1_000_000)
const random = seeded(1)

function callFrame(session: number, id: number, percent: number): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  writeCbor(writer, [4, session, id, 0, [percent, true]])
  return writer.end()
}

/** Damaged frames that the check lets through, and of those the ones that are a call that would be carried out. */
function misses(name: string, damage: (line: Uint8Array) => Uint8Array): void {
  const into = new Uint8Array(1024)
  let damaged = 0
  let taken = 0
  let calls = 0
  for (let i = 0; i < frames; i++) {
    const line = callFrame(0x4a21, 1 + Math.floor(random() * 22), Math.floor(random() * 101))
    const bad = damage(line.subarray(1, line.length - 1))
    if (bad.length === line.length - 2 && bad.every((byte, at) => byte === line[at + 1])) continue
    damaged++
    const from = bad.lastIndexOf(0xfe) + 1
    const newline = bad.indexOf(0x0a, from)
    const length = readFrame(bad, from, newline === -1 ? bad.length : newline, into)
    if (length === -1) continue
    const whole = readFrame(line, 1, line.length - 1, new Uint8Array(1024)) === length
    const message = readHostMessage(into, 0, length)
    taken++
    if (whole && message.kind === 'call' && message.session === 0x4a21 && message.actuator === 0) calls++
  }
  console.log(`${name}: ${damaged} damaged, ${taken} pass the check, ${calls} of them a call in this session`)
}

function flips(count: number): (line: Uint8Array) => Uint8Array {
  return line => {
    const bad = line.slice()
    for (let i = 0; i < count; i++) bad[Math.floor(random() * bad.length)]! ^= 1 << Math.floor(random() * 8)
    return bad
  }
}

async function bytesAndSpeed(): Promise<void> {
  const sizes: number[] = []
  let line = 0
  const ends: { host?: LinkHost; device?: LinkDevice } = {}
  const host = new LinkHost({
    outlet: {
      write: bytes => {
        line += bytes.length
        ends.device?.receive(bytes)
      },
    },
  })
  ends.host = host
  ends.device = new LinkDevice({
    board: vectorBoard(),
    id: 'x',
    boot: 1,
    outlet: {
      write: bytes => {
        line += bytes.length
        ends.host?.receive(bytes)
      },
    },
  })
  host.start()
  for (let i = 0; i < 5000; i++) {
    line = 0
    await host.call(0, [i % 101, i % 2 === 0])
    sizes.push(line)
  }
  sizes.sort((a, b) => a - b)
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  console.log(`bytes of a call, there and back: least ${sizes[0]}, mean ${mean.toFixed(1)}, most ${sizes.at(-1)}`)
  const calls = 50_000
  const cpu = process.cpuUsage()
  const start = performance.now()
  for (let i = 0; i < calls; i++) await host.call(0, [i % 101, true])
  const seconds = (performance.now() - start) / 1000
  const used = process.cpuUsage(cpu)
  console.log(
    `calls a second in memory: ${Math.round(calls / seconds)}; CPU of both sides: ${((used.user + used.system) / calls).toFixed(1)} µs a call`,
  )
  host.close()
  await ends.device.close()
}

function sizeOf(name: string, contents: string): void {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: new URL('../../boards/remote/link', import.meta.url).pathname, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    // The runtime is there anyway.
    external: ['../../../runtime/index.ts'],
  })
  const code = outputFiles[0]!.contents
  console.log(`${name}: ${code.length} bytes minified, ${gzipSync(code).length} gzipped`)
}

await bytesAndSpeed()
for (const count of [1, 2, 3, 4, 8]) misses(`${count} bits flipped`, flips(count))
misses('one byte in 15 flipped, lost or doubled', line => noisyLine(random, 15)(line))
sizeOf('both sides', "export * from './index.ts'")
sizeOf('the host', "export { LinkHost } from './host.ts'")
sizeOf('the device', "export { LinkDevice } from './device.ts'")
