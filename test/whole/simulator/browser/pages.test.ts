import type { Browser, BrowserContext } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../../../server/platform/log.ts'
import { partnerOf } from '../../../support/http/partner-client.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import { FOREIGN_HOST } from '../../../support/processes/browser.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'
import { until } from '../../../support/wait.ts'
import { linkOf, pay, registeredPage, registerPage, untilPlayed, watchedPage } from './world.ts'

const open = browserBesideHub('pages of speakers are not looked at')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

async function phone(): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-GB' })
  onTestFinished(() => context.close())
  return context
}

describe.skipIf(!open)('pages of one browser', () => {
  it('two of one speaker never both speak: the second waits, and takes over', async () => {
    const context = await phone()
    const { partner, speaker: first } = await registeredPage(hub, context)
    const second = await watchedPage(context)
    await second.page.goto(`${hub.http}/speaker`)
    await second.shows('screen', 'elsewhere')
    await untilPlayed(partner, await pay(partner))
    expect(await first.spoken()).toHaveLength(1)
    expect(await second.spoken()).toEqual([])
    await first.page.close()
    await second.switchOn()
    await untilPlayed(partner, await pay(partner))
    expect(await second.spoken()).toHaveLength(1)
    expect([...first.complaints, ...second.complaints]).toEqual([])
  })

  it('another link is taken only when somebody says so, and the way back says nothing again', async () => {
    const [one, other] = [await hub.device(), await hub.device()]
    const partner = await partnerOf(hub)
    const speaker = await watchedPage(await phone())
    const { page } = speaker
    await page.goto(linkOf(hub.http, one))
    await speaker.switchOn()
    await registerPage(partner, speaker, one.serial)
    await untilPlayed(partner, await pay(partner))
    const played = String((await speaker.spoken())[0])

    await page.goto(linkOf(hub.http, other))
    const stay = page.getByRole('button', { name: `Stay ${one.serial}` })
    await stay.click()
    await speaker.switchOn()
    expect(await speaker.data()).toMatchObject({ serial: one.serial, played })

    await page.goto(linkOf(hub.http, other))
    await page.getByRole('button', { name: `Become ${other.serial}` }).click()
    await speaker.switchOn()
    expect(await speaker.data()).toMatchObject({ serial: other.serial, played: '0' })
    // Quicker than it stores its settings.
    await page.evaluate("for (let n = 0; n < 3; n += 1) document.querySelector('.keys .key').click()")
    await page.getByText('50 %').waitFor()
    await page.goto(linkOf(hub.http, one))
    await page.getByRole('button', { name: `Become ${one.serial}` }).click()
    await speaker.switchOn()
    expect(await speaker.data()).toMatchObject({ serial: one.serial, played })

    const otherKey = { serial: one.serial, key: other.key }
    await page.goto(linkOf(hub.http, otherKey))
    await page.getByText(`This device is the speaker ${one.serial}, with another key`).waitFor()
    await page.getByRole('button', { name: 'Keep the key' }).click()
    await speaker.switchOn()
    expect(speaker.complaints).toEqual([])
  })

  it('says what to do without a link, and what is wrong with a damaged one', async () => {
    const { serial, key } = await hub.device()
    const speaker = await watchedPage(await phone())
    const { page } = speaker
    await page.goto(`${hub.http}/speaker`)
    expect(await page.locator('code').textContent()).toBe('npm run hub -- device add --link')
    const take = page.getByRole('button', { name: 'Use this link' })
    for (const [text, sentence] of [
      ['', 'Paste a link first.'],
      [
        `${hub.http}/speaker#serial=${serial}&key=${key.slice(0, -1)}`,
        `The key of ${serial} is missing or damaged`,
      ],
      [`${hub.http}/speaker#key=${key}`, 'no proper serial'],
      ['<img src=x onerror=alert(1)>', 'no proper serial'],
    ] as const) {
      await page.getByLabel('Link of the speaker').fill(text)
      await take.click()
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor()
    }
    expect(await page.locator('.sheet img').count()).toBe(0)
    await page.goto(`${hub.http}/speaker#serial=${serial}`)
    await page
      .getByRole('alert')
      .filter({ hasText: `The key of ${serial} is missing` })
      .waitFor()
    expect(page.url()).toBe(`${hub.http}/speaker`)
    await page.getByLabel('Link of the speaker').fill(linkOf(hub.http, { serial, key }))
    await take.click()
    await speaker.switchOn()
    await speaker.shows('screen', 'unregistered')
    expect(speaker.complaints).toEqual([])
  })

  it('is no speaker over plain http from another machine', async () => {
    const speaker = await watchedPage(await phone())
    await speaker.page.goto(linkOf(hub.http.replace('127.0.0.1', FOREIGN_HOST), await hub.device()))
    expect(await speaker.page.getByRole('alert').textContent()).toContain('Open the page by https')
    expect(speaker.page.url()).not.toContain('key=')
  })

  it('a grid runs several speakers at once', async () => {
    const devices = [await hub.device(), await hub.device(), await hub.device()]
    const speaker = await watchedPage(await phone())
    const list = devices.map(({ serial, key }) => `${serial}:${key}`).join()
    await speaker.page.goto(`${hub.http}/speaker#grid=${list}`)
    await speaker.touch()
    await speaker.page.locator('.soundbox[data-link="welcomed"]').nth(2).waitFor()
    expect(speaker.page.url()).toBe(`${hub.http}/speaker?grid=3`)
    expect(await speaker.page.locator('.soundbox').count()).toBe(3)
    await speaker.page.goto(`${hub.http}/speaker?grid=2`)
    expect(await speaker.page.locator('.more').textContent()).toBe('2 of 3 speakers')
    expect(speaker.complaints).toEqual([])
  })

  it.each([
    ['suspended, as in a call', 'window.contexts[0].suspend()', undefined],
    [
      'still, though the browser calls it running',
      "Object.defineProperty(window.contexts[0], 'currentTime', { get: () => 60, configurable: true })",
      'delete window.contexts[0].currentTime',
    ],
  ])(
    'with an output that is %s, it says nothing, says so, and shows the payment as missed',
    async (_, stop, start) => {
      const { partner, speaker, page } = await registeredPage(hub, await phone())
      await page.evaluate(stop)
      await page.getByRole('button', { name: 'Mất tiếng' }).waitFor()
      await pay(partner, { transactionAmount: '70000' })
      expect(await speaker.saw('missed')).toContain('70.000 đ')
      expect(await speaker.spoken()).toEqual([])
      expect(await speaker.events()).toContainEqual(
        expect.objectContaining({ event: 'failed', t: 'announce', rc: 'audio_failed' }),
      )
      if (start) await page.evaluate(start)
      else await page.getByRole('button', { name: 'Mất tiếng' }).click()
      await page.getByRole('button', { name: 'Mất tiếng' }).waitFor({ state: 'hidden' })
      await untilPlayed(partner, await pay(partner))
      expect(await speaker.spoken()).toHaveLength(1)
      expect(speaker.complaints).toEqual([])
    },
  )

  it('sb/1 12.2: it makes no sound, and stops for good, when its storage does not take the number', async () => {
    const { device, partner, speaker, page } = await registeredPage(hub, await phone())
    // The write is begun, and never done: as on a full disk.
    await page.evaluate(`
      const put = IDBObjectStore.prototype.put
      IDBObjectStore.prototype.put = function (...given) {
        const request = put.apply(this, given)
        this.transaction.abort()
        return request
      }
    `)
    await pay(partner)
    expect(await speaker.saw('broken')).toContain('LOA HỎNG')
    expect(await speaker.spoken()).toEqual([])
    expect(await speaker.heard()).toEqual([])
    await until('the hub sees that it is away', async () => {
      const { body } = await partner.call('GET', `/device/${device.serial}`)
      return Object(body).connected === false
    })
    expect(speaker.complaints).toEqual([])
  })

  it('asks the hub for its files at each load, so that an update is there at once', async () => {
    const lines: string[] = []
    const own = await startTestHub({ log: createLog('info', { write: (line) => void lines.push(line) }) })
    const { page } = await watchedPage(await phone())
    await page.goto(`${own.http}/speaker`)
    await page.evaluate(`navigator.serviceWorker.ready.then(() => undefined)`)
    await until('the service worker', () => page.evaluate('navigator.serviceWorker.controller !== null'))
    const asked = () => lines.filter((line) => JSON.parse(line).route === '/speaker').length
    const before = asked()
    await page.reload()
    await page.locator('textarea').waitFor()
    expect(asked()).toBe(before + 1)
  })
})
