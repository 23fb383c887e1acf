/** What every official client can do with the server of `fixture.ts`, whatever it is connected by. */
import { expect } from 'vitest'
import type { ClientKind, OfficialClient } from './clients.ts'

/** Where a scenario is played. */
export interface World {
  readonly client: OfficialClient
  readonly kind: ClientKind
  /** The code of the error that the server sent last. */
  lastErrorCode(): number
  /** What a call hears as the reason when its client calls it off as too slow. */
  readonly calledOff: string
}

type Scenarios = Record<string, (world: World) => Promise<unknown>>

const learning: Scenarios = {
  async 'learns who the server is and how to use it'({ client, kind }) {
    const { info, capabilities, instructions, version } = client.about()
    expect(info).toMatchObject({ name: 'greenhouse', version: '1.0.0', title: 'Simulated greenhouse' })
    expect(instructions).toContain('greenhouse')
    expect(capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    })
    if (version !== undefined) expect(version).toBe(kind.revision)
  },
  async 'asks the server again what it can do'({ client }) {
    expect((await client.discover()).supportedVersions).toEqual(['2026-07-28'])
  },
  async 'pings the server'({ client }) {
    expect(await client.ping()).toEqual({})
  },
  async 'lists actuators as tools that say how dangerous they are'({ client }) {
    const tools = await client.list('tools')
    const pump = tools.find(({ name }) => name === 'pump')
    expect(pump).toMatchObject({
      title: 'Water pump',
      inputSchema: { type: 'object', properties: { seconds: { minimum: 0, maximum: 60 } }, required: ['seconds'] },
      annotations: { readOnlyHint: false, destructiveHint: true },
    })
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_sensors', 'zod_sum', 'valibot_shout']))
  },
  async 'lists sensors as resources, and a template for them'({ client }) {
    const resources = await client.list('resources')
    expect(resources.find(({ uri }) => uri === 'sensor://greenhouse/air_temperature')).toMatchObject({
      title: 'Air temperature',
      mimeType: 'application/senml+json',
    })
    const templates = await client.list('resourceTemplates')
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'sensor://greenhouse/{sensor}',
      'sensor://greenhouse/{sensor}/history',
      'herb://{herb}',
    ])
  },
  async 'lists prompts with their arguments'({ client }) {
    const prompts = await client.list('prompts')
    expect(prompts.map(({ name }) => name)).toEqual(['plan', 'hello', 'ask_first'])
    expect(prompts[0].arguments).toMatchObject([{ name: 'herb', required: true }, { name: 'neighbour' }])
  },
}

