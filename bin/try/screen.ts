import { signature } from './arguments.ts'
import { bar, range, sparkline } from './chart.ts'
import { type ActuatorView, chartMs, type Event, type Running, type SensorView } from './model.ts'
import { plain, readable, rounded } from './readings.ts'
import { fit, type Line, type Span, type Style, widthOf, wrap } from './text.ts'

/** All that the screen shows. */
export interface View {
  title: string
  /** The server's name and version. */
  server: string
  /** The protocol that is spoken. */
  protocol: string
  sensors: readonly SensorView[]
  actuators: readonly ActuatorView[]
  running: readonly Running[]
  events: readonly Event[]
  /** The messages on the wire, or nothing while they are not shown. */
  wire: readonly string[] | undefined
  typed: { text: string; cursor: number }
  /** What can be typed next. */
  hint: string
  now: number
}

/** The lines of the screen, and where its cursor stands. */
export interface Picture {
  lines: Line[]
  cursor: { row: number; column: number }
}

const prompt = ' › '
const justNowMs = 1500

/** Draws the whole screen, exactly `rows` lines of at most `columns` columns. */
export function draw(view: View, columns: number, rows: number): Picture {
  const room = allot(view, rows)
  const lines: Line[] = [header(view, columns)]
  const gap = () => room.gaps && lines.push([])
  gap()
  lines.push(...sensorLines(view, columns, room.sensors))
  gap()
  lines.push(...actuatorLines(view, columns, room.actuators))
  gap()
  if (view.wire) {
    lines.push(...wireLines(view.wire, columns, room.wire - Number(room.gaps)))
    gap()
  }
  lines.push(...eventLines(view.events, columns, room.events))
  lines.push(...view.running.slice(0, room.running).map(each => runningLine(each, view.now, columns)))
  const { line, column } = inputLine(view.typed, columns)
  lines.push(line, [{ text: ` ${view.hint}`, style: 'dim' }])
  return { lines: lines.slice(-rows), cursor: { row: Math.min(rows, lines.length) - 2, column } }
}

interface Room {
  gaps: boolean
  sensors: number
  actuators: number
  wire: number
  events: number
  running: number
}

/** Shares the rows out: the sensors first, then the line to type in with what it says, then the actuators. */
function allot({ sensors, actuators, running, wire }: View, rows: number): Room {
  const shownRunning = Math.min(running.length, 3)
  let left = rows - 3 - shownRunning
  const take = (wanted: number) => {
    const got = Math.max(0, Math.min(wanted, left))
    left -= got
    return got
  }
  const leastEvents = take(2)
  const leastWire = wire ? take(Math.max(3, Math.floor(rows / 5))) : 0
  const sensorRows = take(sensors.length + 1)
  const gaps = left >= actuators.length + 1 + 3
  if (gaps) take(3)
  const actuatorRows = take(actuators.length + 1)
  const moreWire = wire ? take(Math.ceil(left * 0.7)) : 0
  return {
    gaps,
    sensors: sensorRows,
    actuators: actuatorRows,
    wire: leastWire + moreWire,
    events: leastEvents + left,
    running: shownRunning,
  }
}

function header({ title, server, protocol }: View, columns: number): Line {
  const left = ` ${plain(title)}`
  const right = `MCP ${protocol} `
  const middle = `  ${plain(server)}`
  const space = columns - widthOf(left) - widthOf(right)
  return [
    { text: left, style: 'bold' },
    { text: fit(middle, Math.max(0, space)), style: 'dim' },
    { text: right, style: 'dim' },
  ]
}

function heading(text: string, right: string, columns: number): Line {
  return [{ text: fit(` ${text}`, columns - widthOf(right) - 1) + right, style: 'dim' }]
}

