// Makes the pictures of docs/page.md: npx tsx test/page/screenshot.ts
// The greenhouse is worked for a minute first, so that the charts have something to show.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { projectDir } from '../child.ts'
import { openPage, startChromium } from './chromium.ts'
import { card } from './find.ts'
import { ServedPage } from './served.ts'

const mostBytes = 150_000

const served = new ServedPage()
await served.start()
const browser = await startChromium()
try {
  const desk = await openPage(browser, { viewport: { width: 1280, height: 820 } })
  const phone = await openPage(browser, { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: 'dark' })
  for (const { page } of [desk, phone]) {
    await page.goto(served.link)
    await page.locator('body[data-state=live]').waitFor()
  }
  await work(desk.page)
  await shoot(desk.page, 'page.png')
  await phone.page.locator('#stop').click()
  await phone.page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
  await shoot(phone.page, 'page-phone.png')
} finally {
  await browser.close()
  await served.close()
}

async function work(page: Page): Promise<void> {
  await card(page, 'Heater').getByRole('switch').check()
  await delay(15_000)
  await set(page, 'Grow light', 'Set Grow light', '70')
  await delay(12_000)
  await set(page, 'Roof vent', 'Set Roof vent', '35')
  await delay(14_000)
  await set(page, 'Roof vent', 'Set Roof vent', '0')
  await delay(14_000)
  await set(page, 'Water pump', 'Run Water pump', '12')
  await delay(9000)
  await page.evaluate('scrollTo(0, 0)')
}

async function set(page: Page, title: string, button: string, value: string): Promise<void> {
  await card(page, title).getByRole('spinbutton').fill(value)
  await page.getByRole('button', { name: button }).click()
}

async function shoot(page: Page, name: string): Promise<void> {
  const path = join(projectDir, 'docs', name)
  await page.screenshot({ path })
  const bytes = statSync(path).size
  if (bytes > mostBytes) throw new Error(`docs/${name} has ${bytes} bytes: ${mostBytes} is the most`)
  console.log(`docs/${name}: ${bytes} bytes`)
}