const calling: Scenarios = {
  async 'calls a tool whose schemas are written with zod'({ client }) {
    const result = await client.call('zod_sum', { numbers: [1, 2, 3.5] })
    expect(result.structuredContent).toEqual({ sum: 6.5 })
    expect(textOf(result)).toBe('{"sum":6.5}')
  },
  async 'calls a tool whose schema is written with valibot'({ client }) {
    expect(textOf(await client.call('valibot_shout', { text: '  grow ' }))).toBe('GROW')
  },
  async 'calls a tool whose schema is written as JSON Schema'({ client }) {
    expect(textOf(await client.call('json_repeat', { text: 'ha', times: 3 }))).toBe('hahaha')
  },
  async 'is told what is wrong with its arguments, whatever the schema is written with'({ client }) {
    for (const [name, args, where] of [
      ['zod_sum', { numbers: ['many'] }, 'numbers'],
      ['valibot_shout', { text: ' ' }, 'text'],
      ['json_repeat', { text: 'ha', times: 10 }, 'times'],
    ] as const) {
      const result = await client.call(name, args)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('Nothing was done')
      expect(textOf(result)).toContain(where)
    }
  },
  async 'gets a list and a number as structured answers'({ client, kind }) {
    const list = ['basil', 'bay', 'chives']
    await client.list('tools')
    const herbs = await client.call('herb_list')
    const count = await client.call('herb_count')
    expect(JSON.parse(textOf(herbs))).toEqual(list)
    // Before 2026-07-28 structured content is an object, so what is none stands in one.
    const [expectedList, expectedCount] = kind.era === 'modern' ? [list, 11] : [{ result: list }, { result: 11 }]
    expect(herbs.structuredContent).toEqual(expectedList)
    expect(count.structuredContent).toEqual(expectedCount)
  },
  async 'gets an image, a sound, embedded resources and a link'({ client, kind }) {
    expect((await client.call('picture')).content).toMatchObject([
      { type: 'image', mimeType: 'image/png', annotations: { audience: ['user'], priority: 0.5 } },
    ])
    expect((await client.call('embedded')).content).toMatchObject([
      { type: 'resource', resource: { uri: 'note://today', mimeType: 'text/plain' } },
      { type: 'resource', resource: { uri: 'picture://pixel', blob: expect.any(String) } },
    ])
    expect((await client.call('sound')).content).toMatchObject(
      kind.revision >= '2025-03-26'
        ? [{ type: 'audio', mimeType: 'audio/wav' }]
        : [{ type: 'text', text: expect.stringContaining('audio/wav') }],
    )
    expect((await client.call('linked')).content).toMatchObject(
      kind.revision >= '2025-06-18'
        ? [{ type: 'resource_link', uri: 'note://today', name: 'today', title: 'Note of today' }]
        : [{ type: 'text', text: 'Note of today: note://today' }],
    )
    expect((await client.call('nothing')).content).toEqual([])
  },
  async 'is told what to do when a tool fails, and never sees its stack'({ client }) {
    const failed = await client.call('fails')
    expect(failed.isError).toBe(true)
    expect(textOf(failed)).toBe('fails: the valve is stuck: turn it by hand')
    const slipped = await client.call('slips')
    expect(slipped.isError).toBe(true)
    expect(textOf(slipped)).toBe('slips: Internal error')
  },
  async 'is told that there is no such tool'({ client }) {
    await expect(client.call('no_such_tool')).rejects.toMatchObject({ code: -32602 })
  },
  async 'hears how far a call is'({ client }) {
    const steps: any[] = []
    const onprogress = (step: any) => {
      // The SDKs drop the progress that comes in one chunk with the result, so the result waits for it.
      if (steps.push(step) === 3) void client.call('go_on')
    }
    expect(textOf(await client.call('steps', {}, { onprogress }))).toBe('three steps')
    expect(steps).toMatchObject([
      { progress: 1, total: 3, message: 'step 1 of 3' },
      { progress: 2, total: 3, message: 'step 2 of 3' },
      { progress: 3, total: 3, message: 'step 3 of 3' },
    ])
  },
  async 'cancels a call that takes too long'({ client, calledOff }) {
    const controller = new AbortController()
    const call = client.call('wait', {}, { signal: controller.signal, onprogress: () => controller.abort('too slow') })
    await expect(call).rejects.toThrow('too slow')
    // Over HTTP it is the end of a connection, which the server may see after this request.
    await expect.poll(async () => textOf(await client.call('broken_off'))).toContain(calledOff)
  },
  async 'hears of a call what it wants to hear'({ client }) {
    const { heard } = client
    const mark = heard.mark
    await client.call('logs')
    await client.call('logs', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } })
    const first = await heard.next('a log message', isLog, mark)
    expect(first.params).toMatchObject({ level: 'warning', logger: 'gardener', data: { soil: 'dry' } })
    const second = await heard.next('an error', note => note.params?.level === 'error', mark)
    expect(second.params.data).toBe('the tap is stuck')
    expect(heard.mark - mark).toBe(2)
  },
  async 'chooses a log level for the connection'({ client }) {
    const { heard } = client
    await client.setLogLevel('error')
    const mark = heard.mark
    await client.call('logs')
    expect((await heard.next('an error', isLog, mark)).params).toMatchObject({ level: 'error' })
    await client.setLogLevel('debug')
    await client.call('logs')
    expect((await heard.next('a detail', ({ params }) => params.level === 'debug', mark)).params.data).toBe('a detail')
    expect(heard.mark - mark).toBe(4)
  },
}

const board: Scenarios = {
  async 'reads a sensor as SenML and as a sentence'({ client }) {
    const { contents } = await client.read('sensor://greenhouse/air_temperature')
    expect(contents).toMatchObject([
      { uri: 'sensor://greenhouse/air_temperature', mimeType: 'application/senml+json' },
      { mimeType: 'text/plain', text: expect.stringMatching(/^Air temperature: .*°C/) },
    ])
    const [record] = JSON.parse(contents[0].text)
    expect((record.bn ?? '') + (record.n ?? '')).toBe('sensor://greenhouse/air_temperature')
    expect(record.u ?? record.bu).toBe('Cel')
    expect(record.v).toBeGreaterThan(-20)
  },
  async 'reads all sensors at once'({ client }) {
    const { contents } = await client.read('sensor://greenhouse')
    const records = JSON.parse(contents[0].text)
    expect(records.map(({ n }: any) => n)).toEqual(expect.arrayContaining(['soil_moisture', 'pump_running']))
    expect(contents[1].text.split('\n')).toHaveLength(7)
    const read = await client.call('read_sensors', { sensors: ['light', 'pump_running'] })
    expect(read.structuredContent.readings).toMatchObject([
      { sensor: 'light', unit: 'lx', value: expect.any(Number) },
      { sensor: 'pump_running', value: false },
    ])
  },
  async 'moves an actuator and reads what came of it'({ client }) {
    const result = await client.call('grow_light', { percent: 40 })
    expect(result.structuredContent).toMatchObject({ percent: 40, light: expect.any(Number) })
    expect((await client.call('grow_light', { percent: 0 })).isError).toBeFalsy()
  },
  async 'waits for a slow actuator'({ client }) {
    expect((await client.call('vent', { percent: 50 })).structuredContent.percent).toBe(50)
    expect((await client.call('read_sensors', { sensors: ['vent_position'] })).structuredContent).toMatchObject({
      readings: [{ sensor: 'vent_position', unit: '/', value: 0.5 }],
    })
  },
  async 'is told which arguments an actuator takes'({ client }) {
    const tooLong = await client.call('pump', { seconds: 600 })
    expect(tooLong.isError).toBe(true)
    expect(textOf(tooLong)).toMatch(/^Nothing was done: .*seconds.*60/)
    const misspelt = await client.call('pump', { second: 1 })
    expect(misspelt.isError).toBe(true)
    expect(textOf(misspelt)).toMatch(/^Nothing was done: .*seconds/)
  },
  async 'is told when a sensor that it watches changes because of its move'({ client }) {
    const uri = 'sensor://greenhouse/pump_running'
    const stop = await client.watch(uri)
    const mark = client.heard.mark
    const pumped = await client.call('pump', { seconds: 2 })
    expect(pumped.structuredContent.litres).toBeCloseTo(0.1, 2)
    expect((await client.heard.next('the change', isUpdate, mark)).params.uri).toBe(uri)
    await stop()
  },
}