function sensorLines({ sensors, now }: View, columns: number, rows: number): Line[] {
  if (rows === 0) return []
  if (sensors.length === 0) return [none('No sensors.')]
  const shown = sensors.length < rows ? sensors : sensors.slice(0, Math.max(0, rows - 2))
  const titleWidth = columnWidth(
    shown.map(({ title }) => plain(title)),
    Math.floor(columns * 0.3),
  )
  const values = shown.map(sensor => (sensor.value === undefined ? '' : readable(sensor.value, sensor.unit)))
  const valueWidth = Math.max(10, columnWidth(values, Math.floor(columns * 0.3)))
  const rangeWidth = 17
  const chartWidth = Math.min(60, columns - titleWidth - valueWidth - rangeWidth - 8)
  const lines = shown.map((sensor, index): Line => {
    const start: Span[] = [{ text: ` ${fit(plain(sensor.title), titleWidth)}  ` }]
    if (sensor.problem !== undefined) {
      return [...start, { text: fit(plain(sensor.problem), columns - titleWidth - 4), style: 'bad' }]
    }
    const fresh = sensor.changedAt !== undefined && now - sensor.changedAt < justNowMs
    start.push({ text: fit(values[index] ?? '', valueWidth), ...(fresh && { style: 'bold' as const }) })
    if (chartWidth < 8 || typeof sensor.value === 'string') return start
    const scale = typeof sensor.value === 'boolean' ? switchScale : undefined
    const chart: Span = { text: `  ${sparkline(sensor.samples, now, chartMs, chartWidth, scale)}`, style: 'accent' }
    return [...start, chart, { text: `  ${rangeText(sensor, now)}`, style: 'dim' }]
  })
  const head = heading('Sensors', chartWidth < 8 ? '' : `the last minute, lowest … highest`, columns)
  const hidden = sensors.length - shown.length
  return [head, ...lines, ...(hidden > 0 ? [more(hidden)] : [])].slice(0, rows)
}

const switchScale = { min: 0, max: 1 }

function rangeText({ samples, value, unit }: SensorView, now: number): string {
  const found = range(samples, now, chartMs)
  if (!found || typeof value !== 'number') return ''
  const [min, max] = [found.min, found.max].map(each => rounded(unit === '/' ? each * 100 : each))
  return min === max ? '' : `${min} … ${max}`
}

function actuatorLines({ actuators }: View, columns: number, rows: number): Line[] {
  if (rows === 0) return []
  if (actuators.length === 0) return [none('No actuators.')]
  if (rows === 1) {
    return [[{ text: ' Actuators  ', style: 'dim' }, { text: actuators.map(({ name }) => plain(name)).join('  ') }]]
  }
  const shown = actuators.length < rows ? actuators : actuators.slice(0, rows - 2)
  const nameWidth = columnWidth(
    shown.map(({ name }) => plain(name)),
    Math.floor(columns * 0.3),
  )
  const signatures = shown.map(({ schema }) => signature(schema))
  const signatureWidth = columnWidth(signatures, Math.floor(columns * 0.35))
  const lines = shown.map(
    (actuator, index): Line => [
      { text: ` ${fit(plain(actuator.name), nameWidth)}  ` },
      { text: `${fit(signatures[index]!, signatureWidth)}  `, style: 'accent' },
      {
        text: fit(about(actuator, columns), columns - nameWidth - signatureWidth - 6),
        style: 'dim',
      },
    ],
  )
  const hidden = actuators.length - shown.length
  return [heading('Actuators', '', columns), ...lines, ...(hidden > 0 ? [more(hidden)] : [])].slice(0, rows)
}

/** What a bridge puts before words of a board, which a model must not take for its own. A person sees where they are from. */
const quoted = /^Says of itself: "(.*?)"/s

/** The first sentence of the description where there is room for it, else the title. */
function about({ title, description }: ActuatorView, columns: number): string {
  const words = quoted.exec(description)?.[1] ?? description
  const [sentence = ''] = /^.*?[.!?](?=\s|$)/s.exec(words) ?? [words]
  return plain(columns >= 100 && sentence !== '' ? sentence : title)
}

