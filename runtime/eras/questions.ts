import { LegacyQuestions, type LegacyQuestionsOptions } from './legacy-questions.ts'

// Questions to the client, in both eras. A server whose tools ask nothing never needs this.

export { elicit, roots, sample } from '../asking.ts'
export { requestStateSealer } from '../request-state.ts'
export { askByAnswer, resume, sealQuestions } from './modern-questions.ts'

/** The questions of one connection, none so far. */
export function legacyQuestions(options: LegacyQuestionsOptions): LegacyQuestions {
  return new LegacyQuestions(options)
}
