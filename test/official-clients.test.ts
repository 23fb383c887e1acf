/**
 * The official clients drive a server over real pipes. Each line that the server sends is checked against the official
 * schemas after each test.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientKinds } from './official/clients.ts'
import { Recording } from './official/recording.ts'
import { scenarios } from './official/scenarios.ts'

const fixture = 'test/official/fixture.ts'

for (const kind of clientKinds) {
  describe(kind.name, () => {
    const recording = new Recording()
    const longLists = new Recording()
    const client = kind.make()
    // It has no user, no model and no roots, and its server has lists of many pages.
    const simple = kind.make({})
    beforeAll(
      () =>
        Promise.all([client.connect(recording.command(fixture)), simple.connect(longLists.command(fixture, 'pages'))]),
      30_000,
    )
    afterEach(() => {
      recording.check()
      longLists.check()
    })
    afterAll(async () => {
      await Promise.all([client.close(), simple.close()])
      recording.remove()
      longLists.remove()
    })

    const lastErrorCode = () => JSON.parse(recording.runs().at(-1)!.lines.at(-1)!.line).error.code
    const calledOff = 'Cancelled by the client: too slow'
    for (const [name, run] of Object.entries(scenarios)) {
      const reason = kind.cannot[name]
      if (reason === undefined) it(name, () => run({ client, kind, lastErrorCode, calledOff }), 15_000)
      else it.skip(`${name} (not this client: ${reason})`)
    }

    it('walks through lists that take several messages', async () => {
      for (const list of ['tools', 'resources', 'resourceTemplates', 'prompts'] as const) {
        const keys = (await simple.list(list)).map(({ uriTemplate, uri, name }) => uriTemplate ?? uri ?? name)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.filter(key => key.startsWith('many'))).toHaveLength(40)
      }
      const { lines } = longLists.runs().at(-1)!
      const cursors = lines.filter(({ from, line }) => from === 'client' && JSON.parse(line).params?.cursor)
      expect(cursors.length).toBeGreaterThanOrEqual(4)
      expect(lines.every(({ from, line }) => from === 'client' || Buffer.byteLength(line) < 8192)).toBe(true)
    }, 15_000)

    it('is told what it would have to be able to do, when it cannot be asked anything', async () => {
      for (const name of ['ask_form', 'ask_page', 'ask_model', 'ask_roots']) {
        if (kind.era === 'modern') await expect(simple.call(name)).rejects.toMatchObject({ code: -32021 })
        else expect(await simple.call(name)).toMatchObject({ isError: true, content: [{ type: 'text' }] })
      }
    }, 15_000)

    it('is surprised by nothing that the server sends', () => {
      expect([...client.errors, ...simple.errors]).toEqual([])
    })

    it('ends the server with code 0 when it closes, also while it watches', async () => {
      await client.watch('sensor://greenhouse')
      await Promise.all([client.close(), simple.close()])
      for (const each of [recording, longLists]) expect(each.runs().at(-1)!.end).toEqual({ code: 0, signal: null })
    }, 15_000)
  })
}
