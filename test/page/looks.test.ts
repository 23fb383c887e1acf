import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { card } from './find.ts'
import { describeInBrowser, sharedBrowser, sharedServer, visit } from './rig.ts'

describeInBrowser('the page for everybody', () => {
  const browser = sharedBrowser()
  const served = sharedServer()
  beforeEach(() => served.call('arm_outputs'))

  it('fits on a phone of 320 pixels, with a stop button that a thumb finds', async () => {
    const page = await visit(browser(), served.link, { viewport: { width: 320, height: 640 } })
    await page.getByRole('heading', { name: 'Tank refill' }).waitFor()
    for (const summary of await page.locator('summary').all()) await summary.click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    const box = (await page.locator('#stop').boundingBox())!
    expect(box.height).toBeGreaterThanOrEqual(56)
    expect(box.width).toBeGreaterThanOrEqual(240)
    await page.evaluate(() => scrollTo(0, 1500))
    const [top, height] = await page
      .locator('#stop')
      .evaluate(element => [element.getBoundingClientRect().top, innerHeight])
    expect(top).toBeGreaterThan(0)
    expect(top).toBeLessThan(height!)
    await page.locator('#stop').click()
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  })

  it('is worked by the keyboard alone', async () => {
    const page = await visit(browser(), served.link)
    await card(page, 'Heater').waitFor()
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id)
    const tabTo = async (wanted: () => Promise<boolean>) => {
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press('Tab')
        if (await wanted()) return
      }
      throw new Error('Tab does not get there')
    }
    await tabTo(() =>
      card(page, 'Heater')
        .getByRole('switch')
        .evaluate(element => element === document.activeElement),
    )
    await page.keyboard.press('Space')
    await card(page, 'Heater').getByText('Done').waitFor()
    await tabTo(() =>
      card(page, 'Grow light')
        .getByRole('slider')
        .evaluate(element => element === document.activeElement),
    )
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('ArrowRight')
    await tabTo(async () => (await focused()) === 'Set Grow light')
    await page.keyboard.press('Enter')
    await card(page, 'Grow light').getByText('Done').waitFor()
    // The focus stays where it was, however the card changes.
    expect(await focused()).toBe('Set Grow light')
  })

  it('every control has a name, every id is there once, and what is tabbed to is seen to be', async () => {
    const page = await visit(browser(), served.link)
    await card(page, 'Tank refill').waitFor()
    const found = await page.evaluate(() => {
      const problems: string[] = []
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
      problems.push(...ids.filter((id, at) => ids.indexOf(id) !== at).map(id => `id ${id} twice`))
      for (const element of document.querySelectorAll('[aria-labelledby],[aria-describedby],label[for]')) {
        for (const name of ['aria-labelledby', 'aria-describedby', 'for']) {
          for (const id of (element.getAttribute(name) ?? '').split(' ').filter(each => each !== '')) {
            if (document.getElementById(id) === null) problems.push(`${name} ${id} leads nowhere`)
          }
        }
      }
      for (const control of document.querySelectorAll<HTMLInputElement>('input,select,textarea,button')) {
        const named =
          control.getAttribute('aria-label') ??
          control.getAttribute('aria-labelledby') ??
          (control.labels?.[0]?.textContent || control.textContent)
        if (!named?.trim()) problems.push(`no name: ${control.outerHTML}`)
      }
      if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1')
      if (document.documentElement.lang !== 'en') problems.push('no language')
      if (document.querySelectorAll('main').length !== 1) problems.push('not one main')
      return problems
    })
    expect(found).toEqual([])
    const unseen = new Set<string>()
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      const problem = await page.evaluate(() => {
        const { activeElement: element } = document
        if (element === null || element === document.body) return ''
        // A field that is drawn by what stands beside it has its ring there.
        const drawn = [element, element.nextElementSibling].filter(each => each !== null)
        const isSeen = drawn.some(each => {
          const { outlineStyle, outlineWidth } = getComputedStyle(each)
          return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
        })
        return isSeen ? '' : element.outerHTML
      })
      if (problem !== '') unseen.add(problem)
    }
    expect([...unseen]).toEqual([])
  })

  it.each(['light', 'dark'] as const)('its texts can be read in %s', async colorScheme => {
    const page = await visit(browser(), served.link, { colorScheme, reducedMotion: 'reduce' })
    const heater = card(page, 'Heater')
    await heater.getByRole('switch').check()
    await heater.getByText('Done').waitFor()
    await card(page, 'Grow light').getByRole('spinbutton').fill('200')
    await page.getByRole('button', { name: 'Set Grow light' }).click()
    await page.locator('#stop').click()
    await page.getByRole('heading', { name: /^Stopped at/ }).waitFor()
    expect(await faintTexts(page)).toEqual([])
    expect(
      await page
        .locator('.track')
        .first()
        .evaluate(track => getComputedStyle(track).transitionDuration),
    ).toBe('0s')
  })

  it('thousands of points do not slow it down', async () => {
    const page = await visit(browser(), served.link)
    // The page's own modules, as it loads them. As a text, since the test's own loader would change the imports.
    const { points, parts } = await page.evaluate<{ points: number; parts: number }>(`(async () => {
      const [{ Series }, { Chart }] = await Promise.all([import('/page/series.js'), import('/page/chart.js')])
      const series = new Series()
      const begin = Date.now() - 86_400_000
      for (let second = 0; second < 86_400; second++) series.add(begin + second * 1000, Math.sin(second / 3000))
      const chart = new Chart('Many', series)
      chart.draw({ spanMs: 86_400_000, now: begin + 86_400_000, unit: 'Cel', isSwitch: false })
      const line = chart.element.querySelector('.line').getAttribute('d')
      return { points: series.times.length, parts: line.split('L').length }
    })()`)
    expect(points).toBeLessThanOrEqual(2000)
    expect(parts).toBeGreaterThan(250)
    expect(parts).toBeLessThanOrEqual(302)
  })
})

/** Texts whose contrast to what is behind them is less than 4.5 (WCAG 2.2, 1.4.3), or 3 for large ones. */
function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (color: string) => (/\(([^)]+)\)/.exec(color)?.[1] ?? '').split(/[ ,/]+/).map(Number)
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color)
        .slice(0, 3)
        .map(each => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const groundOf = (element: Element | null): string => {
      if (element === null) return 'rgb(255, 255, 255)'
      const { backgroundColor } = getComputedStyle(element)
      return (channels(backgroundColor)[3] ?? 1) === 0 ? groundOf(element.parentElement) : backgroundColor
    }
    const faint: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const text = [...element.childNodes]
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        .map(each => each.textContent?.trim())
        .join('')
      if (text === '' || element.offsetParent === null || element.closest('.unseen') !== null) continue
      const { color, fontSize, fontWeight } = getComputedStyle(element)
      const [one, other] = [luminance(color), luminance(groundOf(element))]
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
      const isLarge =
        Number.parseFloat(fontSize) >= 24 || (Number.parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700)
      if (ratio < (isLarge ? 3 : 4.5)) faint.push(`${text}: ${ratio.toFixed(2)}`)
    }
    return faint
  })
}
