/**
 * What the extension io.modelcontextprotocol/tasks of 2026-07-28 says of its messages. The official schemas of
 * `@modelcontextprotocol/core` end where extensions begin, so these follow the extension's own text.
 */
import * as core from '@modelcontextprotocol/core'
import * as z from 'zod'

const time = z.iso.datetime()
const milliseconds = z.int().positive()
const fields = {
  taskId: z.string().regex(/^[\x21-\x7e]{22,}$/, 'no id that is hard to guess and fits a header'),
  statusMessage: z.string().min(1).optional(),
  createdAt: time,
  lastUpdatedAt: time,
  ttlMs: z.union([milliseconds, z.null()]),
  pollIntervalMs: milliseconds.optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
}
const question = z.looseObject({ method: z.enum(['elicitation/create', 'sampling/createMessage', 'roots/list']) })
const asked = z
  .record(z.string(), question)
  .refine(requests => Object.keys(requests).length > 0, 'inputRequests must hold what is asked')
const error = z.strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() })

/** The states of a task with what each of them brings, and nothing that belongs to another. */
const states = [
  z.strictObject({ ...fields, status: z.literal('working') }),
  z.strictObject({ ...fields, status: z.literal('input_required'), inputRequests: asked }),
  z.strictObject({ ...fields, status: z.literal('completed'), result: core.CallToolResultSchema }),
  z.strictObject({ ...fields, status: z.literal('failed'), error }),
  z.strictObject({ ...fields, status: z.literal('cancelled') }),
] as const

/** The answer to a `tools/call` that began a task. */
export const CreateTaskResultSchema = z.strictObject({
  ...fields,
  resultType: z.literal('task'),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
})

const complete = { resultType: z.literal('complete') }

/** The answer to `tasks/get`. */
export const GetTaskResultSchema = z.discriminatedUnion('status', [
  states[0].extend(complete),
  states[1].extend(complete),
  states[2].extend(complete),
  states[3].extend(complete),
  states[4].extend(complete),
])

/** The answer to `tasks/update` and to `tasks/cancel`. */
export const TaskAcknowledgementSchema = z.strictObject({ ...complete, _meta: fields._meta })

/** What a subscription hears of a task. */
export const TaskNotificationSchema = z.strictObject({
  method: z.literal('notifications/tasks'),
  params: z.discriminatedUnion('status', [...states]),
})
