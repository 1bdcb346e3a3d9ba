import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestHub } from '../../../support/hub.ts'
import { findChromium, launchChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { until } from '../../../support/wait.ts'
import { pay, registeredPage, untilPlayed } from './world.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no clock of a browser is set: ${NO_BROWSER}\n`)

const HOUR_MS = 3_600_000
const setClock = (byMs: number) => `{ const real = Date.now; Date.now = () => real() + ${byMs} }`

async function shop() {
  const [browser, hub] = await Promise.all([
    launchChromium(chromium ?? '', onTestFinished),
    startTestHub({ onEnd: onTestFinished }),
  ])
  const { partner, speaker } = await registeredPage(hub, await browser.newContext())
  return { partner, speaker }
}

describe.skipIf(chromium === undefined)('a browser whose clock is set', () => {
  it('back, while it speaks: each payment is heard once', async () => {
    const { partner, speaker } = await shop()
    // From within the page: on a slow machine the sentence may be over before anybody outside sees it.
    await speaker.page.evaluate(`
      new MutationObserver((_, observer) => {
        if (document.querySelector('.soundbox').dataset.sounding !== 'sentence') return
        observer.disconnect()
        ${setClock(-HOUR_MS)}
        window.isSetBack = true
      }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-sounding'] })
    `)
    const payments = [await pay(partner)]
    await until('the clock to be set back', () => speaker.page.evaluate('window.isSetBack === true'))
    payments.push(await pay(partner))
    for (const ftCode of payments) await untilPlayed(partner, ftCode)
    expect(await speaker.spoken()).toHaveLength(2)
    expect(speaker.complaints).toEqual([])
  })

  it('forward: the hub tells the time anew, and the next payment is heard', async () => {
    const { partner, speaker } = await shop()
    const connections = async () =>
      (await speaker.events()).filter(({ event }) => event === 'connected').length
    await untilPlayed(partner, await pay(partner))
    const before = await connections()
    await speaker.page.evaluate(setClock(HOUR_MS))
    await until('another connection', async () => (await connections()) > before)
    await speaker.shows('link', 'welcomed')
    await untilPlayed(partner, await pay(partner))
    expect(await speaker.spoken()).toHaveLength(2)
    expect(speaker.complaints).toEqual([])
  })
})
