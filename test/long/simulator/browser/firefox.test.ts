import { expect, it, onTestFinished } from 'vitest'
import { staticQr } from '../../../../simulator/run/hub/sample-shop.ts'
import { REGISTRATION } from '../../../support/api.ts'
import { partnerOf, requestCode } from '../../../support/http/partner-client.ts'
import { startTestHub } from '../../../support/hub.ts'
import { findFirefox, NO_FIREFOX, startFirefox } from '../../../support/processes/firefox.ts'
import { until } from '../../../support/wait.ts'
import { linkOf, pay, untilPlayed } from '../../../whole/simulator/browser/world.ts'

const program = findFirefox()
if (program === undefined) process.stdout.write(`no speaker runs in Firefox: ${NO_FIREFOX}\n`)

it.skipIf(program === undefined)(
  'Firefox is a speaker, too: it registers, says a payment, lists it, and keeps the list hidden over a reload',
  async () => {
    const hub = await startTestHub({ onEnd: onTestFinished })
    const device = await hub.device()
    const partner = await partnerOf(hub)
    const page = await startFirefox(program ?? '')
    const data = (name: string) => page.evaluate(`document.querySelector('.soundbox')?.dataset.${name}`)
    const shows = (screen: string) =>
      until(`the screen ${screen}`, async () => (await data('screen')) === screen)
    const textOf = async (selector: string) =>
      String(await page.evaluate(`document.querySelector('${selector}')?.textContent`))
    const switchOn = async () => {
      await until('a speaker', async () => {
        if ((await data('screen')) === 'tap') await page.tap('.tap')
        return (await data('link')) === 'welcomed'
      })
    }
    await page.setViewport(360, 640)
    await page.goto(linkOf(hub.http, device))
    await switchOn()
    await shows('unregistered')
    expect(await textOf('.screen')).toContain(`: ${device.serial}`)

    await requestCode(partner, device.serial)
    await shows('code')
    const registration = { ...REGISTRATION, staticQRCode: staticQr(), deviceSerial: device.serial }
    const verificationCode = await textOf('.digits.code')
    const answer = await partner.call('POST', '/device/register', { ...registration, verificationCode })
    expect(answer.status).toBe(201)
    await shows('idle')
    await untilPlayed(partner, await pay(partner, { transactionAmount: '180000' }))
    expect(await textOf('.sum')).toContain('180.000 đ')
    await page.tap('.sum')
    expect(await page.evaluate("document.querySelectorAll('.list li').length")).toBe(1)
    expect(await page.evaluate("document.querySelector('.list').checkVisibility()")).toBe(true)
    await page.tap('.eye')
    await until('the amounts are hidden', async () => !(await textOf('.payments')).includes('180.000'))

    await page.reload()
    await switchOn()
    await until('the list', async () => (await textOf('.list')) !== '')
    expect(await page.evaluate("document.querySelector('.eye').getAttribute('aria-pressed')")).toBe('true')
    expect(await textOf('.payments')).not.toContain('180.000')
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  },
)
