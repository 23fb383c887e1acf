import type { Digital } from '../../../../boards/io.ts'
import { digital } from '../../../../boards/raspberry-pi/index.ts'
import { actuator, createServer, tool } from '../../../../runtime/index.ts'
import { stdio } from '../../../../transports/stdio/index.ts'

/** A board with one heater at GPIO17, as a user would write it, and a tool that crashes. */
let heater: Digital
const server = createServer(
  {
    name: 'heater',
    open() {
      heater = digital({ pin: 'GPIO17', mode: 'output' })
    },
    close: () => heater.close(),
    actuators: {
      heater: actuator({
        inputSchema: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
        safe: { on: false },
        set: ({ on }) => heater.write(on),
      }),
    },
  },
  {
    tools: {
      crash: tool({
        call() {
          setTimeout(() => {
            throw new Error('crash from a timer')
          }, 20)
          return 'about to crash'
        },
      }),
    },
  },
)
await stdio().serve(server)
