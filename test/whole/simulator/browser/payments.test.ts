import type { Browser, BrowserContextOptions } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TestHub } from '../../../support/hub.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'
import { eventually } from '../../../support/wait.ts'
import { linkOf, pay, registeredPage, registerPage, untilPlayed, watchedPage } from './world.ts'

const open = browserBesideHub('no list of payments is looked at')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

async function phone(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
  onTestFinished(() => context.close())
  return context
}

const READ = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('soundbox-speaker')
  opening.onerror = reject
  opening.onsuccess = () => {
    const reading = opening.result.transaction('memories')
    reading.objectStore('memories').count()
    reading.oncomplete = () => resolve(opening.result.close())
  }
})`

describe.skipIf(!open)('the list of a phone', () => {
  it('has the payments and the sum of today, hides the amounts by a key, and outlives a reload', async () => {
    const { device, partner, speaker, page } = await registeredPage(hub, await phone())
    await untilPlayed(partner, await pay(partner, { transactionAmount: '180000' }))
    await page.evaluate('window.contexts[0].suspend()')
    await page.getByRole('button', { name: 'Mất tiếng' }).waitFor()
    await pay(partner, { transactionAmount: '70000' })
    await speaker.saw('missed')
    const region = page.getByRole('region', { name: 'Các khoản gần nhất' })
    const rows = region.getByRole('listitem')
    const sum = region.locator('.sum')
    await eventually(async () => expect(await sum.textContent()).toBe('Hôm nay: 2 khoản 250.000 đ'))
    const listed = await rows.allTextContents()
    expect(listed).toEqual([
      expect.stringMatching(/^\d\d:\d\d ! chưa đọc 70\.000 đ$/),
      expect.stringMatching(/^\d\d:\d\d {2}180\.000 đ$/),
    ])

    const eye = region.getByRole('button', { name: 'Ẩn số tiền' })
    await eye.focus()
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await eye.getAttribute('aria-pressed')).toBe('true'))
    // The page shows at once what it is still writing. A read of the same store comes behind the write.
    await page.evaluate(READ)
    await page.reload()
    await speaker.switchOn()
    expect(await eye.getAttribute('aria-pressed')).toBe('true')
    expect(await region.textContent()).not.toMatch(/\d{3} đ/)
    expect(await rows.count()).toBe(2)
    await eye.focus()
    await page.keyboard.press('Space')
    await eventually(async () => expect(await sum.textContent()).toContain('250.000 đ'))

    await partner.call('POST', '/device/unregister', { deviceSerial: device.serial })
    await speaker.shows('screen', 'unregistered')
    expect(await region.isVisible()).toBe(false)
    await registerPage(partner, speaker, device.serial)
    await speaker.shows('screen', 'idle')
    await eventually(async () => expect(await sum.textContent()).toBe('Hôm nay: 0 khoản 0 đ'))
    expect(speaker.complaints).toEqual([])
  })

  it('opens on a small phone, and makes room for a QR', async () => {
    const small = { viewport: { width: 360, height: 640 } }
    const { partner, speaker, page, storeId } = await registeredPage(hub, await phone(small))
    await untilPlayed(partner, await pay(partner))
    const list = page.locator('.list')
    expect(await list.isVisible()).toBe(false)
    await page.locator('.sum').click()
    expect(await list.isVisible()).toBe(true)
    expect(await page.locator('.sum').getAttribute('aria-expanded')).toBe('true')
    const bill = { billNumber: 'B-1', transactionAmount: '180000', storeId }
    await partner.call('POST', '/payment/dynamic-qr', bill)
    await speaker.shows('screen', 'qr')
    await list.waitFor({ state: 'hidden' })
    expect(speaker.complaints).toEqual([])
  })

  it('is not there before it is registered: the screen says how, in the steps of every speaker', async () => {
    const device = await hub.device()
    const speaker = await watchedPage(await phone())
    await speaker.page.goto(linkOf(hub.http, device))
    await speaker.switchOn()
    await speaker.shows('screen', 'unregistered')
    const screen = speaker.page.locator('.screen')
    expect(await screen.textContent()).toContain(`Số máy: ${device.serial}`)
    expect(await screen.getByRole('listitem').allTextContents()).toEqual([
      '1. Mở ứng dụng của đối tác',
      '2. Nhập số máy này',
      '3. Nhập mã sẽ hiện ở đây',
    ])
    expect(await speaker.page.locator('.payments').isVisible()).toBe(false)
  })

  it('a phone with a wrong key says that the hub refuses it, and nowhere that there is no network', async () => {
    const [{ serial }, { key }] = [await hub.device(), await hub.device()]
    const speaker = await watchedPage(await phone())
    await speaker.page.goto(linkOf(hub.http, { serial, key }))
    await speaker.touch()
    await speaker.shows('screen', 'no_network')
    const text = (await speaker.page.locator('.soundbox').textContent()) ?? ''
    expect(text).toContain('bị từ chối')
    expect(text).toContain('MÁY CHỦ TỪ CHỐI LOA NÀY')
    expect(text).not.toMatch(/mất mạng|MẤT KẾT NỐI|chưa có cửa hàng/)
  })
})
