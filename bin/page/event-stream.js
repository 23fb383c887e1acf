/**
 * The messages of an event stream (HTML Living Standard, "Server-sent events"), as far as MCP uses them: the data of each
 * event, as JSON.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} heard is told of every piece that comes, also of the signs of life between the events
 * @returns {AsyncGenerator<any>}
 */
export async function* messagesOf(body, heard) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let data = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      heard()
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('data:')) data += line.slice(line[5] === ' ' ? 6 : 5)
        else if (line === '' && data !== '') {
          const text = data
          data = ''
          yield JSON.parse(text)
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
