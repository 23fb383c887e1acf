// Writes the test vectors: npx tsx test/link/make-vectors.ts > docs/link-vectors.json
// They are checked by other means than those that made them: see vectors.test.ts.

import { describeBoard } from '../../boards/remote/link/board-records.ts'
import { hashOf } from '../../boards/remote/link/description.ts'
import {
  type CborInput,
  type DeviceMessage,
  deviceArray,
  FrameWriter,
  type HostMessage,
  hostArray,
  LinkDevice,
  readCbor,
  writeCbor,
} from '../../boards/remote/link/index.ts'
import type { Board } from '../../runtime/index.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { ruleBoard } from './rule-board.ts'
import { ruleStory } from './rule-story.ts'
import { vectorBoard } from './vector-board.ts'

const hex = (bytes: Uint8Array | readonly number[]) => Buffer.from(bytes as Uint8Array).toString('hex')
const ascii = (text: string) => [...Buffer.from(text, 'utf8')]

function cbor(item: CborInput): number[] {
  const bytes: number[] = []
  writeCbor({ byte: byte => void bytes.push(byte) }, item)
  return bytes
}

function frame(item: CborInput): number[] {
  const writer = new FrameWriter()
  writer.begin()
  for (const byte of cbor(item)) writer.byte(byte)
  return [...writer.end()]
}

function shown(item: CborInput): string {
  if (item instanceof Uint8Array) return `h'${hex(item)}'`
  if (Array.isArray(item)) return `[${item.map(shown).join(', ')}]`
  if (item instanceof Map) return `{${[...item].map(([key, value]) => `${shown(key)}: ${shown(value)}`).join(', ')}}`
  return JSON.stringify(item)
}

