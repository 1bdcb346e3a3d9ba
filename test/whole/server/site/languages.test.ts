import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestHub } from '../../../support/hub.ts'
import { untranslated } from '../../../support/languages.ts'
import { openPage } from '../../../support/processes/browser.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'
import { shown } from '../../../support/processes/shown-texts.ts'

const open = browserBesideHub('the pages in Vietnamese are not looked at')

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

const type = (page: Page, boxes: Record<string, string>) =>
  page.evaluate(`(() => {
    for (const [id, text] of Object.entries(${JSON.stringify(boxes)})) {
      const box = document.getElementById(id)
      box.value = text
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }
  })()`)

type Act = (page: Page) => Promise<unknown>

const types =
  (boxes: Record<string, string>): Act =>
  (page) =>
    type(page, boxes)

const nothing: Act = async () => {}

/** What a reader does on each page, one after the other, so that its scripts say what they have to say. */
const ACTS: readonly { path: string; acts: Act[] }[] = [
  {
    path: '/docs/quickstart',
    acts: [
      nothing,
      types({ 'value-client-id': 'a"b' }),
      async (page) => {
        await page.locator('#prepare .copy').click()
        await page.waitForFunction(
          `!/^(Copy|Sao chép)$/.test(document.querySelector('#prepare .copy').textContent)`,
        )
      },
    ],
  },
  {
    path: '/docs/checksum',
    acts: [
      ...['{', '[]', '{}', '{"transactionAmount":5}'].map((json) => types({ 'calc-json': json })),
      types({ 'calc-secret': ' a', 'calc-their-checksum': 'ab'.repeat(32) }),
      types({ 'calc-secret': '', 'calc-their-checksum': 'nothing' }),
      ...['ftCode=', 'terminalID=T1 '].map((theirs) => types({ 'calc-their-string': theirs })),
      types({
        'calc-json': '{"notice":"a b"}',
        'calc-their-string':
          'terminalID=&bankCode=&billNumber=&transactionAmount=&notice=a%20b&payDate=&traceTransfer=&ftCode=',
      }),
    ],
  },
  {
    path: '/docs/webhooks',
    acts: [
      nothing,
      ...['', 'sbs_a', 'whsec_', 'whsec_AAAA', 'whsec_?'].map((secret) =>
        types({ 'delivery-secret': secret }),
      ),
      ...[
        '',
        'webhook-id: a',
        'webhook-id: a\nwebhook-timestamp: 5\nwebhook-signature: v1,a v2,b\n\n{"a": 1}',
      ].map((text) => types({ 'delivery-text': text, 'delivery-own': 'x' })),
    ],
  },
]

describe.skipIf(!open)('in a browser, in Vietnamese', () => {
  it.each(ACTS)('$path says nothing in English, whatever its reader does', async ({ path, acts }) => {
    const said = async (language: string) => {
      const { page, complaints } = await visit(`${path}?lang=${language}`)
      const texts: string[] = []
      for (const act of acts) {
        await act(page)
        texts.push(...(await shown(page)))
      }
      expect(complaints).toEqual([])
      return texts
    }
    expect(untranslated(await said('vi'), await said('en'))).toEqual([])
  })

  it.each(['/docs/quickstart', '/docs/checksum', '/docs/webhooks', '/docs'])(
    '%s fits a phone, and its switch works without scripts',
    async (path) => {
      const { page } = await visit(path, { width: 390, height: 844, javaScript: false })
      await page.locator('.languages a', { hasText: 'Tiếng Việt' }).click()
      await page.locator('html[lang=vi]').waitFor()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`${path}?lang=vi`)
      await page.locator('.pages a').first().click()
      await page.locator('html[lang=vi] #before').waitFor()
      for (const width of [390, 1280]) {
        const { page: wide } = await visit(`${path}?lang=vi`, { width, height: 844 })
        if (path === '/docs') await wide.locator('.opblock').first().waitFor()
        expect(await wide.evaluate('document.documentElement.scrollWidth')).toBe(width)
        const cut = await wide.evaluate(
          `[...document.querySelectorAll('h1, h2, h3, button, label, .languages a')].filter((one) => one.checkVisibility() && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)`,
        )
        expect(cut).toEqual([])
      }
    },
  )
})
