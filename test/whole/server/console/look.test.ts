import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ROUTES } from '../../../../server/console/routes/routes.ts'
import {
  addressesOf,
  type Filled,
  fillHub,
  linkTo,
  PLAIN,
  type Texts,
} from '../../../server/console/filled.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDTHS = [390, 1280, 1920]

/** Texts that would be markup, and are long without a place to break. */
const HOSTILE = `</script><img src=x onerror=alert(1)>"'><svg onload=alert(1)>\u202e`
const LONG = Object.fromEntries(
  Object.entries(PLAIN).map(([name, text]) => [name, `${HOSTILE}${text}`.padEnd(120, 'Ơ')]),
) as Texts

const open = browserBesideHub('the console is not looked at')

let browser: Browser
let hub: TestHub
/** The second one has long and hostile texts. */
let filled: Filled[]
beforeAll(async () => {
  if (!open) return
  ;({ browser, hub } = await open())
  filled = [await fillHub(hub.storage), await fillHub(hub.storage, LONG)]
})

interface Person {
  context: BrowserContext
  page: Page
  /** Errors of scripts and reports of the policy since they were last asked for. */
  complaints(): string[]
}

type Options = NonNullable<Parameters<Browser['newContext']>[0]>

async function personOf(options: Options = {}): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(0)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const said: string[] = []
  page.on('pageerror', (error) => said.push(String(error)))
  page.on('console', (message) => {
    const text = message.text()
    // That of a page of an error is expected: its status is looked at where it matters.
    const isStatus = /^Failed to load resource: .*status of 40[0-9]/.test(text)
    if (['error', 'warning'].includes(message.type()) && !isStatus) said.push(text)
  })
  return { context, page, complaints: () => said.splice(0) }
}

const logIn = async ({ page }: Person, role: 'viewer' | 'admin' = 'admin', { admin, storage } = hub) => {
  await page.goto(`${admin}/login?link=${await linkTo(storage, role)}`)
  await page.click('button.main')
  await page.locator('#line-state').waitFor()
  // Until then its links may be others at each load.
  await page.getByText(/Counting|Đang đếm/).waitFor({ state: 'detached' })
}

/** Somebody whose browser has the session of another one. */
async function sameAs({ context }: Person, options: Options): Promise<Person> {
  const other = await personOf(options)
  await other.context.addCookies(await context.cookies())
  return other
}

/** The pages of an admin: those of the routes, and those of mistakes. */
const pages = () => [
  ...(filled[0] ? addressesOf(ROUTES, filled[0]) : []),
  ...['/devices/none', '/payments?from=x', `/webhooks/${filled[0]?.webhookId}/replay`],
]
/** Those that show the second one alone. */
const longPages = () =>
  (filled[1] ? addressesOf(ROUTES, filled[1]) : []).filter((path) => !pages().includes(path))

async function axe(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  return await page.evaluate<
    string[]
  >(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html.slice(0, 160) + ' ' + (any[0]?.message ?? ''))))`)
}

async function widthFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (wide > width) faults.push(`${wide} px wide in ${width}`)
  }
  return faults
}

/** What is wrong with how the page that is open looks: a narrow one in the light, a wide one in the dark. */
async function faultsOf({ page, complaints }: Person): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const faults = [...(await widthFaults(page)), ...(await axe(page))]
  await page.setViewportSize({ width: 390, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...faults, ...(await axe(page)), ...complaints()]
}

/** Fills random ids with their widest letter, so that no run depends on which letters they have. */
const widenIds = (page: Page) =>
  page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const text = texts.currentNode
      text.data = text.data.replace(/[0-9A-F]{10}/g, 'D'.repeat(10)).replace(/[0-9a-f]{6,}/g, (id) => 'd'.repeat(id.length))
    }
  })()`)

/** The same with and without scripts. */
const skeletonOf = (page: Page) =>
  page.evaluate(`(document.querySelectorAll('[data-age]').forEach((age) => age.remove()), {
    headings: [...document.querySelectorAll('h1, h2, h3')].map((one) => one.localName + ' ' + one.textContent),
    links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href')),
    forms: [...document.forms].map((one) => [one.method, one.getAttribute('action'), [...one.elements].map(({ name }) => name)]),
  })`)

