import process from 'node:process'

/** Tells at the end of a run of all tests, of which none is named, what is not among them. */
export default function setup(): (() => void) | undefined {
  const named = process.argv.slice(2).some(word => word !== 'run' && !word.startsWith('-'))
  if (named) return undefined
  return () =>
    console.log(
      ' The tests on real drivers are not among these: npm run test:kernel runs them, in a kernel of their own.',
    )
}
