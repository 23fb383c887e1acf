/** What is checked. Problem texts call it by its name. */
export type Subject = 'arguments' | 'form' | 'output'

/** How problem texts speak of what is checked. */
export interface Wording {
  /** All of it, as a plural. */
  readonly whole: string
  /** One of its members. */
  readonly member: string
  /** What comes before a value that does not fit. */
  readonly sent: string
}

/** The words for each subject. */
export const wordings: Readonly<Record<Subject, Wording>> = {
  arguments: { whole: 'the arguments', member: 'an argument of this tool', sent: 'you sent' },
  form: { whole: 'the answers', member: 'a field of this form', sent: 'you sent' },
  output: { whole: 'its results', member: 'a member of its outputSchema', sent: 'it sent' },
}