describe.skipIf(!open)('in a browser', () => {
  it.each(['en', 'vi'])('every page can be read by everybody, in each scheme and width: %s', async (lang) => {
    const person = await personOf({ locale: lang })
    await logIn(person)
    const faults: Record<string, string[]> = {}
    for (const path of pages()) {
      await person.page.goto(`${hub.admin}${path}`)
      expect(await person.page.locator('html').getAttribute('lang')).toBe(lang)
      const found = await faultsOf(person)
      if (found.length > 0) faults[path] = [...new Set(found)]
    }
    for (const path of longPages()) {
      await person.page.goto(`${hub.admin}${path}`)
      const found = [...(await widthFaults(person.page)), ...person.complaints()]
      if (found.length > 0) faults[path] = found
    }
    expect(faults).toEqual({})
  })

  it.each(['en', 'vi'])('no table of usual texts scrolls sideways: %s', async (lang) => {
    const usual = await startTestHub({ onEnd: onTestFinished })
    const addresses = addressesOf(ROUTES, await fillHub(usual.storage))
    const person = await personOf({ locale: lang })
    await logIn(person, 'admin', usual)
    const faults: string[] = []
    for (const path of addresses) {
      await person.page.goto(`${usual.admin}${path}`)
      await widenIds(person.page)
      for (const width of WIDTHS) {
        await person.page.setViewportSize({ width, height: 800 })
        const more = await person.page.evaluate<number[]>(
          "[...document.querySelectorAll('.scrolls')].map((one) => one.scrollWidth - one.clientWidth)",
        )
        if (more.some((px) => px > 0)) faults.push(`${path} in ${width}: ${more} px`)
      }
      // On a phone a row is a card: what a cell contains stands beside the name of its column.
      await person.page.setViewportSize({ width: 390, height: 800 })
      const beneath = await person.page.evaluate<
        string[]
      >(`[...document.querySelectorAll('td[data-head] > *')]
        .filter((one) => !one.closest('.newest') && one.checkVisibility())
        .filter((one) => one.getBoundingClientRect().left < one.parentNode.getBoundingClientRect().left + 110)
        .map((one) => one.outerHTML)`)
      faults.push(...beneath.map((one) => `${path}: ${one} is below the name of its column`))
    }
    expect(faults).toEqual([])
  })

  it.each(['en', 'vi'])('so can what those see who are not logged in, or may not: %s', async (lang) => {
    const stranger = await personOf({ locale: lang })
    const faults: Record<string, string[]> = {}
    const look = async (path: string, status: number) => {
      expect((await stranger.page.goto(`${hub.admin}${path}`))?.status()).toBe(status)
      const found = await faultsOf(stranger)
      if (found.length > 0) faults[path] = [...new Set(found)]
    }
    await look('/devices', 401)
    await look('/login?link=none', 401)
    await look(`/login?link=${await linkTo(hub.storage, 'viewer')}`, 200)
    await logIn(stranger, 'viewer')
    await look('/sessions', 403)
    expect(faults).toEqual({})
  })

  it.each(['en', 'vi'])(
    'so can the preview of a profile, with a row that can not be read: %s',
    async (lang) => {
      const person = await personOf({ locale: lang })
      const { page } = person
      await logIn(person)
      await page.goto(`${hub.admin}/day/profile?name=lotus`)
      await page.locator('[name=headerRow]').fill('1')
      const lines = [
        'Ngày GD;Số tham chiếu;Số tiền;Số dư;Nội dung',
        `20/11/2026;F1;1.000;1.000;'${LONG.notice}`,
      ]
      const faults: Record<string, string[]> = {}
      for (const sample of [lines, [...lines, '31/11/2026;F2;1.000;2.000;y']]) {
        await page.locator('[name=pasted]').fill(sample.join('\n').replaceAll('"', ''))
        await page.locator('form.upload button').click()
        await page.waitForURL(`${hub.admin}/day/profile/preview`)
        // Only what can be read has the button that saves.
        expect(await page.locator('tbody tr').count()).toBe(sample.length - 1)
        expect(await page.locator('[name=profile]').count()).toBe(sample === lines ? 1 : 0)
        faults[`${sample.length} lines`] = await faultsOf(person)
      }
      expect(faults).toEqual({ '2 lines': [], '3 lines': [] })
    },
  )

  it('every page has the same headings, links and forms without scripts', async () => {
    const person = await personOf()
    await logIn(person)
    const plain = await sameAs(person, { javaScriptEnabled: false })
    for (const path of pages()) {
      await Promise.all([person, plain].map(({ page }) => page.goto(`${hub.admin}${path}`)))
      expect({ path, is: await skeletonOf(plain.page) }).toEqual({ path, is: await skeletonOf(person.page) })
    }
    expect(plain.complaints()).toEqual([])
  })

  it('`/` goes to the search, `j` and `k` through the rows, Enter opens one', async () => {
    const person = await personOf()
    const { page, complaints } = person
    await logIn(person)
    const focused = () =>
      page.evaluate('[...document.querySelectorAll("tbody tr")].indexOf(document.activeElement)')
    const at: unknown[] = []
    await page.goto(`${hub.admin}/payments`)
    for (const key of ['j', 'j', 'k', 'j']) {
      await page.keyboard.press(key)
      at.push(await focused())
    }
    expect(at).toEqual([0, 1, 0, 1])
    const href = await page.locator('tbody tr').nth(1).locator('a').first().getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${hub.admin}${href}`)

    await page.keyboard.press('/')
    await page.keyboard.type('jk/216001')
    expect(await page.locator('.find input').inputValue()).toBe('jk/216001')
    await page.locator('.find input').fill(filled[0]?.serial ?? '')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${hub.admin}/devices/${filled[0]?.serial}`)
    expect(complaints()).toEqual([])
  })
})
