import process from 'node:process'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { chromiumPath, howToGetChromium, openPage, startChromium, type WatchedPage } from './chromium.ts'
import { ServedPage } from './served.ts'

const isMissing = chromiumPath === undefined && !process.env.CI
if (isMissing) console.warn(`skipped: ${howToGetChromium}`)

/** Tests in a real browser. Without one they are skipped, but for where everything has to be tested: there they fail. */
export const describeInBrowser = describe.skipIf(isMissing)

/** One browser for the tests of a `describe`. */
export function sharedBrowser(): () => Browser {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  return () => browser
}

/** One server for the tests of a `describe`: a file, and further options of `ferrule serve`. */
export function sharedServer(
  file?: string,
  options: readonly string[] = [],
  env: Record<string, string> = {},
): ServedPage {
  const served = new ServedPage(file, options, env)
  beforeAll(() => served.start())
  afterAll(() => served.close())
  return served
}

/**
 * Opens an address, and waits until its board is there. When the test is over, nothing may have gone wrong in it: no error
 * on its console, no breach of its policy, and no request to anybody else.
 */
export async function visit(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const watched = await open(browser, address, options)
  await isLive(watched.page)
  return watched.page
}

/** The same without waiting for the board. What the browser itself says of a server that is gone is no trouble. */
export async function open(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, options)
  onTestFinished(async () => {
    const { origin } = new URL(watched.page.url())
    await watched.close()
    expect(watched.troubles.filter(text => !/net::ERR_|status of 401/.test(text))).toEqual([])
    expect(watched.requests.filter(url => new URL(url).origin !== origin)).toEqual([])
    expect(watched.requests.filter(url => url.includes('ferrule_'))).toEqual([])
  })
  await watched.page.goto(address)
  return watched
}

/** Waits until the page follows the board. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('body[data-state=live]').waitFor()
}
