/** The same server over stdio: `npx tsx test/conformance/stdio.ts`. */
import { stdio } from '../../transports/stdio/index.ts'
import { conformanceServer } from './fixture.ts'

await stdio().serve(conformanceServer())
