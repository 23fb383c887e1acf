import { expect, it } from 'vitest'
import { describeInBrowser, isLive, open, sharedBrowser, sharedServer, visit } from './rig.ts'

describeInBrowser('the connection of the page', () => {
  const browser = sharedBrowser()
  const served = sharedServer('@greenhouse', ['--require-token'])

  it('the key is taken out of the address, and a reload still has it', async () => {
    const page = await visit(browser(), served.link)
    expect(page.url()).toBe(served.address)
    await page.reload()
    await isLive(page)
    expect(page.url()).toBe(served.address)
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.getByRole('heading', { name: 'Who is there?' }).waitFor()
  })

  it('without a key it asks for a token, and says why one is not let in', async () => {
    const { page } = await open(browser(), served.address)
    const field = page.getByLabel('Token')
    await field.waitFor()
    expect(await page.locator('#board').isVisible()).toBe(false)
    await field.fill('ferrule_wrong')
    await field.press('Enter')
    await page.getByText('This token is not known here, or was revoked').waitFor()
    const { token } = await served.tokens.create('anna', { access: 'person' })
    await field.fill(token)
    await field.press('Enter')
    await isLive(page)
    await page.getByRole('heading', { name: 'Air temperature' }).waitFor()
  })

  it('a lost server is told, controls do nothing meanwhile, and it comes back by itself', async () => {
    const { token } = await served.tokens.create('ben', { access: 'person' })
    const { page } = await open(browser(), `${served.address}#key=${token}`)
    await isLive(page)
    await page.locator('.sensor .value .number', { hasText: /\d/ }).first().waitFor()
    await served.kill()
    await page.getByText('Connection lost').first().waitFor()
    await page.getByText(/Values are \d+ s old and older/).waitFor()
    expect(await page.getByRole('switch').first().isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: /^Set / }).first().isDisabled()).toBe(true)
    const opacity = await page
      .locator('.sensor .value')
      .first()
      .evaluate(element => getComputedStyle(element).opacity)
    expect(Number(opacity)).toBeLessThan(1)
    await served.start()
    await isLive(page)
    await page.locator('#lost').waitFor({ state: 'hidden' })
    expect(await page.getByRole('switch').first().isEnabled()).toBe(true)
  })

  it('after a restart the key of the last run is refused, and the new link opens it in the same tab', async () => {
    const { page } = await open(browser(), served.link)
    await isLive(page)
    await served.kill()
    await page.getByText('Connection lost').first().waitFor()
    await served.start()
    await page.getByText('This token is not known here, or was revoked').waitFor()
    await page.goto(served.link)
    await isLive(page)
  })
})

describeInBrowser('where no stream comes through', () => {
  const browser = sharedBrowser()
  const served = sharedServer()

  it('the sensors are asked now and then', async () => {
    const { page } = await open(browser(), 'about:blank')
    await page.route('**/mcp', route =>
      route.request().postData()?.includes('subscriptions/listen')
        ? route.fulfill({ json: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Unknown method' } } })
        : route.continue(),
    )
    await page.goto(served.link)
    await page.locator('body[data-state=polling]').waitFor()
    const value = page.locator('.sensor .value .number').first()
    await expect.poll(() => value.textContent()).toMatch(/\d/)
    const first = await value.textContent()
    await expect.poll(() => value.textContent(), { timeout: 30_000 }).not.toBe(first)
  })
})

describeInBrowser('on this computer, without tokens', () => {
  const browser = sharedBrowser()
  const served = sharedServer()

  it('a key of another run is refused, and programs without any come in as they did', async () => {
    const { page } = await open(browser(), `${served.address}#key=ferrule_other`)
    await page.getByText('This token is not known here, or was revoked').waitFor()
    const response = await fetch(new URL('/mcp', served.address), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      }),
    })
    expect(response.status).toBe(200)
  })
})
