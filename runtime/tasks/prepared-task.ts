import type { Task } from './task.ts'

/** What a tool answers with in the place of a result, when it goes on as a task. */
export class PreparedTask {
  /** Begins it: it is found by its id at once, and its work starts when the answer with that id was written. */
  readonly begin: () => Task

  constructor(begin: () => Task) {
    this.begin = begin
  }
}
