import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { webhookHeaders } from '../../../../server/webhooks/sign.ts'
import { checksumVectors } from '../../../support/checksum-vectors.ts'
import type { TestHub } from '../../../support/hub.ts'
import { FOREIGN_HOST, openPage } from '../../../support/processes/browser.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'

const PAGES = ['/docs/quickstart', '/docs/checksum', '/docs/webhooks', '/docs']
const open = browserBesideHub('the pages are not looked at')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

/** Opens a page of the hub; its scripts have run when this resolves. */
async function visit(path: string, options: Parameters<typeof openPage>[1] = {}, origin = hub.http) {
  const watched = await openPage(browser, options)
  await watched.page.goto(`${origin}${path}`)
  return watched
}

/** The hub by a name that is not this machine: plain http without what browsers keep for safe places. */
const foreignOrigin = () => hub.http.replace(/127\.0\.0\.1/, FOREIGN_HOST)

/** Over plain http, a browser says that it ignores this header. */
const isOfPage = (complaint: string) => !complaint.startsWith('The Cross-Origin-Opener-Policy header')

const text = (page: Page, selector: string) => page.locator(selector).first().textContent()

/** Types into the calculator as fast as the page allows, and reads its results. */
function calculate(page: Page, boxes: Record<string, string>): Promise<Record<string, string>> {
  return page.evaluate(`(() => {
    for (const [id, value] of Object.entries(${JSON.stringify(boxes)})) {
      const box = document.getElementById(id)
      box.value = value
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }
    const ids = ['string', 'hex', 'base64', 'string-verdict', 'checksum-verdict', 'difference-place', 'json-remark']
    return Object.fromEntries(ids.map((id) => [id, document.getElementById('calc-' + id).textContent]))
  })()`)
}

