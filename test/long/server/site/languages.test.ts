import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestHub } from '../../../support/hub.ts'
import { untranslated } from '../../../support/languages.ts'
import { openPage } from '../../../support/processes/browser.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'
import { shown } from '../../../support/processes/shown-texts.ts'

const open = browserBesideHub('the reference in Vietnamese is not looked at')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

/** The reference, with an operation that was run. */
async function runOperation(page: Page) {
  await page.locator('.opblock').first().waitFor()
  for (const path of ['/api/v1/partner/device/{serial}', '/api/v1/partner/auth/token']) {
    const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) })
    await operation.locator('.opblock-summary-control').click()
    const serial = operation.locator('[placeholder=serial]')
    if (path.includes('serial')) await serial.fill('NONE-1')
    await operation.locator('.execute').click()
    await operation.locator('.live-responses-table').first().waitFor()
  }
  await page.fill('#search', 'device')
  await page.waitForFunction(`document.getElementById('found').textContent !== ''`)
}

/** Every text of the OpenAPI document, which stays as it is. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
}

describe.skipIf(!open)('in a browser, in Vietnamese', () => {
  it('the reference says only what the OpenAPI document has in English', async () => {
    const words = new Set(textsIn(await (await fetch(`${hub.http}/openapi.json`)).json()))
    const said = async (language: string) => {
      const { page } = await openPage(browser)
      await page.goto(`${hub.http}/docs?lang=${language}`)
      await runOperation(page)
      return shown(page)
    }
    const left = untranslated(await said('vi'), await said('en'))
    const isPath = (text: string) => /^(get |post |put |patch |delete )?[\u200b/]\S+$/.test(text)
    expect(left.filter((text) => !words.has(text) && !isPath(text))).toEqual([])
  })
})
