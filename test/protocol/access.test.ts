import { describe, expect, it } from 'vitest'
import { tool } from '../../runtime/index.ts'
import { modernMeta, TestClient } from '../memory-client.ts'
import { workbench } from './workbench.ts'

function served() {
  const ran: string[] = []
  const { server } = workbench({
    readSensorsTool: true,
    tools: {
      look: tool({ annotations: { readOnlyHint: true }, call: () => ran.push('look') && 'seen' }),
      silent: tool({ call: () => ran.push('silent') && 'done' }),
      brake: tool({ access: 'read', call: () => ran.push('brake') && 'stopped' }),
    },
  })
  return { server, ran }
}

const names = (answer: any) => answer.result.tools.map((each: any) => each.name)

describe.each([
  ['2025-11-25', undefined],
  ['2026-07-28', modernMeta()],
])('a client of %s that may only read', (_version, meta) => {
  async function reader(server: ReturnType<typeof served>['server'], access: 'read' | 'act' = 'read') {
    const client = new TestClient(server, { access })
    if (meta === undefined) await client.initialize()
    const ask = (method: string, params: object = {}) =>
      client.request(method, meta === undefined ? params : { ...params, _meta: meta })
    return ask
  }

  it('finds the tools that change nothing, and those that are for everybody', async () => {
    const { server } = served()
    const ask = await reader(server)
    expect(names(await ask('tools/list'))).toEqual(['read_sensors', 'stop_all', 'look', 'brake'])
  })

  it('does not spoil the list of those who may act, in whatever order they ask', async () => {
    const { server } = served()
    const [reading, acting] = [await reader(server), await reader(server, 'act')]
    for (let round = 0; round < 2; round++) {
      expect(names(await reading('tools/list'))).not.toContain('silent')
      expect(names(await acting('tools/list'))).toContain('silent')
    }
  })

  it.each(['fan', 'silent'])('is refused when it calls %s all the same, and nothing runs', async name => {
    const { server, ran } = served()
    const ask = await reader(server)
    const { result } = await ask('tools/call', { name, arguments: name === 'fan' ? { on: true } : {} })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('may only read')
    expect(ran).toEqual([])
  })

  it.each(['look', 'brake'])('may call %s', async name => {
    const { server, ran } = served()
    const ask = await reader(server)
    expect((await ask('tools/call', { name })).result.isError).toBeUndefined()
    expect(ran).toEqual([name])
  })
})
