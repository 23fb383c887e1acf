/**
 * Runs the official conformance suite against the fixture server, and says what came of it:
 *
 *   npm run conformance
 */
import process from 'node:process'
import { serveConformance } from './fixture.ts'
import { installSuite, runSuite, runs } from './suite.ts'

const modules = await installSuite()
const serving = await serveConformance(0)
let isAsExpected = true
for (const run of runs) {
  const { scenarios, passed, skipped, problems } = await runSuite(modules, serving.url, run)
  const isSo = problems.length === 0 && scenarios === run.scenarios && passed === run.passed
  isAsExpected &&= isSo
  const told = `${run.name}: ${scenarios} scenarios, ${passed} checks passed, ${skipped.length} left out`
  console.log(isSo ? told : `${told}; expected were ${run.scenarios} scenarios with ${run.passed} checks`)
  for (const problem of problems) console.log(`  ${problem}`)
}
await serving.close()
process.exitCode = isAsExpected ? 0 : 1
