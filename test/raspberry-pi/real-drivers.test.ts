import { test } from 'vitest'

/** They need a kernel of their own, which takes a quarter of an hour to build. */
test.skip('pins and buses on the real drivers of a kernel: npm run test:kernel', () => {})
