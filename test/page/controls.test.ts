import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { projectDir } from '../child.ts'
import { card } from './find.ts'
import { describeInBrowser, sharedBrowser, sharedServer, visit } from './rig.ts'

const bench = join(projectDir, 'test/page/workbench.ts')

describeInBrowser('controls on the page', () => {
  const browser = sharedBrowser()
  const served = sharedServer(bench)

  it('a switch moves the actuator, and the sensor on the page shows it', async () => {
    const page = await visit(browser(), served.link)
    const relay = card(page, 'Relay')
    await relay.getByRole('switch').check()
    await relay.getByText('Done').waitFor()
    await relay.getByText('Relay state shows On').waitFor()
    await card(page, 'Relay contact').locator('.value', { hasText: 'On' }).waitFor()
    await relay.getByRole('switch').uncheck()
    await card(page, 'Relay contact').locator('.value', { hasText: 'Off' }).waitFor()
  })

  it('a slider has the range and the unit of its argument, and the same number to type', async () => {
    const page = await visit(browser(), served.link)
    const lamp = card(page, 'Lamp')
    const slider = lamp.getByRole('slider')
    expect(await slider.getAttribute('min')).toBe('0')
    expect(await slider.getAttribute('max')).toBe('100')
    await slider.fill('40')
    expect(await lamp.getByRole('spinbutton').inputValue()).toBe('40')
    expect(await slider.getAttribute('aria-valuetext')).toBe('40 %')
    await lamp.getByRole('button', { name: 'Set Lamp' }).click()
    await card(page, 'Lamp level').locator('.value', { hasText: '40 %' }).waitFor()
    await lamp.getByRole('spinbutton').fill('25')
    expect(await slider.inputValue()).toBe('25')
  })

  it('what does not fit is told in words beside the field, and nothing is sent', async () => {
    const page = await visit(browser(), served.link)
    const lamp = card(page, 'Lamp')
    let calls = 0
    page.on('request', request => {
      if (request.postData()?.includes('tools/call')) calls++
    })
    const number = lamp.getByRole('spinbutton')
    await number.fill('150')
    await number.press('Enter')
    await lamp.getByText('Percent must be at most 100 %.').waitFor()
    expect(await number.getAttribute('aria-invalid')).toBe('true')
    await number.fill('')
    await number.press('Enter')
    await lamp.getByText('Give a number for Percent.').waitFor()
    expect(calls).toBe(0)
  })

  it('a refusal is shown beside the control that it is about', async () => {
    const page = await visit(browser(), served.link)
    const lamp = card(page, 'Lamp')
    await lamp.getByRole('spinbutton').fill('95')
    await lamp.getByRole('button', { name: 'Set Lamp' }).click()
    await lamp.getByRole('status').getByText('the lamp is too warm for more than 90 %').waitFor()
  })

  it('a choice, a text and JSON have fields of their own, and are checked', async () => {
    const page = await visit(browser(), served.link)
    const settings = card(page, 'Settings')
    const send = settings.getByRole('button', { name: 'Run Settings' })
    await send.click()
    await settings.getByText('Choose one for Mode.').waitFor()
    await settings.getByLabel('Mode').selectOption('manual')
    await settings.getByLabel('Label').fill('x')
    await settings.getByLabel('Curve').fill('[1, 2')
    await send.click()
    await settings.getByText('Label must have at least 2 characters.').waitFor()
    await settings.getByText('Curve is no JSON').waitFor()
    await settings.getByLabel('Label').fill('north')
    await settings.getByLabel('Curve').fill('[1, 2.5]')
    await send.click()
    await card(page, 'Mode').getByText('manual [1,2.5]').waitFor()
    // What a device says is text, whatever it looks like.
    await card(page, 'Label').getByText('<b>north</b>').waitFor()
  })

  it('a move that takes long shows how far it is, and can be cancelled', async () => {
    const page = await visit(browser(), served.link)
    const shade = card(page, 'Shade')
    await shade.getByRole('spinbutton').fill('1000')
    await shade.getByRole('button', { name: 'Run Shade' }).click()
    await shade.getByText(/^Step \d+$/).waitFor()
    expect(await shade.getByRole('progressbar').getAttribute('max')).toBe('1000')
    await shade.getByRole('button', { name: 'Cancel Shade' }).click()
    await shade.getByText('Broken off').waitFor()
    // The server heard of it: the shade stands still, while everything else goes on.
    const position = card(page, 'Shade position').locator('.value .number')
    await expect.poll(async () => stays(position, card(page, 'Ticks').locator('.value .number'))).toBe(true)
    expect(Number(await position.textContent())).toBeLessThan(1000)
  })

  it('a question of the server is asked in a dialog, and its answer goes back', async () => {
    const page = await visit(browser(), served.link)
    const calibrate = card(page, 'Calibrate')
    await calibrate.getByRole('button', { name: 'Run Calibrate' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('What does the reference show?').waitFor()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.getByText('Give a number for Celsius.').waitFor()
    await dialog.getByRole('spinbutton').fill('300')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.getByText('Celsius must be at most 150 °C.').waitFor()
    await dialog.getByRole('spinbutton').fill('19.5')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await calibrate.getByText('Calibrated to 19.5 °C').waitFor()
  })

  it('a question can be declined, and left by Escape', async () => {
    const page = await visit(browser(), served.link)
    const calibrate = card(page, 'Calibrate')
    for (const leave of [
      () => page.getByRole('dialog').getByRole('button', { name: 'No' }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await calibrate.getByRole('button', { name: 'Run Calibrate' }).click()
      await page.getByRole('dialog').waitFor()
      await leave()
      await calibrate.getByText('Nothing was calibrated').waitFor()
    }
  })

  it('a person works what is for people only, and is not asked before a move', async () => {
    const page = await visit(browser(), served.link)
    await card(page, 'Furnace').getByRole('switch').check()
    await card(page, 'Furnace').getByText('Done').waitFor()
    await card(page, 'Saw').getByRole('button', { name: 'Run Saw' }).click()
    await card(page, 'Saw').getByText('Done').waitFor()
    expect(await page.getByRole('dialog').isVisible()).toBe(false)
  })

  it('a token that may act is asked by the dialog, and sees nothing that is for people only', async () => {
    const { token } = await served.tokens.create('acting', { access: 'act' })
    const page = await visit(browser(), `${served.address}#key=${token}`)
    expect(await card(page, 'Furnace').count()).toBe(0)
    await card(page, 'Saw').getByRole('button', { name: 'Run Saw' }).click()
    await page.getByRole('dialog').getByText('May the model move Saw').waitFor()
    await page.getByRole('button', { name: 'No' }).click()
    await card(page, 'Saw').getByText('the person did not agree to it').waitFor()
  })

  it('a token that may only read sees the sensors, the stop button and no controls', async () => {
    const { token } = await served.tokens.create('reading', { access: 'read' })
    const page = await visit(browser(), `${served.address}#key=${token}`)
    await page.getByText('This token may read the sensors, and moves nothing.').waitFor()
    expect(await page.getByRole('switch').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Stop everything' }).isVisible()).toBe(true)
  })
})

describeInBrowser('a server that only tries', () => {
  const browser = sharedBrowser()
  const served = sharedServer(bench, [], { DRY_RUN: '1' })

  it('says so before and after each move', async () => {
    const page = await visit(browser(), served.link)
    await page.getByText('Moves are checked and described. Nothing is moved.').waitFor()
    const relay = card(page, 'Relay')
    await relay.getByRole('switch').click()
    await relay.getByRole('status').getByText('Dry run').waitFor()
    await relay.getByText('Nothing was moved.').waitFor()
    expect(await relay.getByRole('switch').isChecked()).toBe(false)
  })
})

/** Whether a value is the same after another one has changed twice. */
async function stays(value: Locator, other: Locator): Promise<boolean> {
  const before = await value.textContent()
  for (let changes = 0; changes < 2; changes++) {
    const last = await other.textContent()
    await expect.poll(() => other.textContent()).not.toBe(last)
  }
  return (await value.textContent()) === before
}
