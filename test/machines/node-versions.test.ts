import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { beforeAll, describe, expect, it, test, vi } from 'vitest'
import { plainEnv } from '../packed.ts'
import { type Installed, installedOn } from './installed.ts'
import { isAsked, otherNode } from './machine.ts'
import { worksWhereInstalled } from './suite.ts'

vi.setConfig({ testTimeout: 600_000 })

const isHere = isAsked && process.platform === 'linux'
if (!isHere) test.skip('the package on other versions of Node, on Linux: npm run test:node', () => {})

/** The oldest that will do, the last without TypeScript, the first with it, and the newest that is kept up for long. */
const machines = {
  '20.0.0': () => otherNode('20.0.0'),
  '22.17.1': () => otherNode('22.17.1'),
  '22.18.0': () => otherNode('22.18.0'),
  '24.22.3': () => otherNode('24.22.3'),
}

describe.runIf(isHere)('on Node', () => {
  const installed = installedOn(machines)

  describe.each(Object.keys(machines) as (keyof typeof machines)[])('%s the package', version => {
    worksWhereInstalled(() => installed(version))
  })

  describe.each(['22.18.0', '24.22.3'] as const)('%s a board in TypeScript', version => {
    beforeAll(() => writeBoard(installed(version)))

    it('runs as it is, in a project of CommonJS', async () => {
      const server = installed(version).ferrule('serve', 'board.ts')
      expect((await server.initialize()).result.serverInfo.name).toBe('shed')
      const { result } = await server.request('resources/read', { uri: 'sensor://shed/temperature' })
      expect(JSON.stringify(result.contents)).toContain('21.5')
      expect(server.stderr).not.toContain('MODULE_TYPELESS')
    })

    it('is told what cannot be taken away', async () => {
      installed(version).write(
        'level.ts',
        `enum Level { low, high }\nexport default { name: 'tank', level: Level.low }\n`,
      )
      const server = installed(version).ferrule('serve', 'level.ts')
      expect((await server.exit()).code).toBe(1)
      expect(server.stderr).toMatch(/level\.ts:1: .*enum.*\n.*write it without enum/)
    })
  })

  it.each(['20.0.0', '22.17.1'] as const)('%s a board in TypeScript needs tsx, and is told so', async version => {
    writeBoard(installed(version))
    const server = installed(version).ferrule('serve', 'board.ts')
    expect((await server.exit()).code).toBe(1)
    expect(server.stderr).toContain(`Node ${version} cannot run TypeScript by itself`)
    expect(server.stderr).toContain('npm install tsx')
  })

  it.each(['12.22.12', '18.20.8'])('%s the command says which Node it needs', version => {
    const { folder } = installed('20.0.0')
    const [node] = otherNode(version).node
    const args = ['node_modules/ferrule/dist/bin/ferrule.js', 'serve', '@greenhouse']
    const { status, stdout, stderr } = spawnSync(node, args, { cwd: folder, env: plainEnv, encoding: 'utf8' })
    expect(stderr).toBe(
      `ferrule: this is Node.js ${version}, and ferrule needs Node.js 20 or later: see https://nodejs.org\n`,
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  })
})

/** A board in two files, with what TypeScript has and JavaScript has not. */
function writeBoard(installed: Installed): void {
  installed.write('thermometer.ts', 'export const temperature: () => number = () => 21.5 as number\n')
  installed.write(
    'board.ts',
    `import type { Board } from 'ferrule'
     import { temperature } from './thermometer.ts'
     export default { name: 'shed', sensors: { temperature: { unit: 'Cel', read: temperature } } } satisfies Board\n`,
  )
}
