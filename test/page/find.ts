import type { Locator, Page } from 'playwright-core'

/** The card of a sensor or an actuator. */
export function card(page: Page, title: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
}