const reading: Scenarios = {
  async 'reads texts and bytes'({ client }) {
    expect((await client.read('note://today')).contents).toMatchObject([{ mimeType: 'text/plain' }])
    const { contents } = await client.read('picture://pixel')
    expect(Buffer.from(contents[0].blob, 'base64').subarray(1, 4).toString()).toBe('PNG')
  },
  async 'reads what a template describes'({ client }) {
    const { contents } = await client.read('herb://sage')
    expect(contents).toEqual([{ uri: 'herb://sage', mimeType: 'text/markdown', text: '# sage' }])
    expect((await client.read('sensor://greenhouse/light')).contents).toHaveLength(2)
  },
  async 'is told that there is no such resource'({ client, kind, lastErrorCode }) {
    for (const uri of ['herb://granite', 'no://such']) {
      await expect(client.read(uri)).rejects.toMatchObject({ data: { uri } })
      // Some clients give every revision's code as their own, so what was sent decides.
      expect(lastErrorCode()).toBe(kind.era === 'modern' ? -32602 : -32002)
    }
  },
  async 'is told when a resource that it watches changes, until it stops watching'({ client }) {
    const stop = await client.watch('note://today')
    let mark = client.heard.mark
    await client.call('change_note', { text: 'The sage flowers' })
    expect((await client.heard.next('the change', isUpdate, mark)).params.uri).toBe('note://today')
    expect((await client.read('note://today')).contents[0].text).toBe('The sage flowers')
    await stop()
    mark = client.heard.mark
    await client.call('change_note', { text: 'Nothing to report' })
    expect(client.heard.mark).toBe(mark)
  },
  async 'is told when the lists change, and lists what is new'({ client }) {
    const stop = await client.watch('note://today')
    for (const present of [true, false]) {
      const mark = client.heard.mark
      await client.call('change_lists', { present })
      for (const list of ['tools', 'resources', 'prompts']) {
        const method = `notifications/${list}/list_changed`
        await client.heard.next(method, note => note.method === method, mark)
      }
      const names = (await client.list('tools')).map(({ name }) => name)
      expect(names.includes('late_tool')).toBe(present)
      if (present) {
        expect(textOf(await client.call('late_tool'))).toBe('here I am')
        expect((await client.read('note://late')).contents[0].text).toBe('a late note')
        expect((await client.prompt('late_prompt')).messages).toHaveLength(1)
      }
    }
    await stop()
  },
  async 'gets a prompt with arguments'({ client, kind }) {
    const { description, messages } = await client.prompt('plan', { herb: 'sage', neighbour: 'mint' })
    expect(description).toBe('A bed for sage')
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Plan a bed for sage beside mint.' } },
      { role: 'assistant', content: { type: kind.revision >= '2025-06-18' ? 'resource_link' : 'text' } },
      { role: 'user', content: { type: 'image' } },
    ])
    expect((await client.prompt('hello')).messages[0].content.text).toBe('Say hello to the plants')
  },
  async 'is told which argument a prompt lacks'({ client }) {
    await expect(client.prompt('plan', {})).rejects.toThrow('herb')
    await expect(client.prompt('no_such_prompt')).rejects.toMatchObject({ code: -32602 })
  },
  async 'gets suggestions for what is typed'({ client }) {
    const plan = { type: 'ref/prompt', name: 'plan' }
    expect(await client.complete({ ref: plan, argument: { name: 'herb', value: 'b' } })).toEqual(['basil', 'bay'])
    const context = { arguments: { herb: 'basil' } }
    expect(await client.complete({ ref: plan, argument: { name: 'neighbour', value: 'b' }, context })).toEqual(['bay'])
    const herb = { type: 'ref/resource', uri: 'herb://{herb}' }
    expect(await client.complete({ ref: herb, argument: { name: 'herb', value: 'th' } })).toEqual(['thyme'])
    const sensor = { type: 'ref/resource', uri: 'sensor://greenhouse/{sensor}' }
    expect(await client.complete({ ref: sensor, argument: { name: 'sensor', value: 'air_t' } })).toEqual([
      'air_temperature',
    ])
  },
}

