import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestHub } from '../../../support/hub.ts'
import { findChromium, launchChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { linkTo } from '../filled.ts'
import { fillStreet } from './street.ts'

/** Writes the pictures of docs/console.md: WebP, since a PNG of the same page is four times as large. */

const DOCS = join(import.meta.dirname, '../../../../docs')
const VIEWPORT = { width: 1280, height: 800 }
const QUALITY = 85

const opened = new AsyncDisposableStack()
const onEnd = (close: () => void | Promise<void>) => opened.defer(close)
try {
  const chromium = findChromium()
  if (chromium === undefined) throw new Error(NO_BROWSER)
  const hub = await startTestHub({ onEnd })
  const serial = await fillStreet(hub.storage)
  const browser = await launchChromium(chromium, onEnd)
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light', locale: 'en' })
  await page.goto(`${hub.admin}/login?link=${await linkTo(hub.storage, 'admin')}`)
  await page.click('button.main')
  await page.locator('body.is-live').waitFor()
  const devtools = await page.context().newCDPSession(page)
  const take = async (name: string) => {
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    writeFileSync(join(DOCS, name), Buffer.from(data, 'base64'))
  }
  await page.getByText('Counting').waitFor({ state: 'detached' })
  await take('console-line.webp')
  await page.goto(`${hub.admin}/devices/${serial}`)
  await take('console-device.webp')
} finally {
  await opened.disposeAsync()
}
