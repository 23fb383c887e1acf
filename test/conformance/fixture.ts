import { createServer, type Server, tool } from '../../runtime/index.ts'
import { type HttpServing, http } from '../../transports/http/index.ts'
import { askingTools } from './asking-tools.ts'
import { contentTools } from './content-tools.ts'
import { prompts, resources, resourceTemplates } from './resources.ts'
import { taskTools } from './task-tools.ts'

/** The tools that make a list another one. */
function changingTools(server: () => Server) {
  let changes = 0
  return {
    test_trigger_tool_change: tool({
      description: 'Changes the list of tools.',
      call() {
        const description = `Changed ${++changes} times.`
        server().tools.set('test_changing_tool', tool({ description, call: () => description }))
        return description
      },
    }),
    test_trigger_prompt_change: tool({
      description: 'Changes the list of prompts.',
      call() {
        const description = `Changed ${++changes} times.`
        server().prompts.set('test_changing_prompt', { description, get: () => description })
        return description
      },
    }),
  }
}

/** The server with every fixture. */
export function conformanceServer(): Server {
  const server: Server = createServer(
    { name: 'ferrule-conformance', version: '1.0.0' },
    {
      tools: { ...contentTools, ...askingTools, ...taskTools, ...changingTools(() => server) },
      resources,
      resourceTemplates,
      prompts,
    },
  )
  return server
}

/** Serves it at that port of this computer. A call that takes a tenth of a second is answered by a stream, but not for long. */
export function serveConformance(port: number): Promise<HttpServing> {
  return http({ port, limits: { keepAliveMs: 100, streamMs: 200 } }).serve(conformanceServer())
}