const session = 0x4a21
const toDevice: [string, HostMessage][] = [
  ['hello', { kind: 'hello', session, version: 1, members: new Map([[1, 1024]]) }],
  [
    'hello that asks for a fail-safe period of 2 s',
    {
      kind: 'hello',
      session,
      version: 1,
      members: new Map([
        [1, 1024],
        [2, 2000],
      ]),
    },
  ],
  ['ping', { kind: 'ping', session, id: -1 }],
  ['describe record 3', { kind: 'describe', session, id: -2, record: 3 }],
  ['read sensor 1', { kind: 'read', session, id: -3, sensor: 1 }],
  ['call of one integer and one boolean', { kind: 'call', session, id: 7, actuator: 3, args: [90, true] }],
  ['call without arguments', { kind: 'call', session, id: 8, actuator: 0, args: [] }],
  ['call whose first argument is left out', { kind: 'call', session, id: 9, actuator: 0, args: [null, 'night'] }],
  ['call with a half float', { kind: 'call', session, id: 10, actuator: 0, args: [22.5] }],
  ['call while the calls 9 and 10 are open', { kind: 'call', session, id: 11, actuator: 2, args: [-1], open: [9, 10] }],
  ['call with an id of two bytes', { kind: 'call', session, id: 24, actuator: 2, args: [65536, -256] }],
  ['cancel of call 7', { kind: 'cancel', session, id: 7 }],
  ['watch as described', { kind: 'watch', session, id: -4, sensor: 0 }],
  ['watch, at most every 250 ms', { kind: 'watch', session, id: -4, sensor: 0, minIntervalMs: 250 }],
  ['watch with a dead band of 0.5', { kind: 'watch', session, id: -4, sensor: 0, deadBand: 0.5 }],
  ['unwatch', { kind: 'unwatch', session, id: -5, sensor: 0 }],
  ['stop', { kind: 'stop', session, id: -21 }],
  ['arm', { kind: 'arm', session, id: -6, armed: true }],
  ['disarm', { kind: 'arm', session, id: -6, armed: false }],
]
const toHost: [string, DeviceMessage][] = [
  [
    'hello at boot',
    {
      kind: 'hello',
      session: 0,
      version: 1,
      members: new Map<number, any>([
        [1, 'pot'],
        [4, 0x12345678],
        [5, 4],
        [6, 17],
      ]),
    },
  ],
  [
    'hello as an answer',
    {
      kind: 'hello',
      session,
      version: 1,
      members: new Map<number, any>([
        [1, 'pot'],
        [2, Uint8Array.of(0xde, 0xad, 0x7d, 0xfe)],
        [3, '1.0'],
        [4, 0x12345678],
        [5, 4],
        [6, 17],
        [7, 64],
        [8, 1],
        [9, 5000],
        [10, 50],
        [12, 4],
      ]),
    },
  ],
  [
    'hello of a device whose outputs are not armed',
    {
      kind: 'hello',
      session,
      version: 1,
      members: new Map<number, any>([
        [1, 'shed'],
        [4, 0x12345678],
        [5, 4],
        [6, 17],
        [15, false],
      ]),
    },
  ],
  ['result without a value', { kind: 'result', session, id: 7, item: null, ageMs: 0 }],
  ['result of a reading', { kind: 'result', session, id: -3, item: 22.5, ageMs: 0 }],
  ['result of a reading that is 300 ms old', { kind: 'result', session, id: -3, item: 1013.25, ageMs: 300 }],
  ['result of a ping: 2 updates were sent', { kind: 'result', session, id: -1, item: 2, ageMs: 0 }],
  [
    'result with bytes that are all reserved',
    { kind: 'result', session, id: -3, item: Uint8Array.of(0xc0, 0xdf, 0xbd, 0xbf, 0x3e, 0x3f, 0xca, 0xcd), ageMs: 0 },
  ],
  ['error out of range', { kind: 'error', session, id: 7, code: 4 }],
  ['result of an arm: armed', { kind: 'result', session, id: -6, item: true, ageMs: 0 }],
  ['error interlocked', { kind: 'error', session, id: 7, code: 6, text: 'cooler is on' }],
  ['error too soon', { kind: 'error', session, id: 7, code: 7 }],
  ['error not armed', { kind: 'error', session, id: 7, code: 8 }],
  ['error of the sketch with text', { kind: 'error', session, id: 7, code: -1, text: 'door is locked' }],
  ['error: no such session', { kind: 'error', session: 0x4a22, id: 7, code: 14 }],
  ['update', { kind: 'update', session, sensor: 0, value: true, ageMs: 0 }],
  ['update: the sensor gives nothing', { kind: 'update', session, sensor: 0, value: null, ageMs: 0 }],
  ['progress: it goes on', { kind: 'progress', session, id: 7 }],
  ['progress 3 of 10', { kind: 'progress', session, id: 7, progress: 3, total: 10 }],
  ['progress with text', { kind: 'progress', session, id: 7, progress: 0.5, text: 'half' }],
  ['log', { kind: 'log', session: 0, severity: 6, text: 'grüß Gott' }],
]
const messages = [
  ...toDevice.map(([name, message]) => ({ name, to: 'device', item: hostArray(message) })),
  ...toHost.map(([name, message]) => ({ name, to: 'host', item: deviceArray(message) })),
].map(({ name, to, item }) => ({ name, to, diagnostic: shown(item), cbor: hex(cbor(item)), line: hex(frame(item)) }))