const asking: Scenarios = {
  async 'lets a tool ask its user to fill in a form'({ client }) {
    const asked = await answering(client, { elicit: () => ({ action: 'accept', content: { name: 'dill', pots: 4 } }) })
    expect(textOf(await client.call('ask_form'))).toBe('planting {"name":"dill","pots":4}')
    expect(asked.elicit).toMatchObject([{ message: 'What shall we plant?', requestedSchema: { required: ['name'] } }])
  },
  async 'tells a tool that its user declined or looked away'({ client }) {
    await answering(client, { elicit: () => ({ action: 'decline' }) })
    expect(textOf(await client.call('ask_form'))).toBe('person: decline')
    await answering(client, { elicit: () => ({ action: 'cancel' }) })
    expect(textOf(await client.call('ask_form'))).toBe('person: cancel')
  },
  async 'is asked once more when a form was filled in wrongly'({ client }) {
    const contents = [
      { name: 'dill', pots: 400 },
      { name: 'dill', pots: 4 },
    ]
    const asked = await answering(client, { elicit: () => ({ action: 'accept', content: contents.shift() }) })
    expect(textOf(await client.call('ask_form'))).toBe('planting {"name":"dill","pots":4}')
    expect(asked.elicit).toHaveLength(2)
  },
  async 'lets a tool show its user a page'({ client }) {
    const asked = await answering(client, {})
    expect(textOf(await client.call('ask_page'))).toBe('page: accept')
    expect(asked.elicit).toMatchObject([{ mode: 'url', url: 'https://example.com/sign-in?state=17' }])
  },
  async 'lends a tool its model'({ client }) {
    const asked = await answering(client, {})
    expect(textOf(await client.call('ask_model'))).toBe('small: green, soft, quiet')
    expect(asked.sample).toMatchObject([{ maxTokens: 60 }])
  },
  async 'tells a tool its roots'({ client }) {
    await answering(client, {})
    expect(textOf(await client.call('ask_roots'))).toBe('file:///garden')
  },
  async 'answers several questions of one call'({ client }) {
    const asked = await answering(client, {})
    expect(textOf(await client.call('ask_all'))).toBe('accept accept small 1')
    expect(asked.elicit).toHaveLength(2)
    expect(asked.sample).toHaveLength(1)
  },
  async 'answers a second question that depends on the first'({ client }) {
    const asked = await answering(client, {
      elicit: ({ message }) =>
        message === 'Plant sage?'
          ? { action: 'accept', content: { sure: true } }
          : { action: 'accept', content: { name: 'sage' } },
    })
    expect(textOf(await client.call('ask_twice'))).toBe('sage: true')
    expect(asked.elicit.map(({ message }) => message)).toEqual(['Which plant?', 'Plant sage?'])
  },
  async 'lets a resource and a prompt ask its user, too'({ client }) {
    await answering(client, { elicit: () => ({ action: 'accept', content: { name: 'moss' } }) })
    expect((await client.read('note://secret')).contents[0].text).toBe('the secret of compost')
    expect((await client.prompt('ask_first')).messages[0].content.text).toBe('Write about moss')
  },
}

/** All scenarios, by what a user of the client would say. */
export const scenarios: Scenarios = { ...learning, ...calling, ...board, ...reading, ...asking }

/** Lets the client answer like this from now on. Returns what it is asked. */
async function answering(client: OfficialClient, answers: { elicit?: (params: any) => any }): Promise<Asked> {
  const asked: Asked = { elicit: [], sample: [] }
  const elicit = answers.elicit ?? friendly
  client.answers.elicit = params => {
    asked.elicit.push(params)
    return elicit(params)
  }
  const { sample } = client.answers
  client.answers.sample = params => {
    asked.sample.push(params)
    return sample(params)
  }
  return asked
}

interface Asked {
  elicit: any[]
  sample: any[]
}

function friendly({ mode }: any): object {
  return mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'sage' } }
}

function textOf(result: any): string {
  return result.content[0].text
}

function isLog({ method }: any): boolean {
  return method === 'notifications/message'
}

function isUpdate({ method }: any): boolean {
  return method === 'notifications/resources/updated'
}
