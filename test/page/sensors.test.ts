import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { projectDir } from '../child.ts'
import { card } from './find.ts'
import { describeInBrowser, sharedBrowser, sharedServer, visit } from './rig.ts'

const bench = join(projectDir, 'test/page/workbench.ts')

describeInBrowser('sensors on the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-probe-'))
  const cut = join(folder, 'cut')
  const browser = sharedBrowser()
  const served = sharedServer(bench, [], { PROBE_CUT: cut })

  it('values change while one looks, with their unit and their age', async () => {
    const page = await visit(browser(), served.link)
    const ticks = card(page, 'Ticks').locator('.value')
    const first = await ticks.textContent()
    await page.waitForFunction(([element, before]) => (element as HTMLElement).textContent !== before, [
      await ticks.elementHandle(),
      first,
    ] as const)
    await card(page, 'Probe').getByText('21.5 °C').waitFor()
    await card(page, 'Probe')
      .locator('.age', { hasText: /^(now|\d+ s ago)$/ })
      .waitFor()
  })

  it('a chart says the same in words', async () => {
    const page = await visit(browser(), served.link)
    const chart = card(page, 'Probe').getByRole('img', {
      name: /^Probe in the last .*: minimum 21.5 °C, mean 21.5 °C, maximum 21.5 °C\.$/,
    })
    await chart.waitFor()
    expect(await chart.locator('path.line').getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+)*L300 [\d.]+$/)
    await card(page, 'Relay contact')
      .getByRole('img', { name: /on \d+ % of the time, switched/ })
      .waitFor()
    expect(await card(page, 'Label').getByRole('img').count()).toBe(0)
  })

  it('the charts begin with what the server remembers', async () => {
    const first = await visit(browser(), served.link)
    await card(first, 'Ticks')
      .getByRole('img', { name: /minimum \d+/ })
      .waitFor()
    const page = await visit(browser(), served.link)
    const chart = card(page, 'Ticks').getByRole('img')
    // At its first look it has seen one value by itself; a line needs what was before.
    await page.waitForFunction(
      element => ((element as Element).querySelector('.line')?.getAttribute('d')?.split('L').length ?? 0) > 3,
      await chart.elementHandle(),
    )
  })

  it('a failed reading is told in words, and so is that it is over', async () => {
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const page = await visit(browser(), served.link)
    const probe = card(page, 'Probe')
    await probe.getByText('21.5 °C').waitFor()
    writeFileSync(cut, '')
    await probe.getByText('No reading. probe: no answer at i2c-1 0x48: check the wiring').waitFor()
    await page.locator('#news', { hasText: 'Probe gives no reading' }).waitFor()
    rmSync(cut)
    await probe.locator('.problem').waitFor({ state: 'hidden' })
    await page.locator('#news', { hasText: 'Probe gives values again: 21.5 °C' }).waitFor()
  })
})