describe.skipIf(!open)('in a browser', () => {
  it.each(PAGES)(
    '%s asks its hub alone, complains of nothing, fits a phone, and is dark where it should be',
    async (path) => {
      const { page, requests, complaints } = await visit(path, {
        width: 390,
        height: 844,
        colorScheme: 'dark',
      })
      if (path === '/docs') await page.locator('.opblock').first().waitFor()
      expect(requests.length).toBeGreaterThan(3)
      for (const url of requests) expect(new URL(url).origin).toMatch(new RegExp(`^${hub.http}$|^null$`))
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      const background = 'getComputedStyle(document.body).backgroundColor'
      expect(await page.evaluate(background)).toBe('rgb(13, 19, 27)')
      await page.emulateMedia({ colorScheme: 'light' })
      expect(await page.evaluate(background)).toBe('rgb(255, 255, 255)')
      expect(complaints).toEqual([])
    },
  )

  it('the quickstart fills typed values into every sample as text, and sends nothing', async () => {
    const { page, requests, complaints } = await visit('/docs/quickstart')
    expect(await page.getByLabel('Hub address').inputValue()).toBe(hub.http)
    expect(await text(page, '#hub-file-go')).toContain(`"${hub.http}/api/v1/partner"+path`)
    const asked = requests.length

    const nasty = '<img src=x onerror="alert(1)">&amp;'
    await page.getByLabel('Client secret').first().pressSequentially('sbs_1')
    await page.getByLabel('Access token', { exact: true }).fill(nasty)
    for (const language of ['sh', 'mjs', 'py', 'php', 'java', 'go'])
      expect(await text(page, `#code-request-${language}`)).toContain(nasty)
    expect(await page.locator('main img').count()).toBe(0)
    expect(await text(page, '#values-warning')).toContain('escape it')
    expect(await text(page, '#token-request-py')).toContain('sbs_1')
    expect(await page.locator('#calc-secret').inputValue()).toBe('sbs_1')
    await page.getByLabel('Amount', { exact: true }).fill('75000')
    expect(await text(page, '#calc-string')).toContain('&transactionAmount=75000&')
    await page.getByLabel('Hub address').fill('https://pay.example/')
    expect(await text(page, '#hub-file-go')).toContain('"https://pay.example/api/')
    await page.getByLabel('Transaction code').fill(' FT 1/2 ')
    expect(await text(page, '#proof-request')).toContain("/transactions/FT%201%2F2'")
    expect(await text(page, '#callback-request-py')).toContain('"FT 1/2"')
    await page.getByLabel('Amount', { exact: true }).fill('')
    expect(await text(page, '#qr-request-sh')).toContain('YOUR_AMOUNT')
    expect(requests.slice(asked)).toEqual([])
    expect(complaints).toEqual([])
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([])
  })

  it('the language is chosen once, by mouse or keyboard, and stored', async () => {
    const { page } = await visit('/docs/quickstart')
    const shown = () =>
      page.evaluate(
        `[...document.querySelectorAll('[role=tabpanel]')].filter((panel) => panel.checkVisibility()).map((panel) => panel.id)`,
      )
    const samples = [
      'hub-file',
      ...['token', 'code', 'register', 'qr', 'callback'].map((step) => `${step}-request`),
      'receive-program',
    ]
    /** The processor, in fewer languages, keeps what it shows in the others. */
    const all = (language: string, processor: string) => [
      ...samples.map((sample) => `${sample}-${language}`),
      `processor-program-${processor}`,
    ]
    expect(await shown()).toEqual(all('sh', 'mjs'))

    const tab = page.locator('#qr-request-php-tab')
    await tab.scrollIntoViewIfNeeded()
    const before = (await tab.boundingBox())?.y
    await tab.click()
    expect(await shown()).toEqual(all('php', 'php'))
    expect(Math.abs(((await tab.boundingBox())?.y ?? 0) - (before ?? 0))).toBeLessThan(2)

    for (const [key, language] of [
      ['ArrowRight', 'java'],
      ['End', 'go'],
      ['ArrowRight', 'sh'],
      ['ArrowLeft', 'go'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await page.evaluate('document.activeElement.id')).toBe(`qr-request-${language}-tab`)
      expect(await shown()).toEqual(all(language, 'php'))
    }
    expect(await page.locator('#qr-request-go-tab').getAttribute('aria-selected')).toBe('true')
    expect(await page.locator('#token-request [role=tab][tabindex="0"]').count()).toBe(1)
    await page.reload()
    expect(await shown()).toEqual(all('go', 'mjs'))
  })

  it.each(['this machine', 'plain http from another'])(
    'copies the sample as it is filled in, on %s',
    async (where) => {
      const { page } = await visit(
        '/docs/quickstart',
        {},
        where === 'this machine' ? hub.http : foreignOrigin(),
      )
      await page.getByLabel('Client id').fill('sbc_1')
      await page.locator('#token-request-py-tab').click()
      const button = page.locator('#token-request .copy')
      // It says so for a moment only.
      await Promise.all([page.getByText('Copied').waitFor(), button.click()])
      // The paste tells what was copied where the clipboard can't be read.
      await page.locator('#calc-json').focus()
      await page.keyboard.press('ControlOrMeta+V')
      expect(await page.locator('#calc-json').inputValue()).toBe(await text(page, '#token-request-py code'))
      expect(await page.locator('#calc-json').inputValue()).toContain('"clientId": "sbc_1"')
    },
  )

  it('the calculator signs every vector over plain http from another machine, without a request', async () => {
    const { page, requests, complaints } = await visit('/docs/checksum', {}, foreignOrigin())
    expect(await page.evaluate('[isSecureContext, typeof crypto.subtle]')).toEqual([false, 'undefined'])
    const asked = requests.length
    const { key, vectors, unset } = checksumVectors
    for (const { fields, canonical, hex, base64 } of [...vectors, ...unset]) {
      const made = await calculate(page, { 'calc-secret': key, 'calc-json': JSON.stringify(fields) })
      expect(made).toMatchObject({ string: canonical, hex, base64, 'json-remark': '' })
    }
    expect(requests.slice(asked)).toEqual([])
    expect(complaints.filter(isOfPage)).toEqual([])
  })

  it('the calculator computes while the reader types, and marks the first difference', async () => {
    const { page } = await visit('/docs/checksum')
    await page.getByLabel('notice', { exact: true }).fill('')
    await page.getByLabel('notice', { exact: true }).pressSequentially('Trà & bánh')
    expect(await text(page, '#calc-string')).toContain('&notice=Tr%C3%A0+%26+b%C3%A1nh&')
    const right = (await text(page, '#calc-string')) ?? ''
    await page.getByLabel('The string that your code signs').fill(right.replaceAll('+', '%20'))
    expect(await page.locator('#calc-difference mark').allTextContents()).toEqual(['+', '%20'])
    expect(await text(page, '#calc-difference-place')).toContain('in notice.')
    await page.getByLabel('The string that your code signs').fill(right)
    expect(await text(page, '#calc-string-verdict')).toBe('Your string is right.')
    expect(await page.locator('#calc-difference').isVisible()).toBe(false)
    await page
      .getByLabel('The checksum that your code computes')
      .fill((await text(page, '#calc-base64')) ?? '')
    expect(await text(page, '#calc-checksum-verdict')).toContain('is right')
    // Selected by hand, the string comes without the line breaks that it is shown with.
    await page.locator('#calc-string').selectText()
    await page.keyboard.press('ControlOrMeta+C')
    await page.locator('#calc-their-string').fill('')
    await page.keyboard.press('ControlOrMeta+V')
    expect(await page.locator('#calc-their-string').inputValue()).toBe(right)
  })

  it('the reference runs operations against this hub with the token of the first one', async () => {
    const { clientId, clientSecret } = await hub.partner()
    const { page, requests, complaints } = await visit('/docs')
    const run = async (path: string, fill: (operation: ReturnType<Page['locator']>) => Promise<void>) => {
      const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) })
      await operation.locator('.opblock-summary-control').click()
      await fill(operation)
      await operation.getByRole('button', { name: 'Execute' }).click()
      const live = operation.locator('.live-responses-table .response-col_status').nth(1)
      return ((await live.textContent()) ?? '').slice(0, 3)
    }
    const body = JSON.stringify({ clientId, clientSecret })
    expect(await run('/api/v1/partner/auth/token', (one) => one.locator('textarea').fill(body))).toBe('200')
    const found = await run('/api/v1/partner/device/{serial}', (one) =>
      one.getByPlaceholder('serial').fill('NONE-1'),
    )
    // 404 and not 401: the token went with it.
    expect(found).toBe('404')
    for (const url of requests) expect(url).toMatch(new RegExp(`^${hub.http}/|^data:`))
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([])
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('sb')
  })

  it('the quickstart and its curl samples are readable without JavaScript', async () => {
    const { page } = await visit('/docs/quickstart', { javaScript: false })
    expect(await page.locator('#callback-request-sh').isVisible()).toBe(true)
    expect(await page.getByText('Your first announced payment').isVisible()).toBe(true)
    for (const useless of [
      '#values',
      '#callback-request [role=tablist]',
      '.calculator',
      '#callback-request .copy',
    ])
      expect(await page.locator(useless).first().isVisible(), useless).toBe(false)
  })

  it('the checker verifies its example, names mistakes while the reader types, and sends nothing', async () => {
    const { page, requests, complaints } = await visit('/docs/webhooks', {}, foreignOrigin())
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
    expect(requests.slice(asked)).toEqual([])
    expect(complaints.filter(isOfPage)).toEqual([])
  })

  it('the checker verifies what the hub has signed', async () => {
    const { page } = await visit('/docs/webhooks')
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
