/**
 * A server with something of everything, for the official clients to drive over real pipes:
 *
 *   npx tsx test/official/fixture.ts [pages | http]
 *
 * With `pages` its lists are long and its messages short, so that every list takes several pages. With `http` it is served
 * at the URL that it prints.
 */
import * as v from 'valibot'
import { z } from 'zod'
import { simulatedGreenhouse } from '../../boards/simulated/index.ts'
import {
  type Call,
  createServer,
  type Prompt,
  prompt,
  type Resource,
  type ResourceTemplate,
  resourceNotFound,
  type Tool,
  tool,
  withJsonSchema,
} from '../../runtime/index.ts'
import { http } from '../../transports/http/index.ts'
import { stdio } from '../../transports/stdio/index.ts'

const pages = process.argv[2] === 'pages'

/** The smallest PNG: one transparent pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** A WAV file of no samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const herbs = ['basil', 'bay', 'chives', 'coriander', 'dill', 'mint', 'oregano', 'parsley', 'rosemary', 'sage', 'thyme']
const startingWith = (typed: string) => herbs.filter(herb => herb.startsWith(typed))

const noteUri = 'note://today'
let note = 'Nothing to report'
const noteWatchers = new Set<() => void>()

let goOn = () => {}

/** Why calls of `wait` ended, so that a client can ask for it afterwards. */
const brokenOff: string[] = []

const nameForm = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 1 },
    pots: { type: 'integer', minimum: 1, maximum: 20, default: 3 },
    organic: { type: 'boolean' },
    soil: { type: 'string', enum: ['loam', 'sand', 'clay'] },
    herbs: { type: 'array', items: { type: 'string', enum: herbs } },
  },
  required: ['name'],
} as const

const haiku = {
  messages: [{ role: 'user', content: { type: 'text', text: 'A haiku on moss, please' } }],
  maxTokens: 60,
}

