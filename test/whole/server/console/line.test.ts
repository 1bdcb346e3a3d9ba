import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sessionsOf } from '../../../server/console/line/viewer.ts'
import { createShop, payWell } from '../../../server/storage/shop.ts'
import { OPERATOR } from '../../../support/actors.ts'
import type { TestHub } from '../../../support/hub.ts'
import { openPage } from '../../../support/processes/browser.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'
import { eventually } from '../../../support/wait.ts'

const open = browserBesideHub('the first page of the console is not looked at')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

/** A shop of a new partner whose payments go past the hub into its storage, as those of another hub do. */
async function newShop() {
  const { storage } = hub
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId, 'T1')
  return {
    async pay(amount: string): Promise<string> {
      const id = shop.ids.uuid()
      await payWell(shop, clientId, { id, ftCode: id, amount, receivedAt: Date.now() })
      return id
    },
    async reach(stage: 'received' | 'played') {
      const [asked] = await storage.outbox.open(speaker.deviceId, Date.now())
      const step = {
        announcementId: asked?.id ?? '',
        commandNumber: asked?.n ?? 0,
        deviceId: speaker.deviceId,
      }
      await storage.outbox.recordAck({ ...step, stage, reason: undefined }, Date.now())
    },
  }
}

/** Opens the first page as somebody who has just logged in by a link. */
async function visit(options: Parameters<typeof openPage>[1] = {}) {
  const watched = await openPage(browser, options)
  const { page } = watched
  const live: string[] = []
  const isLive = (url: string) => url.endsWith('/line/live')
  page.on('request', (request) => void (isLive(request.url()) && live.push('asked')))
  page.on('requestfailed', (request) => void (isLive(request.url()) && live.push('closed')))
  page.on('requestfinished', (request) => void (isLive(request.url()) && live.push('ended')))
  const link = await sessionsOf(hub.storage).makeLink(OPERATOR, { name: 'Minh', role: 'viewer' })
  await page.goto(`${hub.admin}/login?link=${link}`)
  await page.click('button.main')
  await page.locator('#line-state').waitFor()
  return { ...watched, live }
}

const rowIn = (page: Page, id: string) => page.locator(`#line-rows tr:has([href="/payments/${id}"])`)

const isLive = (page: Page) => page.locator('#line-state .live').waitFor({ state: 'visible' })

/** As a browser does when another tab is in front. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)

describe.skipIf(!open)('in a browser', () => {
  it('a payment appears and lights up without a reload, and nothing breaks the policy', async () => {
    const shop = await newShop()
    const { page, complaints, requests } = await visit()
    await isLive(page)
    const before = requests.length
    const id = await shop.pay('216000')
    const row = rowIn(page, id)
    await row.waitFor()
    expect(await row.locator('.number').textContent()).toBe('216.000 đ')
    expect(await page.locator('#line-rows tr').first().locator('a').getAttribute('href')).toBe(
      `/payments/${id}`,
    )
    const lit = () =>
      page.evaluate(
        `[...document.querySelector('[href="/payments/${id}"]').closest('tr').querySelectorAll('.lit')].map((step) => step.classList[1])`,
      )
    expect(await lit()).toEqual(['queued'])

    await page.evaluate(`document.querySelector('[href="/payments/${id}"]').focus()`)
    await shop.reach('received')
    await eventually(async () => expect(await lit()).toEqual(['queued', 'sent', 'received']))
    await shop.reach('played')
    await row.locator('.lit.played').waitFor()
    // What has the focus keeps it when its row is replaced.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('216.000 đ')
    expect(await page.locator('#line-results .played dd').textContent()).toMatch(/^\d+$/)

    await shop.pay('5000')
    await eventually(async () =>
      expect(await page.locator('#line-rows .number').first().textContent()).toBe('5.000 đ'),
    )
    expect(requests.length).toBe(before)
    expect(complaints).toEqual([])
  })

  it('ages are counted on', async () => {
    const shop = await newShop()
    const { page } = await visit()
    const id = await shop.pay('1000')
    const age = rowIn(page, id).locator('[data-age]')
    await age.waitFor()
    await eventually(async () => expect(await age.textContent()).toMatch(/^[3-9]\.\d s ago$/))
  })

  it('a hidden page has no stream; seen again, it has one, and what came meanwhile', async () => {
    const shop = await newShop()
    const { page, live } = await visit()
    await isLive(page)
    await setHidden(page, true)
    await eventually(() => expect(live).toEqual(['asked', 'closed']))
    const id = await shop.pay('7000')
    await setHidden(page, false)
    await rowIn(page, id).waitFor()
    expect(live).toEqual(['asked', 'closed', 'asked'])
  })

  it('after the logout it says of what time it is, and asks no more', async () => {
    const { page, live, complaints } = await visit()
    await isLive(page)
    for (const { id } of await sessionsOf(hub.storage).listSessions())
      await sessionsOf(hub.storage).end(OPERATOR, id)
    await page.getByText('Your session is over').waitFor()
    expect(await page.locator('#line-state .live').isVisible()).toBe(false)
    expect(await page.locator('#line-state a').isVisible()).toBe(true)
    expect(live.filter((one) => one === 'asked')).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  it('moves nothing for those who have asked for that', async () => {
    const shop = await newShop()
    const { page } = await visit()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await isLive(page)
    const id = await shop.pay('9000')
    await rowIn(page, id).waitFor()
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
  })

  it.each([390, 1920])('fits %i pixels, without scripts as well', async (width) => {
    const shop = await newShop()
    await shop.pay('123456789012')
    for (const javaScript of [true, false]) {
      const { page, complaints } = await visit({ width, javaScript, colorScheme: 'dark' })
      expect(await page.locator('#line-rows .number').first().textContent()).toBe('123.456.789.012 đ')
      if (javaScript) {
        await isLive(page)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      } else expect(await page.locator('#line-state').textContent()).toMatch(/As of.*Load it again/s)
      expect(complaints).toEqual([])
    }
  })
})
