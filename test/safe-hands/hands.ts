import { type Actuator, type Board, createServer, type RecordEntry, type ServerOptions } from '../../runtime/index.ts'
import { modernMeta, TestClient } from '../memory-client.ts'
import { OwnedClock } from '../owned-clock.ts'

/** A board of outputs that remember where they were put, and when. */
export function hands(
  actuators: Record<string, Partial<Actuator<any>>>,
  options: ServerOptions & { board?: Partial<Board> } = {},
) {
  const clock = new OwnedClock()
  const at: Record<string, unknown> = {}
  const moves: { name: string; args: any; time: number }[] = []
  const told: string[] = []
  const record: RecordEntry[] = []
  const board: Board = {
    name: 'rig',
    ...options.board,
    actuators: Object.fromEntries(
      Object.entries(actuators).map(([name, rules]): [string, Actuator<any>] => {
        const onOff = {
          type: 'object',
          properties: { on: { type: 'boolean' } },
          required: ['on'],
          additionalProperties: false,
        }
        const actuator: Actuator<any> = {
          inputSchema: onOff,
          safe: { on: false },
          set(args) {
            at[name] = args
            moves.push({ name, args, time: clock.now() })
          },
          ...rules,
        }
        return [name, actuator]
      }),
    ),
  }
  const server = createServer(board, {
    clock,
    diagnose: text => told.push(text),
    recorder: {
      record: entry => void record.push(entry),
      begin: entry => ({
        ready: undefined,
        end: how => {
          record.push({ ...entry, ...how })
          return undefined
        },
      }),
    },
    ...options,
  })
  const client = new TestClient(server)
  const call = async (name: string, args: object = {}, meta: object = modernMeta(), more: object = {}) => {
    const { result, error } = await client.modern('tools/call', { name, arguments: args, ...more }, meta)
    return { ...(result ?? {}), error, text: result?.content?.[0]?.text as string }
  }
  /** Works an output, and tells what it was refused with, or nothing. */
  const set = async (name: string, args: object) => {
    const { isError, text } = await call(name, args)
    return isError === true ? text : undefined
  }
  return { server, client, clock, call, set, at, moves, told, record }
}

export const on = { on: true }
export const off = { on: false }
export const speed = {
  inputSchema: {
    type: 'object',
    properties: { rpm: { type: 'number', minimum: 0, maximum: 1000 } },
    required: ['rpm'],
  },
  safe: { rpm: 0 },
} as const