function none(text: string): Line {
  return [{ text: ` ${text}`, style: 'dim' }]
}

function more(count: number): Line {
  return [{ text: `   and ${count} more: make the window taller`, style: 'dim' }]
}

function wireLines(wire: readonly string[], columns: number, rows: number): Line[] {
  if (rows === 0) return []
  const shown = rows === 1 ? [] : wire.slice(-(rows - 1))
  const lines = shown.map(
    (text): Line => [
      { text: ' ' },
      { text: text.slice(0, 1), style: text.startsWith('→') ? 'good' : 'accent' },
      { text: fit(text.slice(1), columns - 3), style: 'dim' },
    ],
  )
  const head = heading('On the wire', '→ to the server, ← from it', columns)
  return padded([head, ...lines], rows, 'end')
}

const marks: Record<Event['kind'], Span> = {
  typed: { text: ' › ', style: 'dim' },
  good: { text: ' ✓ ', style: 'good' },
  bad: { text: ' ✗ ', style: 'bad' },
  note: { text: '   ' },
  server: { text: '   ', style: 'dim' },
}
const looks: Partial<Record<Event['kind'], Style>> = { typed: 'dim', server: 'dim', bad: 'bad' }

function eventLines(events: readonly Event[], columns: number, rows: number): Line[] {
  if (rows === 0) return []
  const lines = events
    .slice(-rows)
    .flatMap(({ kind, text }) =>
      wrap(plain(text), columns - 4).map(
        (part, index): Line => [
          index === 0 ? marks[kind] : { text: '   ' },
          { text: part, ...(looks[kind] && { style: looks[kind] }) },
        ],
      ),
    )
  return padded(lines.slice(-rows), rows, 'start')
}

function padded(lines: Line[], rows: number, where: 'start' | 'end'): Line[] {
  const blank = Array.from({ length: Math.max(0, rows - lines.length) }, (): Line => [])
  return where === 'start' ? [...blank, ...lines] : [...lines, ...blank]
}

function runningLine({ typed, startedAt, progress }: Running, now: number, columns: number): Line {
  const seconds = `${Math.max(0, (now - startedAt) / 1000).toFixed(0)} s`
  const head: Span[] = [
    { text: ' ▸ ', style: 'warn' },
    { text: fit(plain(typed), Math.min(widthOf(typed), Math.floor(columns * 0.35))) },
  ]
  const tail = '  Esc stops it'
  const barWidth = Math.max(8, Math.min(24, Math.floor(columns / 6)))
  const known = progress?.total !== undefined && progress.total > 0
  if (known) head.push({ text: `  ${bar(progress.progress / progress.total!, barWidth)}`, style: 'warn' })
  const words = [
    known ? `${short(progress.progress)} of ${short(progress.total!)}` : seconds,
    ...(progress?.message ? [plain(progress.message)] : []),
  ]
  const used = head.reduce((sum, { text }) => sum + widthOf(text), 0)
  const room = columns - used - widthOf(tail) - 1
  return [...head, { text: fit(`  ${words.join('  ')}`, Math.max(0, room)) }, { text: tail, style: 'dim' }]
}

function short(value: number): string {
  return String(Number(value.toFixed(2)))
}

function inputLine({ text, cursor }: View['typed'], columns: number): { line: Line; column: number } {
  const room = columns - widthOf(prompt) - 1
  let before = text.slice(0, cursor)
  // A line that is too long is shown from where the cursor still fits.
  while (widthOf(before) > room) before = [...before].slice(1).join('')
  const shown = fit(before + text.slice(cursor), room)
  return {
    line: [{ text: prompt, style: 'accent' }, { text: shown }],
    column: widthOf(prompt) + widthOf(before),
  }
}

function columnWidth(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(0, ...texts.map(widthOf)))
}
