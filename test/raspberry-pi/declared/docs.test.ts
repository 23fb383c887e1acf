import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boardFromJson } from '../../../boards/raspberry-pi/board.ts'
import { projectDir } from '../../child.ts'
import { systemRoot } from '../system-root.ts'
import { driverTables } from './driver-tables.ts'

const page = readFileSync(join(projectDir, 'docs/board-json.md'), 'utf8')
const [, tables] = page.split(/<!-- From here on .* -->\n\n/)

describe('docs/board-json.md', () => {
  it('has every driver with all its keys, as the registry has them', () => {
    expect(tables!.trim(), 'put what driverTables() gives behind the comment').toBe(driverTables())
  })

  it('its boards are boards, and its entries are entries', () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(match => match[1]!)
    expect(blocks.length).toBeGreaterThan(3)
    for (const block of blocks) {
      const isBoard = block.startsWith('{')
      const isMember = block.startsWith('"$schema"')
      const text = isBoard ? block : isMember ? `{ ${block} "name": "b" }` : `{ "name": "b", "sensors": { ${block} } }`
      expect(boardFromJson(text, { root: systemRoot() }).name).toMatch(/^(b|greenhouse)$/)
    }
  })
})

describe('examples', () => {
  const files = readdirSync(join(projectDir, 'examples')).filter(file => file.endsWith('.json'))

  it.each(files)('%s is a board', file => {
    const text = readFileSync(join(projectDir, 'examples', file), 'utf8')
    const { sensors, actuators } = boardFromJson(text, { root: systemRoot() })
    expect(Object.keys({ ...sensors, ...actuators }).length).toBeGreaterThan(4)
  })

  it('there are some', () => expect(files).toContain('board.json'))
})
