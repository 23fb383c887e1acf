import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { Child, type ChildOptions } from './child-process.ts'

export { Child, type ChildOptions, type Exit, projectDir, promisedExitMs } from './child-process.ts'

/** The rig as a child process, with its real pipes. It never outlives the test that started it. */
export function startRig(options: ChildOptions = {}): Child {
  const child = new Child(process.execPath, ['--import', 'tsx', 'test/rig.ts', 'stdio'], options)
  onTestFinished(() => child.stop())
  return child
}

/** One rig for all tests of a `describe`, opened in the way of the handshake revisions. */
export function sharedRig(options: ChildOptions = {}): () => Child {
  let child: Child
  beforeAll(async () => {
    child = new Child(process.execPath, ['--import', 'tsx', 'test/rig.ts', 'stdio'], options)
    await child.initialize()
  })
  afterAll(() => child.stop())
  return () => child
}
