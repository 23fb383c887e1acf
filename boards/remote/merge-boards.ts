import { type Actuator, type Board, DefinitionError, nobodysCall, type Sensor } from '../../runtime/index.ts'
import { freeName } from './names.ts'

/** How the board of several is called. */
export interface MergeOptions {
  /** `devices` when left out. */
  name?: string
  title?: string
}

/**
 * One board of several: the names of each behind its prefix (`lab_fan`), so that two of the same kind can be told apart.
 *
 * @throws DefinitionError for a prefix that cannot begin a name
 */
export function mergeBoards(boards: Readonly<Record<string, Board>>, options: MergeOptions = {}): Board {
  const sensors: Record<string, Sensor> = {}
  const actuators: Record<string, Actuator<any>> = {}
  const parts = Object.entries(boards)
  for (const [prefix, board] of parts) {
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,30}$/.test(prefix)) {
      throw new DefinitionError(
        `prefix "${prefix}": it is a letter followed by letters, digits, _ or -, at most 31 in all`,
      )
    }
    const called = addAll(sensors, prefix, board, board.sensors ?? {})
    addAll(actuators, prefix, board, ownNames(prefix, board, called))
  }
  const all = parts.map(([, board]) => board)
  const abouts = parts.flatMap(([prefix, { about }]) => (about === undefined ? [] : [`${prefix}_…: ${about}`]))
  return {
    name: options.name ?? 'devices',
    ...(options.title !== undefined && { title: options.title }),
    description: parts.map(([prefix, { description }]) => `${prefix}_…: ${description ?? 'a board'}`).join('\n'),
    ...(abouts.length > 0 && { about: abouts.join('\n') }),
    sensors,
    actuators,
    ...(all.some(({ makeSafe }) => makeSafe !== undefined) && { makeSafe: () => inParallel(all.map(makeBoardSafe)) }),
    ...(all.some(({ arm }) => arm !== undefined) && {
      arm: armed => inParallel(all.map(async board => board.arm?.(armed))),
    }),
    open: () => openAll(all),
    close: () => inParallel([...all].reverse().map(async board => board.close?.())),
  }
}

function addAll<D extends { title?: string }>(
  into: Record<string, D>,
  prefix: string,
  board: Board,
  own: Record<string, D>,
): Map<string, string> {
  const called = new Map<string, string>()
  for (const [name, definition] of Object.entries(own)) {
    const title = `${board.title ?? prefix}: ${definition.title ?? name}`
    const free = freeName(`${prefix}_${name}`, { has: taken => Object.hasOwn(into, taken) })
    into[free] = { ...definition, title }
    called.set(name, free)
  }
  return called
}

/** A group of one board has nothing to do with one of the same name of another; sensors have other names now. */
function ownNames(prefix: string, board: Board, called: Map<string, string>): Record<string, Actuator<any>> {
  const actuators = Object.entries(board.actuators ?? {}).map(([name, { group, readback, ...actuator }]) => {
    const shown = called.get(readback ?? '')
    return [
      name,
      { ...actuator, ...(group !== undefined && { group: `${prefix}:${group}` }), ...(shown && { readback: shown }) },
    ]
  })
  return Object.fromEntries(actuators)
}

/** Opened one after the other; when one cannot be, those before are given back. */
async function openAll(boards: readonly Board[]): Promise<void> {
  const opened: Board[] = []
  try {
    for (const board of boards) {
      await board.open?.()
      opened.push(board)
      // A board that does not see to it itself begins in its safe state, as it would alone.
      if (board.makeSafe === undefined) await makeBoardSafe(board)
    }
  } catch (thrown) {
    for (const board of opened.reverse()) await Promise.resolve(board.close?.()).catch(() => {})
    throw thrown
  }
}

const nobodyToAsk = 'Nobody can be asked while the board goes to its safe state'

async function makeBoardSafe(board: Board): Promise<void> {
  if (board.makeSafe !== undefined) return board.makeSafe()
  const moves = Object.values(board.actuators ?? {}).filter(({ safe }) => safe !== null)
  await inParallel(
    moves.map(
      async actuator => void (await actuator.set(actuator.safe, nobodysCall(new AbortController(), nobodyToAsk))),
    ),
  )
}

/** All of them, also when one fails; then its error. */
async function inParallel(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).filter(outcome => outcome.status === 'rejected')
  if (failed.length === 0) return
  throw new Error(failed.map(({ reason }) => (reason instanceof Error ? reason.message : String(reason))).join('; '))
}
