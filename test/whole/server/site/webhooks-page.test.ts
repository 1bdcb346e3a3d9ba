import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { webhookHeaders } from '../../../../server/webhooks/sign.ts'
import { withFile } from '../../../support/folder.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import {
  FOREIGN_HOST,
  findChromium,
  launchChromium,
  NO_BROWSER,
  openPage,
} from '../../../support/processes/browser.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`the checker of webhooks is not looked at: ${NO_BROWSER}\n`)

let browser: Browser
let hub: TestHub

const onEnd = withFile()
beforeAll(async () => {
  if (chromium === undefined) return
  const [launched, started] = await Promise.all([launchChromium(chromium, onEnd), startTestHub({ onEnd })])
  browser = launched
  hub = started
})

/** Opens the page; its scripts have run when this resolves. */
async function visit(origin = hub.http) {
  const watched = await openPage(browser)
  await watched.page.goto(`${origin}/docs/webhooks`)
  return watched
}

const text = (page: Page, selector: string) => page.locator(selector).first().textContent()

describe.skipIf(chromium === undefined)('in a browser', () => {
  it('the checker verifies its example, names mistakes while the reader types, and sends nothing', async () => {
    const { page, requests, complaints } = await visit(hub.http.replace(/127\.0\.0\.1/, FOREIGN_HOST))
    const asked = requests.length
    const grade = async () =>
      (await page.locator('#delivery-verdict').getAttribute('class'))?.replace('verdict ', '')
    expect(await grade()).toBe('right')
    expect(await page.locator('.finding.right').count()).toBe(5)

    const paste = page.getByLabel('Its three headers and its body')
    const example = await paste.inputValue()
    const signature = (await text(page, '#delivery-signature')) ?? ''
    expect(example).toContain(`webhook-signature: ${signature}`)
    const own = page.getByLabel('The signature that your code computes')
    await own.fill(signature.slice(3))
    expect(await text(page, '#delivery-own-verdict')).toContain('It lacks v1, at its start.')
    await own.fill(signature)
    expect(await page.locator('#delivery-own-verdict').getAttribute('class')).toBe('verdict right')

    // With the keyboard alone: a line break behind the body.
    await paste.focus()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press('Enter')
    expect(await grade()).toBe('wrong')
    expect(await text(page, '#delivery-verdict')).toContain('line break at its end')
    await page.keyboard.press('Backspace')
    expect(await grade()).toBe('right')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('delivery-secret')
    await page.keyboard.insertText('whsec_AAAA')
    expect(await text(page, '.finding')).toContain('too short: 3 bytes')
    expect(await grade()).toBe('wrong')

    const nasty = 'webhook-id: <img src=x onerror="alert(1)">\n\n{"type":"<img src=x>"}'
    await paste.fill(nasty)
    expect(await page.locator('.finding img').count()).toBe(0)
    await paste.fill('')
    expect(await text(page, '#delivery-verdict')).toContain('Paste a delivery')
    // A browser loads the icon when it likes.
    expect(requests.slice(asked).filter((url) => !url.endsWith('/icon.svg'))).toEqual([])
    // Over plain http, a browser says that it ignores this header.
    const others = complaints.filter(
      (text) => !text.includes('Cross-Origin-Opener-Policy header has been ignored'),
    )
    expect(others).toEqual([])
  })

  it('the checker verifies what the hub has signed', async () => {
    const { page } = await visit()
    const secret = createRandomIds().webhookSecret()
    const body = JSON.stringify({ id: 'evt_1', data: { billNumber: 'Trà sữa' } })
    const headers = webhookHeaders([secret], { id: 'evt_1', at: Date.now(), body })
    const lines = Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`)
    await page.getByLabel('Its three headers and its body').fill([...lines, '>', body].join('\n'))
    await page.getByLabel('Secret of the webhook').fill(secret)
    expect(await text(page, '#delivery-verdict')).toContain('a receiver accepts it')
    const older = { ...headers, 'webhook-timestamp': '1763870400' }
    await page.getByLabel('Its three headers and its body').fill(JSON.stringify({ headers: older, body }))
    expect(await page.locator('.finding.remark').textContent()).toContain('behind the clock of this device')
  })
})
