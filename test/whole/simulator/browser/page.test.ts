import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { announcementClips } from '../../../../protocol/money/sentence.ts'
import { joinClips } from '../../../../simulator/sound/join.ts'
import { loadPack } from '../../../../simulator/sound/pack.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { partnerOf } from '../../../support/http/partner-client.ts'
import type { TestHub } from '../../../support/hub.ts'
import { browserBesideHub } from '../../../support/processes/browser-beside-hub.ts'
import { findProgram } from '../../../support/processes/program.ts'
import { eventually, until } from '../../../support/wait.ts'
import { linkOf, pay, registeredPage, registerPage, trimmed, untilPlayed, watchedPage } from './world.ts'

const open = browserBesideHub('the page of a speaker is not looked at')
const zbarimg = findProgram('zbarimg')
if (zbarimg === undefined)
  process.stdout.write('no QR is read from a screenshot: there is no zbarimg on PATH\n')

let browser: Browser
let hub: TestHub
beforeAll(async () => {
  if (open) ({ browser, hub } = await open())
})

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }

async function phone() {
  const context = await browser.newContext(PHONE)
  onTestFinished(() => context.close())
  return context
}

/** The texts that a reader of QR codes finds in a picture. */
function readQr(picture: Buffer): string[] {
  const file = join(temporaryFolder(), 'screen.png')
  writeFileSync(file, picture)
  const { stdout } = spawnSync(zbarimg ?? '', ['--quiet', '--raw', '-Sdisable', '-Sqrcode.enable', file])
  return String(stdout).split('\n').filter(Boolean)
}

describe.skipIf(!open)('a phone as a speaker', () => {
  it('registers by its code, shows a QR that a camera reads, says a payment, and goes on after a reload', async () => {
    const device = await hub.device()
    const partner = await partnerOf(hub)
    const speaker = await watchedPage(await phone())
    const { page } = speaker
    await page.goto(linkOf(hub.http, device))
    expect(page.url()).toBe(`${hub.http}/speaker`)
    await speaker.switchOn()
    await speaker.shows('screen', 'unregistered')
    const storeId = await registerPage(partner, speaker, device.serial)
    await speaker.shows('screen', 'idle')

    const bill = { billNumber: 'B-1', transactionAmount: '180000', storeId }
    const made = await partner.call('POST', '/payment/dynamic-qr', bill)
    expect(made.status).toBe(201)
    await speaker.shows('screen', 'qr')
    const { qr } = (await speaker.events()).findLast((event) => event.event === 'qr') ?? {}
    const box = await page.locator('.qr').boundingBox()
    expect(box?.width).toBeGreaterThan(390 * 0.6)
    if (zbarimg !== undefined) expect(readQr(await page.screenshot())).toEqual([qr])

    const ftCode = await pay(partner, { billNumber: 'B-1', transactionAmount: '180000' })
    expect(await speaker.saw('paid')).toContain('ĐÃ THANH TOÁN180.000 đ')
    await untilPlayed(partner, ftCode)
    const whole = trimmed(joinClips(loadPack(), 'vi', announcementClips('vi', '180000'), 80).samples)
    expect(await speaker.saw('paid')).toContain('Đã nhận một trăm tám mươi nghìn đồng')
    await eventually(async () => expect((await speaker.heard()).length).toBe(whole.length))
    expect(await speaker.heard()).toEqual(whole)

    const [n] = await speaker.spoken()
    await page.reload()
    await speaker.switchOn()
    await speaker.shows('screen', 'idle')
    expect((await speaker.data()).played).toBe(String(n))
    await untilPlayed(partner, await pay(partner))
    expect((await speaker.events()).filter(({ event }) => event === 'announce')).toMatchObject([
      { amount: '50000' },
    ])
    expect(speaker.complaints).toEqual([])
  })

  it('says that a payment is played only while the browser plays sound, from its start on', async () => {
    const device = await hub.device()
    const partner = await partnerOf(hub)
    const context = await phone()
    const speaker = await watchedPage(context)
    const { page } = speaker
    const clips = Promise.withResolvers<void>()
    await page.route('**/speaker/clips*', (route) => clips.promise.then(() => route.continue()))
    await page.goto(linkOf(hub.http, device))
    // An evaluation of Playwright's own counts as a touch. A touched page may play before it asks for a tap.
    const untouching = await context.newCDPSession(page)
    await until('the question for a tap', async () => {
      const expression = "document.querySelector('.soundbox')?.dataset.screen"
      return (await untouching.send('Runtime.evaluate', { expression })).result.value === 'tap'
    })
    await page.locator('.tap').first().click()
    await until('the browser plays sound', () =>
      page.evaluate<boolean>("window.contexts[0].state === 'running'"),
    )
    // A call begins before there is a speaker.
    await page.evaluate('window.contexts[0].suspend()')
    clips.resolve()
    await speaker.shows('link', 'welcomed')
    await registerPage(partner, speaker, device.serial)
    const silent = await pay(partner)
    await eventually(async () => {
      const { body } = await partner.call('GET', `/payment/transactions/${silent}`)
      expect(Object(body).announcements).toMatchObject([{ stage: 'failed' }])
    })
    await page.evaluate('window.contexts[0].resume()')
    await untilPlayed(partner, await pay(partner))
    expect(speaker.complaints).toEqual([])
  })

  it('says that its partner has locked it, in place of the QRs, also after a reload', async () => {
    const { device, partner, speaker, storeId } = await registeredPage(hub, await phone())
    const bill = { billNumber: 'B-2', transactionAmount: '180000', storeId }
    await partner.call('POST', '/payment/dynamic-qr', bill)
    await speaker.shows('screen', 'qr')
    const lock = (active: boolean) =>
      partner.call('PATCH', '/device/update-status', { devices: [{ deviceSerial: device.serial, active }] })
    await lock(false)
    await speaker.shows('screen', 'locked')
    expect(await speaker.page.locator('.screen').innerText()).toMatch(/LOA ĐANG BỊ KHOÁ/)
    expect(await speaker.page.locator('.qr').count()).toBe(0)
    await speaker.page.reload()
    await speaker.switchOn()
    await speaker.shows('screen', 'locked')
    await lock(true)
    await speaker.shows('screen', 'qr')
    expect(speaker.complaints).toEqual([])
  })
})
