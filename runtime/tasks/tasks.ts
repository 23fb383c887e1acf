import { LegacyTasks, type LegacyTasksOptions } from '../eras/legacy-tasks.ts'
import { TaskStore, type TaskStoreOptions } from './task-store.ts'

// Calls that go on as tasks, in both eras. A server whose tools all answer soon never needs this.

export {
  detailedTask,
  modernTaskMethods,
  modernTerms,
  needsTasks,
  takesTasks,
  taskHandle,
} from '../eras/modern-tasks.ts'

/** The tasks of a server. */
export function taskStore(options: TaskStoreOptions): TaskStore {
  return new TaskStore(options)
}

/** The tasks of one connection, in the words of the handshake era. */
export function legacyTasks(options: LegacyTasksOptions): LegacyTasks {
  return new LegacyTasks(options)
}
