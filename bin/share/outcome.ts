/** A request of a host, as far as it matters to whoever passes it on. */
export interface HostRequest {
  id: string | number
  method: string
  params: Record<string, unknown>
}

const protocolVersion = 'io.modelcontextprotocol/protocolVersion'

/** The answer to a request that cannot be answered by a server: a result for a tool, which the model reads, else an error. */
export function failureOf({ id, method, params }: HostRequest, text: string): object {
  if (method !== 'tools/call') return { jsonrpc: '2.0', id, error: { code: -32603, message: text } }
  const meta = params._meta as Record<string, unknown> | undefined
  const isModern = typeof meta === 'object' && meta !== null && meta[protocolVersion] !== undefined
  const result = { content: [{ type: 'text', text }], isError: true }
  return { jsonrpc: '2.0', id, result: isModern ? { resultType: 'complete', ...result } : result }
}

/** The outcome of a call that may or may not have been done. */
export function unknownOutcome({ params }: HostRequest, owner: string): string {
  return (
    `It is unknown whether ${named(params)} was done: ${owner}, which had the device, ended in the middle of the call. ` +
    'It was not sent again. Read a sensor to see how things stand before calling again.'
  )
}

/** The outcome of a call that never began. */
export function notBegun({ params }: HostRequest, why: string): string {
  return `Nothing was done: ${named(params)} did not begin, because ${why}. Call again in a moment.`
}

function named({ name }: Record<string, unknown>): string {
  return typeof name === 'string' ? name.slice(0, 128) : 'the call'
}
