import { setTimeout as delay } from 'node:timers/promises'
import { type FormSchema, RpcError, type Tool, tool } from '../../runtime/index.ts'

const form = (name: string): FormSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})

/** Tools that are tasks, or may be. */
export const taskTools: Record<string, Tool<any>> = {
  greet: tool({
    description: 'Greets at once.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    call: ({ name }) => `Hello, ${name}!`,
  }),
  slow_compute: tool({
    description: 'Takes that many seconds.',
    inputSchema: {
      type: 'object',
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      required: ['seconds'],
    },
    task: 'optional',
    async call({ seconds, label = 'it' }, { signal }) {
      await delay(seconds * 1000, undefined, { signal })
      return `Computed ${label} in ${seconds} s`
    },
  }),
  failing_job: tool({
    description: 'Fails after a second.',
    task: 'required',
    async call(_args, { signal }) {
      await delay(1000, undefined, { signal })
      throw new Error('This job always fails')
    },
  }),
  protocol_error_job: tool({
    description: 'Ends in an error of the protocol.',
    task: 'required',
    async call(_args, { signal }) {
      await delay(200, undefined, { signal })
      throw new RpcError(-32603, 'This job always ends so')
    },
  }),
  confirm_delete: tool({
    description: 'Asks before it deletes.',
    inputSchema: { type: 'object', properties: { filename: { type: 'string' } }, required: ['filename'] },
    task: 'required',
    async call({ filename }, call) {
      const answer = await call.elicit({
        message: `Really delete ${filename}?`,
        requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
      })
      return answer.action === 'accept' && answer.content.confirm ? `Deleted ${filename}` : 'Nothing was done'
    },
  }),
  multi_input: tool({
    description: 'Asks two things at once.',
    task: 'required',
    async call(_args, call) {
      const [first, second] = await Promise.all([
        call.elicit({ key: 'first', message: 'Who is the first?', requestedSchema: form('name') }),
        call.elicit({ key: 'second', message: 'Who is the second?', requestedSchema: form('name') }),
      ])
      return `${first.action} ${second.action}`
    },
  }),
  test_tool_with_task: tool({
    description: 'Asks for a name before it begins.',
    task: 'required',
    async ask(_args, call): Promise<string> {
      const answer = await call.elicit({ key: 'name', message: 'Who?', requestedSchema: form('name') })
      if (answer.action !== 'accept') throw new Error('Nothing was done')
      return String(answer.content.name)
    },
    async call(_args, { signal }, name) {
      await delay(200, undefined, { signal })
      return `Hello, ${name}!`
    },
  }),
}
