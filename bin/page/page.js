import { Door, forgetKey, takeKey } from './access.js'
import { Actuators } from './actuators.js'
import { announce, byId, setText } from './dom.js'
import { Live } from './live.js'
import { McpClient } from './mcp.js'
import { Sensors } from './sensors.js'
import { Stop } from './stop.js'
import { wordsOf } from './words.js'

/** @typedef {import('./live.js').State} State */

const client = new McpClient(new URL('mcp', document.baseURI))
/** @type {Map<string, string>} */
const titles = new Map()
const sensors = new Sensors()
const actuators = new Actuators({
  client,
  moved: () => live.refresh(),
  disarmed: () => stop.disarmed(),
  lastOf: name => sensors.lastOf(name),
})
const stop = new Stop({
  client,
  titleOf: name => titles.get(name) ?? wordsOf(name),
  stopped() {
    actuators.forget()
    live.refresh()
  },
})
const live = new Live(client, {
  state: showState,
  board: showBoard,
  reading(uri, reading) {
    sensors.take(uri, reading)
    actuators.follow()
  },
  failure: (uri, why) => sensors.fail(uri, why),
  history: (uri, points) => sensors.remember(uri, points),
})
const door = new Door(token => open(token))

/** @type {State} */
let state = 'connecting'
/** When the connection was lost, while it is. */
let lostAt = 0
let lostWhy = ''
let started = false

/** @param {string} token */
function open(token) {
  client.token = token
  door.shut()
  showState('connecting', '')
  if (started) return live.retry()
  started = true
  void live.run()
}

/**
 * @param {State} next
 * @param {string} why
 */
function showState(next, why) {
  const was = state
  state = next
  document.body.dataset.state = next
  const isThere = next === 'live' || next === 'polling'
  setText(
    byId('state'),
    {
      connecting: 'Connecting…',
      live: 'Live',
      polling: 'Live, by asking',
      lost: 'Connection lost',
      locked: 'Not let in',
    }[next],
  )
  byId('state').title = next === 'polling' ? why : ''
  actuators.usable = isThere
  if (isThere) {
    byId('lost').hidden = true
    byId('board').hidden = false
    byId('waiting').hidden = true
    door.shut()
    if (was === 'lost') announce('The connection is back.')
    if (was === 'lost' || was === 'locked') actuators.forget()
  }
  if (next === 'lost') {
    lostWhy = why
    if (was !== 'lost') {
      lostAt = Date.now()
      sensors.lose()
    }
    byId('lost').hidden = false
    byId('waiting').hidden = true
    showLost()
  }
  if (next === 'locked') {
    byId('lost').hidden = true
    byId('waiting').hidden = true
    sensors.lose()
    door.ask(why)
  }
}

function showLost() {
  const seconds = Math.round((Date.now() - lostAt) / 1000)
  // Told once to who listens; the rest of the line only goes on counting.
  setText(byId('lost-why'), `Connection lost: ${lostWhy}.`)
  setText(byId('lost-since'), `Values are ${seconds} s old and older. This page tries again by itself.`)
}

/** @param {import('./live.js').BoardView} board */
function showBoard({ title, description, tools, sensors: found }) {
  document.title = `${title} · Ferrule`
  setText(byId('title'), title)
  setText(byId('description'), description)
  byId('about').hidden = description === ''
  for (const tool of tools) titles.set(tool.name, tool.title ?? wordsOf(tool.name))
  const has = (/** @type {string} */ name) => tools.some(tool => tool.name === name)
  stop.offer({ canStop: has('stop_all'), canArm: has('arm_outputs') })
  const moving = tools.filter(
    ({ name, annotations }) => annotations?.readOnlyHint !== true && name !== 'stop_all' && name !== 'arm_outputs',
  )
  const count = actuators.show(moving)
  actuators.usable = state === 'live' || state === 'polling'
  sensors.show(found)
  byId('columns').classList.toggle('many-controls', count > 3)
  byId('actuators-section').hidden = count === 0
  byId('read-only').hidden = count > 0 || found.length === 0
  byId('dry-run').hidden = !moving.some(({ outputSchema }) => outputSchema?.properties?.dryRun?.const === true)
}

byId('leave').addEventListener('click', () => {
  forgetKey()
  location.reload()
})
byId('try-again').addEventListener('click', () => live.retry())
window.addEventListener('online', () => live.retry())
window.addEventListener('hashchange', () => {
  const key = takeKey()
  if (key !== undefined) open(key)
})
document.addEventListener('visibilitychange', () => (document.hidden ? live.pause() : live.resume()))
setInterval(() => {
  if (document.hidden) return
  sensors.draw()
  if (state === 'lost') showLost()
}, 1000)

const key = takeKey()
if (key === undefined) {
  byId('waiting').hidden = true
  document.body.dataset.state = 'locked'
  setText(byId('state'), 'Not connected')
  door.ask('')
} else open(key)
