import { existsSync } from 'node:fs'
import process from 'node:process'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Where Chromium or Chrome is on this machine; nothing when it is not. */
export const chromiumPath: string | undefined = places.find(place => place !== '' && existsSync(place))

/** What to do where there is none. */
export const howToGetChromium =
  'these tests need Chromium: install it (Debian: apt-get install chromium), or name it in the variable CHROMIUM'

/** Starts the browser, without a window, and without what it does on its own. */
export function startChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(howToGetChromium)
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A page that keeps what went wrong in it. */
export interface WatchedPage {
  page: Page
  /** Errors of the console, breaches of the policy, exceptions. */
  troubles: string[]
  /** The address of every request. */
  requests: string[]
  close(): Promise<void>
}

/** Opens a page in a context of its own: nothing is remembered from another one. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  const page = await context.newPage()
  const troubles: string[] = []
  const requests: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
  })
  page.on('pageerror', error => troubles.push(error.stack ?? error.message))
  page.on('request', request => requests.push(request.url()))
  return { page, troubles, requests, close: () => context.close() }
}
