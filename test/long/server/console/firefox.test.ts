import { expect, it, onTestFinished } from 'vitest'
import { fillHub, linkTo } from '../../../server/console/filled.ts'
import { startTestHub } from '../../../support/hub.ts'
import { findFirefox, NO_FIREFOX, startFirefox } from '../../../support/processes/firefox.ts'
import { until } from '../../../support/wait.ts'

const program = findFirefox()
if (program === undefined) process.stdout.write(`the console is not looked at in Firefox: ${NO_FIREFOX}\n`)

it.skipIf(program === undefined)(
  'Firefox logs in, sees a payment come in on the first page, lists the devices, and logs out',
  async () => {
    const hub = await startTestHub({ onEnd: onTestFinished })
    const { serial } = await fillHub(hub.storage)
    const page = await startFirefox(program ?? '')
    /** While a page is left, there is nothing to evaluate in. */
    const see = (expression: string) => page.evaluate(expression).catch(() => undefined)
    const isAt = (title: string) =>
      until(title, async () => (await see('document.querySelector("h1")?.textContent')) === title)
    const fits = async () =>
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    await page.setViewport(390, 800)
    await page.goto(`${hub.admin}/login?link=${await linkTo(hub.storage, 'viewer')}`)
    await page.tap('button.main')
    // This Firefox prefers Vietnamese.
    await isAt('Trực tiếp')
    await until('the stream', () => see('document.body.classList.contains("is-live")'))
    const before = Number(await page.evaluate('document.querySelectorAll("#line-rows tr").length'))
    await fillHub(hub.storage)
    await until(
      'the new payments',
      async () => Number(await see('document.querySelectorAll("#line-rows tr").length')) === before + 4,
    )
    await fits()

    await page.tap('nav [href="/devices"]')
    await isAt('Loa')
    expect(await page.evaluate('document.querySelector("main tbody").textContent')).toContain(serial)
    await fits()

    await page.tap('.who button')
    await isAt('Bạn chưa đăng nhập')
    await page.goto(`${hub.admin}/devices`)
    await isAt('Bạn chưa đăng nhập')
  },
)
