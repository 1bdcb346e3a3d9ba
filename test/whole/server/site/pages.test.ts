import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { checksumVectors } from '../../../support/checksum-vectors.ts'
import { withFile } from '../../../support/folder.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import {
  FOREIGN_HOST,
  findChromium,
  launchChromium,
  NO_BROWSER,
  openPage,
} from '../../../support/processes/browser.ts'

const PAGES = ['/docs/quickstart', '/docs/checksum', '/docs/webhooks', '/docs']
const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`the pages are not looked at: ${NO_BROWSER}\n`)

let browser: Browser
let hub: TestHub

const onEnd = withFile()
beforeAll(async () => {
  if (chromium === undefined) return
  const [launched, started] = await Promise.all([launchChromium(chromium, onEnd), startTestHub({ onEnd })])
  browser = launched
  hub = started
})

/** Opens a page of the hub; its scripts have run when this resolves. */
async function visit(path: string, options: Parameters<typeof openPage>[1] = {}, origin = hub.http) {
  const watched = await openPage(browser, options)
  await watched.page.goto(`${origin}${path}`)
  return watched
}

/** The hub by a name that is not this machine: plain http without what browsers keep for safe places. */
const foreignOrigin = () => hub.http.replace(/127\.0\.0\.1/, FOREIGN_HOST)

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

describe.skipIf(chromium === undefined)('in a browser', () => {
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
    expect(await shown()).toEqual(samples.map((sample) => `${sample}-sh`))

    const tab = page.locator('#qr-request-php-tab')
    await tab.scrollIntoViewIfNeeded()
    const before = (await tab.boundingBox())?.y
    await tab.click()
    expect(await shown()).toEqual(samples.map((sample) => `${sample}-php`))
    expect(Math.abs(((await tab.boundingBox())?.y ?? 0) - (before ?? 0))).toBeLessThan(2)

    for (const [key, language] of [
      ['ArrowRight', 'java'],
      ['End', 'go'],
      ['ArrowRight', 'sh'],
      ['ArrowLeft', 'go'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await page.evaluate('document.activeElement.id')).toBe(`qr-request-${language}-tab`)
      expect(await shown()).toEqual(samples.map((sample) => `${sample}-${language}`))
    }
    expect(await page.locator('#qr-request-go-tab').getAttribute('aria-selected')).toBe('true')
    expect(await page.locator('#token-request [role=tab][tabindex="0"]').count()).toBe(1)
    await page.reload()
    expect(await shown()).toEqual(samples.map((sample) => `${sample}-go`))
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
    const { key, vectors, unset, accepted, refused } = checksumVectors
    for (const { fields, canonical, hex, base64 } of [...vectors, ...unset]) {
      const made = await calculate(page, { 'calc-secret': key, 'calc-json': JSON.stringify(fields) })
      expect(made).toMatchObject({ string: canonical, hex, base64, 'json-remark': '' })
    }
    for (const { fields, checkSum } of accepted) {
      const made = await calculate(page, { 'calc-json': JSON.stringify({ ...fields, checkSum }) })
      expect(made['checksum-verdict']).toContain('is right')
    }
    for (const { fields, checkSum, signed, hint } of refused) {
      const made = await calculate(page, {
        'calc-json': JSON.stringify({ ...fields, checkSum }),
        'calc-their-string': signed,
      })
      expect(made['checksum-verdict']).toContain(hint)
      expect(made['string-verdict']).toContain(hint)
      expect(made['difference-place']).toMatch(/^They differ first at character \d+, in \w+\.$/)
    }
    expect(requests.slice(asked)).toEqual([])
    // A browser says that it takes this header over https only.
    expect(complaints.filter((one) => !one.startsWith('The Cross-Origin-Opener-Policy header'))).toEqual([])
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
})
