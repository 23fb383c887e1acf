// Writes the seeds of the fuzzer from the vectors: npx tsx test/microcontroller/seeds.ts
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type CborInput, writeCbor } from '../../boards/remote/link/index.ts'

interface Vectors {
  messages: { name: string; to: string; cbor: string }[]
  lines: { name: string; line: string }[]
  refused: { name: string; cbor: string }[]
  exchange: { steps: { to: string; cbor: string }[] }
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../docs/link-vectors.json', import.meta.url), 'utf8'))
const folder = new URL('corpus/', import.meta.url)
mkdirSync(folder, { recursive: true })

const bytes = (hex: string) => [...Buffer.from(hex, 'hex')]
const framed = (message: number[]) => [0x80 + message.length, ...message]
const raw = (line: number[]) => [0x80, line.length, ...line]
const later = (ms: number) => Array<number>(Math.ceil(ms / 127)).fill(127)

function message(item: CborInput): number[] {
  const written: number[] = []
  writeCbor({ byte: byte => void written.push(byte) }, item)
  return framed(written)
}

function seed(name: string, ...parts: number[][]): void {
  const file = `${name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}`
  writeFileSync(new URL(file, folder), Uint8Array.from(parts.flat()))
}

const hello = framed(bytes(vectors.messages[0]!.cbor))
for (const { name, to, cbor } of vectors.messages) if (to === 'device') seed(name, hello, framed(bytes(cbor)), [50])
for (const { name, line } of vectors.lines) seed(`line ${name}`, hello, raw(bytes(line)))
for (const { name, cbor } of vectors.refused) {
  seed(`refused ${name}`, hello, framed([0x85, 0x04, 0x19, 0x4a, 0x21, 0x07, 0x00, 0x81, ...bytes(cbor)]))
}
seed('exchange', ...vectors.exchange.steps.filter(({ to }) => to === 'device').map(({ cbor }) => framed(bytes(cbor))))

const session = 0x4a21
const call = (id: number, actuator: number, ...args: CborInput[]) => message([4, session, id, actuator, args])
seed('rules', hello, call(1, 2, true), call(2, 2, true), later(1000), call(3, 2, true), later(3000), call(4, 2, true))
seed('group', hello, call(1, 3, true), call(2, 4, true), call(3, 3, false), call(4, 4, true))
seed('rate', hello, call(1, 1, 19.5), later(500), call(2, 1, 20.5), call(3, 1, 30.5), call(4, 1, 5))
seed('arming', hello, call(1, 5, true), message([9, session, -1, true]), call(2, 5, true), message([8, 1, -2]))
seed('long move', hello, call(1, 6, 70, 5), later(200), call(2, 0, 9, true), call(1, 6, 70, 5), later(400))
seed(
  'cancel',
  hello,
  call(1, 6, 70),
  later(60),
  message([5, session, 1]),
  message([5, session, 9]),
  call(9, 0, 1, true),
)
seed('too long', hello, call(1, 6, 99), later(2500))
seed('texts', hello, call(1, 7, 'day', 'abc'), call(2, 7, 'nächtens', null, Uint8Array.of(1, 2)), call(3, 7, 'x'))
seed('watches', hello, message([6, session, -1, 0, 20, 0.5]), [20, 30, 70], message([6, session, -2, 3]), later(600))
seed('describe', hello, ...Array.from({ length: 30 }, (_, record) => message([2, session, -3, record])))
seed('copies', hello, call(200, 0, 5, true), call(200, 0, 5, true), call(71, 0, 6, true), call(200, 0, 7, true))
seed('silence', message([0, session, 1, new Map([[2, 500]])]), call(1, 0, 90, true), later(700), call(2, 0, 9, true))
