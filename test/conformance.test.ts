/** The official conformance suite, over HTTP. It is installed on the first run. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serveConformance } from './conformance/fixture.ts'
import { installSuite, runSuite, runs } from './conformance/suite.ts'

let modules: string

beforeAll(async () => {
  modules = await installSuite()
}, 600_000)

describe('the official conformance suite finds nothing to fail and nothing to warn of', () => {
  it.each(runs)('$name', { timeout: 300_000 }, async run => {
    const serving = await serveConformance(0)
    onTestFinished(() => serving.close())
    const { scenarios, passed, skipped } = run
    expect(await runSuite(modules, serving.url, run)).toEqual({ scenarios, passed, skipped, problems: [] })
  })
})
