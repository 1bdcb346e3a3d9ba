import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestHub } from '../../../support/hub.ts'
import { findChromium, launchChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { eventually } from '../../../support/wait.ts'
import { pay, registeredPage, untilPlayed } from './world.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no amount is looked at: ${NO_BROWSER}\n`)

const SIZES = [
  [320, 568],
  [390, 844],
  [480, 480],
  [568, 320],
  [844, 390],
  [700, 480],
  [820, 1180],
  [1280, 800],
] as const

/** The longest amount of the protocol. */
const LARGEST = '9999999999999'

/** What of the amount, and of the page, lies outside its box. */
const OUTSIDE = `(() => {
  const amount = document.querySelector('.digits.amount')
  const screen = document.querySelector('.screen').getBoundingClientRect()
  const range = document.createRange()
  range.selectNodeContents(amount)
  const { left, right } = range.getBoundingClientRect()
  return {
    left: left < screen.left,
    right: right > screen.right || amount.scrollWidth > amount.clientWidth + 1,
    sum: [...document.querySelectorAll('.sum')].some((sum) => sum.scrollWidth > sum.clientWidth + 1),
    page: document.documentElement.scrollWidth > innerWidth,
  }
})()`

describe.skipIf(chromium === undefined)('the amount on a screen', () => {
  it('is whole at each size, with text of 100 % and 200 %', async () => {
    const [browser, hub] = await Promise.all([
      launchChromium(chromium ?? '', onTestFinished),
      startTestHub({ onEnd: onTestFinished }),
    ])
    const { partner, speaker, page, storeId } = await registeredPage(hub, await browser.newContext())
    await untilPlayed(partner, await pay(partner, { transactionAmount: LARGEST }))
    const bill = { billNumber: 'B-1', transactionAmount: LARGEST, storeId }
    expect((await partner.call('POST', '/payment/dynamic-qr', bill)).status).toBe(201)
    await speaker.shows('screen', 'qr')
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      for (const text of ['100%', '200%']) {
        await page.evaluate(`document.documentElement.style.fontSize = '${text}'`)
        const seen = async () => ({ width, height, text, ...((await page.evaluate(OUTSIDE)) as object) })
        const whole = { left: false, right: false, sum: false, page: false }
        await eventually(async () => expect(await seen()).toEqual({ width, height, text, ...whole }))
      }
    }
    expect(speaker.complaints).toEqual([])
  })
})
