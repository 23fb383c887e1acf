/**
 * A greenhouse to play with, no hardware needed. Let an MCP client talk to it:
 *
 *   npx ferrule serve examples/greenhouse.ts
 *
 * Or try it yourself in the terminal first, read its sensors and run its pump:
 *
 *   npx ferrule try examples/greenhouse.ts
 *
 * When you are ready for a board of your own, copy own-board.ts, which lies beside this file.
 */
import { simulatedGreenhouse } from 'ferrule/boards/simulated'

export default simulatedGreenhouse()
