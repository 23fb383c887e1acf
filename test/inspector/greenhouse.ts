import { simulatedGreenhouse } from '../../boards/simulated/index.ts'
import { createServer } from '../../runtime/index.ts'
import { stdio } from '../../transports/stdio/index.ts'

await stdio().serve(createServer(simulatedGreenhouse(), { readSensorsTool: true }))
