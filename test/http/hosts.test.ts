/** Programs that people put between their host and a URL, or use instead of one. They are installed on the first run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { Child } from '../child.ts'
import { inspect, installInspector, remoteCommand } from '../inspector/inspector.ts'
import { clientKinds } from '../official/clients.ts'

let missing: Error | undefined
let url: string
const folder = mkdtempSync(join(tmpdir(), 'ferrule-hosts-'))
const child = new Child(process.execPath, ['--import', 'tsx', 'test/official/fixture.ts', 'http'], {})

beforeAll(async () => {
  try {
    await installInspector()
  } catch (error) {
    // Without a network a developer still wants to run the tests. On a build machine nothing may be left out unseen.
    if (process.env.CI) throw error
    missing = error as Error
  }
  await child.until(() => /http:\S+/.test(child.stderr), 'a URL')
  url = /http:\S+/.exec(child.stderr)![0]
}, 600_000)

afterAll(async () => {
  await child.stop()
  rmSync(folder, { recursive: true, force: true })
})

const needed = (context: TestContext) => {
  if (missing !== undefined) context.skip(missing.message)
}

describe.each(['legacy', 'modern'])('the Inspector in the %s era', era => {
  it('lists, reads and moves', async context => {
    needed(context)
    const ask = (...args: string[]) =>
      inspect({ type: 'streamable-http', url }, ['--protocol-era', era, '--method', ...args])
    const [listed, read, moved] = await Promise.all([
      ask('tools/list'),
      ask('resources/read', '--uri', 'sensor://greenhouse/light'),
      ask('tools/call', '--tool-name', 'grow_light', '--tool-arg', 'percent=40'),
    ])
    expect(listed.result.tools.map(({ name }: any) => name)).toContain('read_sensors')
    expect(JSON.parse(read.result.contents[0].text)).toMatchObject([{ n: 'light', u: 'lx' }])
    expect(moved).toMatchObject({ code: 0, result: { structuredContent: { percent: 40 } } })
  }, 120_000)
})

describe.each(clientKinds.filter(({ revision }) => revision >= '2025-11-25'))('mcp-remote under $name', kind => {
  it('passes calls, progress, changes and questions', async context => {
    needed(context)
    const client = kind.make()
    await client.connect(remoteCommand(url, folder))
    try {
      expect((await client.call('grow_light', { percent: 40 })).structuredContent).toMatchObject({ percent: 40 })
      const steps: unknown[] = []
      const onprogress = (step: unknown) => {
        if (steps.push(step) === 3) void client.call('go_on')
      }
      expect((await client.call('steps', {}, { onprogress })).content[0].text).toBe('three steps')
      const stop = await client.watch('note://today')
      const mark = client.heard.mark
      await client.call('change_note', { text: `by ${kind.name}` })
      const isUpdate = ({ method }: any) => method === 'notifications/resources/updated'
      expect((await client.heard.next('the change', isUpdate, mark)).params.uri).toBe('note://today')
      await stop()
      expect((await client.call('ask_form')).content[0].text).toMatch(/^planting/)
    } finally {
      await client.close()
    }
  }, 60_000)
})
