import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestHub } from '../../../support/hub.ts'
import { openPage } from '../../../support/processes/browser.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'

const open = browserBesideHub('the reference is not looked at')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

async function visit(path: string, options: Parameters<typeof openPage>[1] = {}) {
  const watched = await openPage(browser, options)
  await watched.page.goto(`${hub.http}${path}`)
  return watched
}

describe.skipIf(!open)('in a browser', () => {
  it('the reference begins with its operations, and finds some by their words', async () => {
    const { page, complaints } = await visit('/docs')
    await page.locator('.opblock').first().waitFor()
    const headings = await page.locator('#content h2, #content h3').allTextContents()
    expect(headings[0]).toMatch(/^Partner/)
    const all = await page.locator('.opblock').count()
    expect(all).toBeGreaterThan(25)
    await page.fill('#search', 'rotate SECRET')
    await page.locator('#found', { hasText: '1 operation' }).waitFor()
    expect(await page.locator('.opblock-summary-path').first().textContent()).toContain('rotate')
    await page.fill('#search', 'nothing has these words')
    await page.locator('#found', { hasText: '0 operations' }).waitFor()
    await page.fill('#search', '')
    await page
      .locator('.opblock')
      .nth(all - 1)
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('the reference shows the call of the client beside curl, and one below the other on a phone', async () => {
    const { page, complaints } = await visit('/docs#/Partner/getDevice', { width: 1200, height: 900 })
    const [curl, client] = [
      page.locator('.opblock #getDevice-curl'),
      page.locator('.opblock #getDevice-client'),
    ]
    await client.waitFor()
    expect(await curl.locator('code').textContent()).toMatch(
      /^curl -s "\$HUB\/api\/v1\/partner\/device\/SB-0001" .*Bearer \$TOKEN"$/s,
    )
    expect(await client.locator('code').textContent()).toBe("await hub.getDevice('SB-0001')")
    const place = async (of: typeof curl) => (await of.boundingBox()) ?? { x: 0, y: 0 }
    expect((await place(curl)).y).toBe((await place(client)).y)
    await page.setViewportSize({ width: 390, height: 844 })
    expect((await place(curl)).x).toBe((await place(client)).x)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await client.locator('.copy').click()
    await client.locator('.copy', { hasText: 'Copied' }).waitFor()
    expect(complaints).toEqual([])
  })
})