const tools: Record<string, Tool<any>> = {
  zod_sum: tool({
    title: 'Sum',
    description: 'Adds numbers; its schemas are written with zod.',
    inputSchema: z.object({ numbers: z.array(z.number()).min(1).describe('What to add') }),
    outputSchema: z.object({ sum: z.number() }),
    annotations: { readOnlyHint: true },
    call: ({ numbers }) => ({ sum: numbers.reduce((a: number, b: number) => a + b, 0) }),
  }),
  valibot_shout: tool({
    description: 'Answers in capitals; its schema is written with valibot.',
    inputSchema: withJsonSchema(v.object({ text: v.pipe(v.string(), v.trim(), v.minLength(1)) }), {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    }),
    call: ({ text }) => text.toUpperCase(),
  }),
  json_repeat: tool({
    description: 'Repeats a text; its schema is written as JSON Schema.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, times: { type: 'integer', minimum: 1, maximum: 9, default: 2 } },
      required: ['text'],
      additionalProperties: false,
    },
    call: ({ text, times }) => (text as string).repeat((times as number | undefined) ?? 2),
  }),
  herb_list: tool({
    description: 'A structured answer with an array at its root.',
    outputSchema: { type: 'array', items: { type: 'string' } },
    call: () => herbs.slice(0, 3),
  }),
  herb_count: tool({
    description: 'A structured answer that is a bare number.',
    outputSchema: { type: 'integer' },
    call: () => herbs.length,
  }),
  picture: tool({
    description: 'An image.',
    call: () => [
      { type: 'image', data: png, mimeType: 'image/png', annotations: { audience: ['user'], priority: 0.5 } },
    ],
  }),
  sound: tool({ description: 'A sound.', call: () => [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  embedded: tool({
    description: 'A note and a picture as embedded resources.',
    call: () => [
      { type: 'resource', resource: { uri: noteUri, mimeType: 'text/plain', text: note } },
      { type: 'resource', resource: { uri: 'picture://pixel', mimeType: 'image/png', blob: png } },
    ],
  }),
  linked: tool({
    description: 'A link to the note.',
    call: () => [
      { type: 'resource_link', uri: noteUri, name: 'today', title: 'Note of today', mimeType: 'text/plain' },
    ],
  }),
  nothing: tool({ description: 'Answers nothing.', call: () => undefined }),

  ask_form: tool({
    description: 'Asks the person to fill in a form.',
    async call(_, call) {
      const answer = await call.elicit({ message: 'What shall we plant?', requestedSchema: nameForm })
      return answer.action === 'accept' ? `planting ${JSON.stringify(answer.content)}` : `person: ${answer.action}`
    },
  }),
  ask_page: tool({
    description: 'Shows the person a page.',
    async call(_, call) {
      const { action } = await call.elicit({ message: 'Please sign in', url: 'https://example.com/sign-in?state=17' })
      return `page: ${action}`
    },
  }),
  ask_model: tool({
    description: "Asks the client's model.",
    async call(_, call) {
      const answer = await call.sample({ ...haiku, messages: [...haiku.messages] as never })
      return `${answer.model}: ${(answer.content as { text: string }).text}`
    },
  }),
  ask_roots: tool({
    description: "Asks for the client's folders.",
    call: async (_, call) => (await call.roots()).map(({ uri }) => uri).join(' '),
  }),
  ask_all: tool({
    description: 'Asks four things at once.',
    async call(_, call) {
      const [form, page, model, roots] = await Promise.all([
        call.elicit({ message: 'What shall we plant?', requestedSchema: nameForm, key: 'plant' }),
        call.elicit({ message: 'Please sign in', url: 'https://example.com/sign-in' }),
        call.sample({ ...haiku, messages: [...haiku.messages] as never }),
        call.roots(),
      ])
      return `${form.action} ${page.action} ${model.model} ${roots.length}`
    },
  }),
  ask_twice: tool({
    description: 'Asks for a name, then for a confirmation with that name in it.',
    async call(_, call) {
      const first = await call.elicit({ message: 'Which plant?', requestedSchema: nameForm })
      if (first.action !== 'accept') return first.action
      const second = await call.elicit({
        message: `Plant ${first.content.name}?`,
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
      })
      return second.action === 'accept' ? `${first.content.name}: ${second.content.sure}` : second.action
    },
  }),

  steps: tool({
    description: 'Reports its progress, then waits until go_on is called.',
    call: (_, call) =>
      new Promise<string>(resolve => {
        for (let step = 1; step <= 3; step++) call.progress(step, 3, `step ${step} of 3`)
        goOn = () => resolve('three steps')
      }),
  }),
  go_on: tool({
    description: 'Lets steps be done.',
    call() {
      goOn()
      return 'going on'
    },
  }),
  logs: tool({
    description: 'Logs at several levels.',
    call(_, call) {
      call.log('debug', 'a detail', 'gardener')
      call.log('warning', { soil: 'dry' }, 'gardener')
      call.log('error', 'the tap is stuck')
      return 'logged'
    },
  }),
  wait: tool({
    description: 'Says that it began, then waits until it is cancelled.',
    call: (_, call) =>
      new Promise((_resolve, reject) => {
        call.signal.addEventListener('abort', () => {
          brokenOff.push((call.signal.reason as Error).message)
          reject(call.signal.reason)
        })
        call.progress(1)
      }),
  }),
  broken_off: tool({ description: 'Why calls of wait ended.', call: () => brokenOff.join('\n') }),
  fails: tool({
    description: 'Fails, and says what to do.',
    call() {
      throw new Error('the valve is stuck: turn it by hand')
    },
  }),
  slips: tool({ description: 'Has a bug.', call: () => (undefined as unknown as string).length }),

  change_note: tool({
    description: 'Changes the note.',
    inputSchema: z.object({ text: z.string() }),
    call({ text }) {
      note = text
      for (const changed of noteWatchers) changed()
      return 'changed'
    },
  }),
  change_lists: tool({
    description: 'Adds a tool, a resource and a prompt, or takes them away.',
    inputSchema: { type: 'object', properties: { present: { type: 'boolean' } }, required: ['present'] },
    call({ present }) {
      if (present) {
        server.tools.set('late_tool', { description: 'Came late.', call: () => 'here I am' })
        server.resources.set('note://late', { read: () => 'a late note' })
        server.prompts.set('late_prompt', { get: () => 'Better late than never' })
      } else {
        server.tools.delete('late_tool')
        server.resources.delete('note://late')
        server.prompts.delete('late_prompt')
      }
      return present ? 'added' : 'removed'
    },
  }),
}

const resources: Record<string, Resource> = {
  [noteUri]: {
    name: 'today',
    title: 'Note of today',
    mimeType: 'text/plain',
    annotations: { audience: ['assistant'], priority: 1 },
    read: () => note,
    watch(changed) {
      noteWatchers.add(changed)
      return () => noteWatchers.delete(changed)
    },
  },
  'picture://pixel': {
    name: 'pixel',
    mimeType: 'image/png',
    ttlMs: 60_000,
    cacheScope: 'public',
    size: 70,
    read: () => new Uint8Array(Buffer.from(png, 'base64')),
  },
  'note://secret': {
    description: 'Asks the person before it is read.',
    async read(_uri: string, call: Call) {
      const { action } = await call.elicit({ message: 'May it be read?', requestedSchema: nameForm })
      return action === 'accept' ? 'the secret of compost' : 'not for you'
    },
  },
}

const resourceTemplates: Record<string, ResourceTemplate> = {
  'herb://{herb}': {
    name: 'herb',
    title: 'A herb',
    mimeType: 'text/markdown',
    read({ herb }, uri) {
      if (!herbs.includes(herb ?? '')) throw resourceNotFound(uri)
      return `# ${herb}`
    },
    complete: { herb: startingWith },
  },
}

const prompts: Record<string, Prompt<any>> = {
  plan: prompt({
    title: 'Plan a bed',
    description: 'Plans a bed for a herb.',
    arguments: {
      herb: { description: 'Which herb', required: true, complete: startingWith },
      neighbour: {
        description: 'What grows beside it',
        complete: (typed, { herb }) => startingWith(typed).filter(other => other !== herb),
      },
    },
    get: ({ herb, neighbour = 'nothing' }) => ({
      description: `A bed for ${herb}`,
      messages: [
        { role: 'user', content: { type: 'text', text: `Plan a bed for ${herb} beside ${neighbour}.` } },
        { role: 'assistant', content: { type: 'resource_link', uri: noteUri, name: 'today' } },
        { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
      ],
    }),
  }),
  hello: prompt({ get: () => 'Say hello to the plants' }),
  ask_first: prompt({
    description: 'Asks the person before it is made.',
    async get(_, call) {
      const answer = await call.elicit({ message: 'Which plant?', requestedSchema: nameForm })
      return answer.action === 'accept' ? `Write about ${answer.content.name}` : 'Write about nothing'
    },
  }),
}

if (pages) {
  for (let i = 1; i <= 40; i++) {
    const description = `Number ${i} of many. ${'It takes room in the list. '.repeat(8)}`
    tools[`many_${i}`] = { description, call: () => `number ${i}` }
    resources[`many://${i}`] = { description, read: () => `number ${i}` }
    resourceTemplates[`many://${i}/{part}`] = { description, read: ({ part }) => `${part} of ${i}` }
    prompts[`many_${i}`] = { description, get: () => `number ${i}` }
  }
}

const server = createServer(simulatedGreenhouse({ speed: 20 }), {
  tools,
  resources,
  resourceTemplates,
  prompts,
  readSensorsTool: true,
  websiteUrl: 'https://example.com/greenhouse',
  ...(pages ? { maxMessageBytes: 8192 } : {}),
})

if (process.argv[2] === 'http') console.error((await http({ port: 0 }).serve(server)).url)
else await stdio().serve(server)
