import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boardFromJson, boardSchema, DeclarationError, raspberryPi } from '../../../boards/raspberry-pi/board.ts'
import { simulate } from '../../../boards/simulated/simulate.ts'
import { createServer } from '../../../runtime/index.ts'
import type { Checked } from '../../../runtime/schema/types.ts'
import { compileSchema } from '../../../runtime/schema.ts'
import { FakePi } from '../fake-pi.ts'
import { declarations } from './entries.ts'

/** The board, or nothing where the declaration has a mistake. What else is thrown is thrown on. */
function boardOf(declaration: unknown, pi: FakePi) {
  try {
    return raspberryPi(declaration as any, { ...pi.system, warn: () => {} })
  } catch (thrown) {
    if (!(thrown instanceof DeclarationError)) throw thrown
    expect(thrown.mistakes.length).toBeGreaterThan(0)
    return undefined
  }
}

it('any declaration is a board that a server takes, or has mistakes that are told', async () => {
  const pi = new FakePi({ i2c: [] })
  let boards = 0
  await fc.assert(
    fc.asyncProperty(declarations, async declaration => {
      const board = boardOf(declaration, pi)
      if (board === undefined) return
      boards++
      // What the server would refuse has been refused before, in better words.
      for (const each of [board, simulate(board)]) await createServer(each).close()
      expect(pi.descriptors).toBe(0)
    }),
    { numRuns: 600 },
  )
  // A ninth of them on average, give or take 8: enough to say something, and never so few by chance.
  expect(boards).toBeGreaterThan(20)
})

it('opened where nothing is, it opens, or says which outputs are missing, and holds nothing afterwards', async () => {
  const bare = new FakePi({
    files: {},
    taken: Object.fromEntries(Array.from({ length: 28 }, (_, i) => [i, 'somebody'])),
  })
  await fc.assert(
    fc.asyncProperty(declarations, async declaration => {
      if (boardOf(declaration, bare) === undefined) return
      const warnings: string[] = []
      const board = raspberryPi(declaration as any, { ...bare.system, warn: text => void warnings.push(text) })
      try {
        await board.open!()
        await board.close!()
        expect(Object.keys(board.actuators!)).toEqual([])
      } catch (thrown) {
        expect(String(thrown)).toContain('some outputs cannot be had')
        for (const name of Object.keys(board.actuators!))
          expect((thrown as Error).message).toMatch(new RegExp(`\\b${name}\\b`))
      }
      expect(bare.descriptors).toBe(0)
    }),
    { numRuns: 300 },
  )
})

it('what is a board fits the JSON Schema, and what does not fit it is none', () => {
  const pi = new FakePi()
  const schema = compileSchema(boardSchema(), 'the schema of a board', 'form')
  let refused = 0
  fc.assert(
    fc.property(declarations, declaration => {
      // Editors see what is written, and JSON has no undefined.
      const json = JSON.parse(JSON.stringify(declaration))
      const isBoard = boardOf(json, pi) !== undefined
      const checked = schema.check(json) as Checked
      if (isBoard) expect(checked).toEqual({ ok: true, value: json })
      if (!checked.ok) {
        refused++
        expect(isBoard).toBe(false)
      }
    }),
    { numRuns: 600 },
  )
  expect(refused).toBeGreaterThan(60)
})

it('any text is a board, or has mistakes that are told', () => {
  const pi = new FakePi()
  const json = declarations.map(declaration => JSON.stringify(declaration, null, 2))
  const spoilt = fc
    .tuple(json, fc.nat(), fc.constantFrom('', ',', '"', '{', '}', '\\', 'x', '\n'))
    .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1))
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.string()), text => {
      try {
        boardFromJson(text, { ...pi.system })
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DeclarationError)
        for (const { line } of (thrown as DeclarationError).mistakes) expect(line ?? 1).toBeGreaterThan(0)
      }
    }),
    { numRuns: 400 },
  )
})
