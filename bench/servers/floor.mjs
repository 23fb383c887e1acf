// What a user writes in an hour: readline, JSON.parse, a switch, arguments checked. No dependency, and no more of the
// protocol than a host needs to call the tool.
import { createInterface } from 'node:readline'

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const modern = '2026-07-28'
const big = process.env.BENCH_BIG === '1'

const tools = [
  {
    name: 'set_led',
    description: 'Turns an LED on or off',
    inputSchema: {
      type: 'object',
      properties: { pin: { type: 'integer' }, on: { type: 'boolean' } },
      required: ['pin', 'on'],
    },
  },
]
if (big) {
  tools.push({
    name: 'big',
    description: 'Answers a text of that many characters',
    inputSchema: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
  })
}
const resources = [{ uri: 'sensor://temperature', name: 'temperature', mimeType: 'application/json' }]
const serverInfo = { name: 'bench', version: '1.0.0' }
const capabilities = { tools: {}, resources: {} }

const fail = (code, message, data) => Object.assign(new Error(message), { code, data })
const text = string => ({ content: [{ type: 'text', text: string }] })

function call({ name, arguments: args }) {
  if (typeof args !== 'object' || args === null) throw fail(-32602, 'arguments must be an object')
  switch (name) {
    case 'set_led':
      if (!Number.isInteger(args.pin)) return { ...text('pin must be an integer'), isError: true }
      if (typeof args.on !== 'boolean') return { ...text('on must be a boolean'), isError: true }
      return text('ok')
    case 'big':
      if (!big) break
      if (!Number.isInteger(args.size)) return { ...text('size must be an integer'), isError: true }
      return text('x'.repeat(args.size))
  }
  throw fail(-32602, `Unknown tool: ${name}`)
}

function answer(method, params) {
  switch (method) {
    case 'initialize': {
      const protocolVersion = versions.includes(params.protocolVersion) ? params.protocolVersion : versions[0]
      return { protocolVersion, capabilities, serverInfo }
    }
    case 'server/discover':
      return { supportedVersions: [modern], capabilities }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools }
    case 'tools/call':
      return call(params)
    case 'resources/list':
      return { resources }
    case 'resources/read':
      if (params.uri !== 'sensor://temperature') throw fail(-32002, 'Resource not found')
      return { contents: [{ uri: params.uri, mimeType: 'application/json', text: '{"t":22.5}' }] }
    default:
      throw fail(-32601, 'Method not found')
  }
}

createInterface({ input: process.stdin }).on('line', line => {
  let message
  let reply
  try {
    message = JSON.parse(line)
  } catch {
    reply = { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } }
    process.stdout.write(`${JSON.stringify(reply)}\n`)
    return
  }
  if (message.id === undefined) return
  try {
    const params = message.params ?? {}
    const version = params._meta?.['io.modelcontextprotocol/protocolVersion']
    if (version !== undefined && version !== modern) {
      throw fail(-32022, 'Unsupported protocol version', { supported: [modern], requested: version })
    }
    const result = answer(message.method, params)
    if (version === modern) {
      result.resultType = 'complete'
      if (message.method !== 'tools/call') Object.assign(result, { ttlMs: 0, cacheScope: 'private' })
      result._meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
    }
    reply = { jsonrpc: '2.0', id: message.id, result }
  } catch (error) {
    const { code = -32603, message: reason, data } = error
    reply = { jsonrpc: '2.0', id: message.id, error: { code, message: reason, data } }
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`)
})
