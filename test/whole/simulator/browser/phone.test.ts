import { expect, it } from 'vitest'
import { withFile } from '../../../support/folder.ts'
import { partnerOf } from '../../../support/http/partner-client.ts'
import { startTestHub } from '../../../support/hub.ts'
import { findChromium, launchChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { until } from '../../../support/wait.ts'
import { linkOf, pay, registerPage, untilPlayed, watchedPage } from './world.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no page is installed as on a phone: ${NO_BROWSER}\n`)

const onEnd = withFile()

/** Keeps the locks of the screen that the browser gave, and the vibrations that it took. */
const WATCH_PHONE = `
  window.locks = []
  const request = WakeLock.prototype.request
  WakeLock.prototype.request = async function (kind) {
    const lock = await request.call(this, kind)
    window.locks.push(lock)
    return lock
  }
  window.buzzes = []
  const vibrate = Navigator.prototype.vibrate
  Navigator.prototype.vibrate = function (pattern) {
    if (vibrate.call(this, pattern)) window.buzzes.push(pattern)
  }
`

it.skipIf(chromium === undefined)(
  'can be installed, keeps the screen on, fills it when asked, and vibrates for a payment',
  async () => {
    const [browser, hub] = await Promise.all([launchChromium(chromium ?? '', onEnd), startTestHub({ onEnd })])
    const device = await hub.device()
    const partner = await partnerOf(hub)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await context.addInitScript(WATCH_PHONE)
    const speaker = await watchedPage(context)
    const { page } = speaker
    // The page's policy lets `waitForFunction` look once, and not again.
    const becomes = (what: string) => until(what, () => page.evaluate<boolean>(what))
    await page.goto(linkOf(hub.http, device))
    await speaker.switchOn()
    await becomes('window.locks.some((lock) => lock.type === "screen" && !lock.released)')

    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    const devtools = await context.newCDPSession(page)
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // A context of a test is a private window.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])

    await page.locator('.full').click()
    await becomes('document.fullscreenElement !== null')

    await registerPage(partner, speaker, device.serial)
    await untilPlayed(partner, await pay(partner))
    expect(await page.evaluate('window.buzzes.map((pattern) => [pattern].flat()[0] > 0)')).toEqual([true])
    expect(speaker.complaints).toEqual([])
  },
)
