/** The official clients drive a server over HTTP. Each message of the server is checked against the official schemas. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Child } from '../child.ts'
import { type ClientKind, clientKinds, olderClient } from '../official/clients.ts'
import { checkRun } from '../official/recording.ts'
import { scenarios } from '../official/scenarios.ts'
import { RecordingFetch } from './recording-fetch.ts'

const middle = olderClient('2025-06-18')
const noChoices = 'forms with several choices in one field came with 2025-11-25'
const older: ClientKind[] = [
  olderClient('2025-03-26'),
  {
    ...middle,
    cannot: {
      ...middle.cannot,
      'lets a tool ask its user to fill in a form': noChoices,
      'tells a tool that its user declined or looked away': noChoices,
      'is asked once more when a form was filled in wrongly': noChoices,
      'answers a second question that depends on the first': noChoices,
      'lets a resource and a prompt ask its user, too': noChoices,
    },
  },
]

for (const kind of [...clientKinds, ...older]) {
  describe(kind.name, () => {
    const recording = new RecordingFetch()
    const client = kind.make()
    const simple = kind.make({})
    let child: Child
    beforeAll(async () => {
      child = new Child(process.execPath, ['--import', 'tsx', 'test/official/fixture.ts', 'http'], {})
      await child.until(() => /http:\S+/.test(child.stderr), 'a URL')
      const url = new URL(/http:\S+/.exec(child.stderr)![0])
      await client.connectTo(url, recording.fetch)
      await simple.connectTo(url, fetch)
    }, 120_000)
    afterEach(() => checkRun({ lines: recording.lines, end: undefined }))
    afterAll(async () => {
      await Promise.all([client.close(), simple.close()])
      await child.stop()
    })

    const lastErrorCode = () =>
      recording.lines
        .filter(({ from }) => from === 'server')
        .map(({ line }) => JSON.parse(line).error?.code)
        .findLast(code => code !== undefined)
    // With 2026-07-28 a client cancels by closing the stream, which says no reason.
    const calledOff =
      kind.era === 'modern' ? 'The client closed the stream of the call' : 'Cancelled by the client: too slow'
    for (const [name, run] of Object.entries(scenarios)) {
      const reason = kind.cannot[name]
      if (reason === undefined) it(name, () => run({ client, kind, lastErrorCode, calledOff }), 60_000)
      else it.skip(`${name} (not this client: ${reason})`)
    }

    it('is told what it would have to be able to do, when it cannot be asked anything', async () => {
      for (const name of ['ask_form', 'ask_page', 'ask_model', 'ask_roots']) {
        if (kind.era === 'modern') await expect(simple.call(name)).rejects.toMatchObject({ code: -32021 })
        else expect(await simple.call(name)).toMatchObject({ isError: true, content: [{ type: 'text' }] })
      }
    }, 60_000)

    it('is surprised by nothing that the server sends', () => {
      expect([...client.errors, ...simple.errors]).toEqual([])
    })
  })
}
