import { describe, expect, it } from 'vitest'
import { card } from './find.ts'
import { describeInBrowser, sharedBrowser, sharedServer, visit } from './rig.ts'

describeInBrowser('a move that is answered by a task', () => {
  const browser = sharedBrowser()
  const served = sharedServer()

  it('is followed to its end, whose outcome is shown', async () => {
    const page = await visit(browser(), served.link)
    const pump = card(page, 'Water pump')
    await pump.getByRole('spinbutton').fill('2')
    await pump.getByRole('button', { name: 'Run Water pump' }).click()
    await card(page, 'Pump running').locator('.value', { hasText: 'On' }).waitFor()
    await pump.getByText(/Litres 0\.1 .* Stopped no/).waitFor()
  })

  it('can be cancelled, and the pump stops', async () => {
    const page = await visit(browser(), served.link)
    const pump = card(page, 'Water pump')
    await pump.getByRole('spinbutton').fill('60')
    await pump.getByRole('button', { name: 'Run Water pump' }).click()
    await card(page, 'Pump running').locator('.value', { hasText: 'On' }).waitFor()
    await pump.getByText(/^Soil moisture \d/).waitFor()
    await pump.getByRole('button', { name: 'Cancel Water pump' }).click()
    await pump.getByText('Broken off').waitFor()
    await card(page, 'Pump running').locator('.value', { hasText: 'Off' }).waitFor()
  })
})

describe('what the server sends', () => {
  const served = sharedServer()

  it('a policy that lets in nothing from elsewhere, and keeps nothing', async () => {
    for (const path of ['/', '/page/page.js', '/page/page.css']) {
      const { status, headers } = await fetch(new URL(path, served.address))
      expect(status).toBe(200)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const answers = ['/page/index.html', '/page/tsconfig.json', '/page/../package.json'].map(async path => {
      const response = await fetch(new URL(path, served.address))
      return response.status
    })
    expect(await Promise.all(answers)).toEqual([404, 404, 404])
  })
})