const a = frame([1, session, -1])
const b = frame([3, session, -3, 1])
const good = (item: CborInput) => ({ frame: hex(cbor(item)) })
const A = good([1, session, -1])
const B = good([3, session, -3, 1])
const text = (value: string) => ({ text: value })
const damaged = { damaged: true }
const flipped = (at: number, bit: number) => a.map((byte, index) => (index === at ? byte ^ bit : byte))
const inner = a.slice(1, -1)
const lines: [string, number[], object[]][] = [
  ['one frame', a, [A]],
  ['two frames', [...a, ...b], [A, B]],
  ['a frame behind text', [...ascii('adc: 512 '), ...a], [text('adc: 512 '), A]],
  ['text in UTF-8 in front', [...ascii('grüß Gott '), ...a], [text('grüß Gott '), A]],
  ['a line of text, then a frame', [...ascii('booting\r\n'), ...a], [text('booting'), A]],
  ['CR LF at the end', [...a.slice(0, -1), 0x0d, 0x0a], [A]],
  ['a carriage return within', [...a.slice(0, 4), 0x0d, ...a.slice(4)], [A]],
  ['empty lines', [0x0a, 0x0d, 0x0a, ...a], [A]],
  ['cut by a reset, boot text behind it, then a frame', [...a.slice(0, 5), ...ascii('ets Jun  8 2016'), ...b], [B]],
  ['cut by a newline', [...a.slice(0, 5), 0x0a, ...b], [damaged, B]],
  ['its newline lost: the next frame is taken', [...a.slice(0, -1), ...b], [B]],
  ['the marker doubled', [0xfe, ...a], [A]],
  ['the newline doubled', [...a, 0x0a], [A]],
  ['a byte doubled', [...a.slice(0, 3), a[2]!, ...a.slice(3)], [damaged]],
  ['a byte lost', [...a.slice(0, 3), ...a.slice(4)], [damaged]],
  ['a bit flipped in the message', flipped(2, 0x01), [damaged]],
  ['a bit flipped in the check', flipped(a.length - 2, 0x40), [damaged]],
  ['the marker lost: it looks like text', a.slice(1), [text(Buffer.from(inner).toString('latin1'))]],
  ['a control character within', [...a.slice(0, 4), 0x13, ...a.slice(4)], [damaged]],
  ['an escape at the end', [...a.slice(0, -1), 0x7d, 0x0a], [damaged]],
  ['an escape of a byte that needs none', [0xfe, 0x7d, inner[0]! ^ 0x20, ...inner.slice(1), 0x0a], [damaged]],
  ['a marker and nothing else', [0xfe, 0x0a], [damaged]],
  ['a check and nothing else', [0xfe, 0xc0, 0xc0, 0x0a], [damaged]],
  ['bytes of no meaning', [0x80, 0x00, 0xff, 0x7f, 0x0a, ...a], [text('\x80\x00\xff\x7f'), A]],
  [
    'a JSON message',
    ascii('{"jsonrpc":"2.0","id":1,"result":{}}\n'),
    [{ json: '{"jsonrpc":"2.0","id":1,"result":{}}' }],
  ],
  [
    'a JSON batch',
    ascii('[{"jsonrpc":"2.0","id":1,"result":{}}]\n'),
    [{ json: '[{"jsonrpc":"2.0","id":1,"result":{}}]' }],
  ],
  ['a log line that begins with a bracket', ascii('[I] wifi up\n'), [text('[I] wifi up')]],
  ['a frame behind a brace', [...ascii('{'), ...a], [text('{'), A]],
]

const refused: [string, string][] = [
  ['an integer in a longer head than needed', '1817'],
  ['an integer of two bytes that fits into one', '1900ff'],
  ['an integer of eight bytes that fits into four', '1b00000000ffffffff'],
  ['an integer beyond 2^53', '1b0020000000000000'],
  ['a length in a longer head than needed', '780161'],
  ['an array of indefinite length', '9f01ff'],
  ['a map of indefinite length', 'bf0102ff'],
  ['text of indefinite length', '7f6161ff'],
  ['a tag', 'c11a514b67b0'],
  ['a bignum', 'c249010000000000000000'],
  ['undefined', 'f7'],
  ['a simple value', 'e0'],
  ['a simple value of two bytes', 'f820'],
  ['not a number', 'f97e00'],
  ['infinity', 'f97c00'],
  ['keys out of order', 'a202000100'],
  ['a key twice', 'a201000100'],
  ['text keys out of order: the shorter one comes first', 'a262616100616200'],
  ['a key that is an array', 'a18000'],
  ['a key that is a float', 'a1f93c0000'],
  ['text that is no UTF-8', '61ff'],
  ['bytes behind the item', '0000'],
  ['an array that is cut', '8201'],
  ['an array that claims four billion members', '9affffffff'],
  ['text that claims more than there is', '7a00ffffff61'],
  ['a reserved head', '1c'],
  ['nothing', ''],
  ['nine arrays deep', `${'81'.repeat(9)}00`],
]

const skipped: [string, string, CborInput, string][] = [
  ['a kind that is unknown to the device', 'device', [10, session, -6, 1], 'answered with error 1'],
  ['a kind of the sketch', 'device', [-1, session, -6, 1], 'answered with error 1 where the sketch does not take it'],
  ['a kind that is unknown to the host', 'host', [18, session, 1], 'ignored'],
  ['more elements than known', 'device', [3, session, -3, 1, null, null, 'later'], 'taken as [3, session, -3, 1]'],
  [
    'an unknown key in a hello',
    'device',
    [
      0,
      session,
      1,
      new Map<number, any>([
        [1, 512],
        [100, [1, 2]],
      ]),
    ],
    'the key is skipped',
  ],
  ['no array', 'device', 5, 'ignored'],
  ['an empty array', 'device', [], 'ignored'],
  ['an arm without its value', 'device', [9, session, -6], 'ignored'],
  ['a call whose arguments are no array', 'device', [4, session, 7, 0, 5], 'ignored'],
]

