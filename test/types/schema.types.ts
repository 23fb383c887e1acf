import * as v from 'valibot'
import * as z from 'zod'
import { type Actuator, actuator } from '../../runtime/board.ts'
import { tool } from '../../runtime/definitions.ts'
import { withJsonSchema } from '../../runtime/schema/standard.ts'
import type { ArgumentsOf, FromSchema, JsonSchema } from '../../runtime/schema/types.ts'

// Compiled by `npm run typecheck`, never run: a line that is wrong does not compile.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

function same<A, B>(..._: Equal<A, B> extends true ? [] : ['the types differ', A, B]): void {}

// Equal tells types apart at all.
// @ts-expect-error
same<{ a: number }, { a: string }>()
// @ts-expect-error
same<{ a: number }, { a?: number }>()
// @ts-expect-error
same<any, { a: number }>()

// Scalars, lists and objects of a JSON Schema literal
same<FromSchema<{ type: 'string' }>, string>()
same<FromSchema<{ type: 'integer' }>, number>()
same<FromSchema<{ type: 'boolean' }>, boolean>()
same<FromSchema<{ type: 'null' }>, null>()
same<FromSchema<{ readonly type: readonly ['number', 'null'] }>, number | null>()
same<FromSchema<{ readonly enum: readonly ['auto', 'off', 3] }>, 'auto' | 'off' | 3>()
same<FromSchema<{ const: 'on' }>, 'on'>()
same<FromSchema<{ type: 'array' }>, unknown[]>()
same<FromSchema<{ type: 'array'; items: { type: 'number' } }>, number[]>()
same<FromSchema<{ type: 'object' }>, Record<string, unknown>>()
same<FromSchema<{ type: 'object'; properties: { a: { type: 'number' } } }>, { a?: number }>()
same<
  FromSchema<{
    type: 'object'
    properties: { a: { type: 'number' }; b: { type: 'object'; properties: { c: true }; required: ['c'] } }
    required: ['a']
  }>,
  { a: number; b?: { c: unknown } }
>()
same<FromSchema<{ anyOf: [{ type: 'string' }] }>, unknown>()
same<FromSchema<JsonSchema>, Record<string, unknown>>()

// What handlers are given
same<ArgumentsOf<JsonSchema>, Record<string, unknown>>()
same<ArgumentsOf<{ $ref: '#/$defs/a' }>, Record<string, unknown>>()
same<ArgumentsOf<undefined>, Record<string, never>>()
same<ArgumentsOf<any>, any>()

// A JSON Schema written in place
actuator({
  inputSchema: {
    type: 'object',
    properties: {
      percent: { type: 'number', minimum: 0, maximum: 100 },
      mode: { enum: ['auto', 'off'] },
      steps: { type: 'array', items: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] } },
    },
    required: ['percent'],
    additionalProperties: false,
  },
  safe: { percent: 0 },
  set: (args, call) => {
    same<typeof args, { percent: number; mode?: 'auto' | 'off'; steps?: { ms: number }[] }>()
    same<typeof call.signal, AbortSignal>()
  },
})

actuator({
  inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
  // @ts-expect-error the safe state has to fit the schema
  safe: { on: 'no' },
  set({ on }) {
    same<typeof on, boolean>()
  },
})

actuator({
  inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
  safe: null,
  // @ts-expect-error there is no such argument
  set: ({ off }) => off,
})

// A schema kept in a constant
const angle = {
  type: 'object',
  properties: { degrees: { type: 'number' }, quiet: { type: 'boolean' } },
  required: ['degrees'],
} as const
actuator({
  inputSchema: angle,
  safe: { degrees: 90 },
  set: args => same<typeof args, { degrees: number; quiet?: boolean }>(),
})

// A schema that is only known at run time
const loaded: JsonSchema = JSON.parse('{"type":"object"}')
actuator({ inputSchema: loaded, safe: {}, set: args => same<typeof args, Record<string, unknown>>() })

// No schema: no arguments
actuator({ safe: {}, set: args => same<typeof args, Record<string, never>>() })

// zod
actuator({
  inputSchema: z.object({ percent: z.number().max(100), on: z.boolean().default(true), at: z.string().optional() }),
  safe: { percent: 0, on: false },
  set: args => same<typeof args, { percent: number; on: boolean; at?: string | undefined }>(),
})

// zod with a transformation: the handler is given the output
actuator({
  inputSchema: z.object({ ms: z.string().transform(Number) }),
  safe: { ms: 0 },
  set: args => same<typeof args, { ms: number }>(),
})

// valibot, which needs its JSON Schema beside it
actuator({
  inputSchema: withJsonSchema(v.object({ percent: v.pipe(v.number(), v.maxValue(100)) }), {
    type: 'object',
    properties: { percent: { type: 'number', maximum: 100 } },
    required: ['percent'],
  }),
  safe: { percent: 0 },
  set: args => same<typeof args, { percent: number }>(),
})

// A board's table takes them all
const table: Record<string, Actuator<any>> = {
  fan: actuator({ inputSchema: angle, safe: null, set: ({ degrees }) => degrees }),
  lamp: actuator({ inputSchema: z.object({ on: z.boolean() }), safe: { on: false }, set: ({ on }) => on }),
  bell: actuator({ safe: null, set: () => 'ding' }),
}

export { table }

// What a tool's `ask` returned is what its `call` is given
tool({
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  ask: async ({ a }) => a.length,
  call: ({ a }, _call, asked) => {
    same<typeof a, string>()
    same<typeof asked, number>()
  },
})
tool({
  call: (_args, _call, asked) => {
    same<typeof asked, undefined>()
  },
})
