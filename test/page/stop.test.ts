import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { projectDir } from '../child.ts'
import { card } from './find.ts'
import { describeInBrowser, isLive, open, sharedBrowser, sharedServer, visit } from './rig.ts'

const bench = join(projectDir, 'test/page/workbench.ts')

describeInBrowser('the stop button', () => {
  const browser = sharedBrowser()
  const served = sharedServer(bench)
  beforeEach(() => served.call('arm_outputs'))

  it('stops at once, shows which outputs were seen to be safe, and arming lets them move again', async () => {
    const page = await visit(browser(), served.link)
    const relay = card(page, 'Relay')
    await relay.getByRole('switch').check()
    await relay.getByText('Done').waitFor()
    await page.getByRole('button', { name: 'Stop everything' }).click()
    await page.getByRole('heading', { name: /^Stopped at .*; outputs stay off$/ }).waitFor()
    const report = page.locator('#stopped-report')
    await report.getByText('Relay safe, as its sensor shows (Relay state shows Off)').waitFor()
    await report.getByText('Lamp put into its safe state; no sensor shows it').waitFor()
    await card(page, 'Relay contact').locator('.value', { hasText: 'Off' }).waitFor()

    await relay.getByRole('switch').click()
    await relay.getByText('the outputs were stopped and stay off until a person arms the outputs').waitFor()
    expect(await relay.getByRole('switch').isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Arm the outputs' }).click()
    await page.locator('#stopped').waitFor({ state: 'hidden' })
    await relay.getByRole('switch').check()
    await relay.getByText('Done').waitFor()
  })

  it('is the first thing that Tab comes to, and breaks off what moves', async () => {
    const page = await visit(browser(), served.link)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('stop')
    const shade = card(page, 'Shade')
    await shade.getByRole('spinbutton').fill('1000')
    await shade.getByRole('button', { name: 'Run Shade' }).click()
    await shade.getByText(/^Step \d+$/).waitFor()
    await page.locator('#stop').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
    await shade.getByRole('progressbar').waitFor({ state: 'hidden' })
  })

  it('is pressed by Escape twice, also out of a dialog', async () => {
    const page = await visit(browser(), served.link)
    expect(await page.locator('#stop').getAttribute('aria-describedby')).toBe('stop-hint')
    await card(page, 'Calibrate').getByRole('button', { name: 'Run Calibrate' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
  })

  it('gets a connection when all that a browser has to one server are taken', async () => {
    const page = await visit(browser(), served.link)
    for (let tabs = 0; tabs < 6; tabs++) {
      const tab = await page.context().newPage()
      await tab.goto(served.link)
      // The sixth finds no connection left for its subscription.
      if (tabs < 4) await isLive(tab)
    }
    await page.locator('#stop').click()
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
  })

  it('is for who may only read, too', async () => {
    const { token } = await served.tokens.create('reader', { access: 'read' })
    const page = await visit(browser(), `${served.address}#key=${token}`)
    await page.locator('#stop').click()
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Arm the outputs' }).isVisible()).toBe(false)
  })

  it('says plainly that it could not stop, and stops when the server is there again', async () => {
    const { token } = await served.tokens.create('stopper', { access: 'person' })
    const { page } = await open(browser(), `${served.address}#key=${token}`)
    await isLive(page)
    await served.kill()
    await page.locator('#stop').click()
    await page.getByRole('heading', { name: 'NOT stopped: the server cannot be reached' }).waitFor()
    await served.start()
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
  })
})