type Step = { to: string; diagnostic: string; cbor: string } | { wait: number }

/** What goes between a host and a device: messages, and milliseconds that go by. */
async function exchange(board: Board, story: readonly (CborInput | { wait: number })[]): Promise<Step[]> {
  const steps: Step[] = []
  const clock = new OwnedClock()
  const reader: Uint8Array[] = []
  const device = new LinkDevice({
    board,
    outlet: { write: bytes => void reader.push(bytes) },
    clock,
    id: 'V1',
    boot: 17,
    calls: 1,
  })
  device.start()
  reader.splice(0)
  for (const next of story) {
    if (isWait(next)) {
      steps.push({ wait: next.wait })
      await clock.advance(next.wait)
    } else {
      steps.push({ to: 'device', diagnostic: shown(next), cbor: hex(cbor(next)) })
      device.receive(Uint8Array.from(frame(next)))
      await settled()
    }
    for (const line of reader.splice(0)) steps.push({ to: 'host', ...answerOf(line) })
  }
  return steps
}

function isWait(next: CborInput | { wait: number }): next is { wait: number } {
  return typeof next === 'object' && next !== null && 'wait' in next
}

const plainStory: CborInput[] = [
  [0, session, 1, new Map([[1, 1024]])],
  [3, session, -1, 0],
  [4, session, 1, 0, [50, true]],
  [4, session, 1, 0, [50, true]],
  [4, session, 2, 0, [101, true]],
  [4, session, 2, 0, [101, true]],
  [4, session, 3, 0, [50]],
  [4, session, 4, 0, [50.5, true]],
  [4, session, 5, 9, []],
  [4, session, 1, 0, [60, true]],
  [3, session, -2, 9],
  [4, session ^ 1, 6, 0, [70, true]],
  [6, session, -3, 1],
  [7, session, -4, 1],
  [1, session, -5],
  [10, session, -6, 1],
  [8, 1, -21],
  [3, session, -7, 0],
]

function answerOf(line: Uint8Array): { diagnostic: string; cbor: string } {
  const bytes: number[] = []
  for (let at = 1; at < line.length - 1; at++) bytes.push((line[at] === 0x7d ? line[++at]! ^ 0x20 : line[at]!) ^ 0xc0)
  const item = readCbor(Uint8Array.from(bytes.slice(0, -2)))
  return { diagnostic: shown(item), cbor: hex(bytes.slice(0, -2)) }
}

function described(board: Board): object {
  const { records, hash } = describeBoard(board)
  return {
    records: records.map(record => hex(cbor(record))),
    diagnostic: records.map(record => shown(readCbor(Uint8Array.from(cbor(record))))),
    hash,
  }
}

process.stdout.write(
  `${JSON.stringify(
    {
      about:
        'Test vectors of the link: see link.md. Bytes are in hex. Text that is no UTF-8 stands as one character a byte.',
      fcs: [
        { text: '123456789', fcs: '906e', sent: '6e90' },
        { text: '', fcs: '0000', sent: '0000' },
      ],
      hash: [{ records: [], hash: hashOf([]) }, described(vectorBoard()), described(ruleBoard().board)],
      messages,
      lines: lines.map(([name, bytes, gives]) => ({ name, line: hex(bytes), gives })),
      refused: refused.map(([name, bytes]) => ({ name, cbor: bytes })),
      skipped: skipped.map(([name, to, item, what]) => ({
        name,
        to,
        diagnostic: shown(item),
        cbor: hex(cbor(item)),
        what,
      })),
      exchange: {
        about:
          'In order, with the board of the second hash, boot 17, one call at a time, the fan off at first. Other devices differ in the members of the hello and in texts.',
        steps: await exchange(vectorBoard(), plainStory),
      },
      rules: {
        about:
          'In order, after its hello at boot, with the board of the third hash, boot 17, one call at a time, every output in its initial or safe state. Where a step says wait, so many milliseconds go by without a frame, and the device has its turn at the end of them. Other devices differ in the members of the hello, in texts, and in what else they log.',
        steps: await exchange(ruleBoard().board, ruleStory),
      },
    },
    null,
    2,
  )}\n`,
)
