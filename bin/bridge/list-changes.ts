import { cleanText } from '../../boards/remote/index.ts'
import type { Listed } from '../../runtime/client/index.ts'

const most = 12
const members = ['inputSchema', 'annotations', 'description'] as const

/** How the tools of a device that speaks MCP are others than before, in a short text for each. */
export function toolChanges(before: readonly Listed[], after: readonly Listed[]): string[] {
  const old = new Map(before.map(tool => [tool.name, tool]))
  const names = new Set(after.map(({ name }) => name))
  const shown = ({ name }: Listed) => `tool ${cleanText(String(name), 64)}`
  const changes = [
    ...after.filter(({ name }) => !old.has(name)).map(tool => `${shown(tool)} is new`),
    ...before.filter(({ name }) => !names.has(name)).map(tool => `${shown(tool)} is gone`),
    ...after.flatMap(tool => {
      const last = old.get(tool.name)
      const changed = members.filter(
        member => last !== undefined && JSON.stringify(last[member]) !== JSON.stringify(tool[member]),
      )
      return changed.length === 0 ? [] : [`${shown(tool)} has another ${changed.join(', ')}`]
    }),
  ]
  return changes.length <= most ? changes : [...changes.slice(0, most), `and ${changes.length - most} more`]
}
