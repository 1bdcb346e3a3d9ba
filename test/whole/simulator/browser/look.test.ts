import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { withFile } from '../../../support/folder.ts'
import { findChromium, launchChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { inEnglish, type Shown, STATE_NAMES, STATES, shown } from './gallery.ts'
import { axeFaults, contrastFaults, layoutFaults, openGallery } from './look.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no state of a phone is looked at: ${NO_BROWSER}\n`)

const onEnd = withFile()
let browser: Browser
beforeAll(async () => {
  if (chromium !== undefined) browser = await launchChromium(chromium, onEnd)
})

const SMALL = { width: 360, height: 640 }

async function gallery(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: SMALL, reducedMotion: 'reduce', ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await openGallery(page)
  const show = (state: Shown, isNew = true) =>
    page.evaluate(`gallery.show(${JSON.stringify(state)}, ${isNew})`)
  return { page, show }
}

/** The long test looks at all states in all sizes, in both schemes. */
describe.skipIf(chromium === undefined)('each state of a phone', () => {
  it('has names, roles and headings for a screen reader, in Vietnamese and English', async () => {
    const { page, show } = await gallery()
    const seen: Record<string, string> = {}
    const faults: Record<string, string[]> = {}
    for (const name of STATE_NAMES) {
      await show(STATES[name])
      faults[name] = await axeFaults(page)
      seen[name] = await page.locator('main').ariaSnapshot()
    }
    for (const name of ['missed', 'locked', 'QR of a bill', 'refused'] as const) {
      await show(inEnglish(STATES[name]))
      seen[`${name}, in English`] = await page.locator('main').ariaSnapshot()
    }
    expect(Object.entries(faults).filter(([, of]) => of.length > 0)).toEqual([])
    const text = Object.entries(seen).map(([name, tree]) => `# ${name}\n${tree}\n`)
    await expect(text.join('\n')).toMatchFileSnapshot('aria-snapshots.yaml')
    expect(seen['hidden amounts']).not.toMatch(/\d{3} đ/)
  })

  it.each(['light', 'dark'] as const)(
    'has texts, controls and a focus that can be seen, %s',
    async (scheme) => {
      const { page, show } = await gallery({ colorScheme: scheme })
      const names = ['tap', 'speaking', 'missed', 'no network', 'idle and offline', 'hidden amounts'] as const
      const faults: Record<string, string[]> = {}
      for (const name of names) {
        await show(STATES[name])
        faults[name] = await contrastFaults(page)
      }
      expect(faults).toEqual(Object.fromEntries(names.map((name) => [name, []])))
    },
  )

  it('is reached by scrolling, with nothing cut, in text of 200 % on a small phone', async () => {
    const { page, show } = await gallery()
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    const faults: string[] = []
    for (const size of [SMALL, { width: 568, height: 320 }]) {
      await page.setViewportSize(size)
      for (const name of STATE_NAMES) {
        await show(STATES[name])
        for (const fault of await layoutFaults(page)) faults.push(`${size.width}, ${name}: ${fault}`)
      }
    }
    expect(faults).toEqual([])
  })

  it('stands still for who wants less motion, and keeps its QR black on white in high contrast', async () => {
    const { page, show } = await gallery({ forcedColors: 'active' })
    await show(STATES.speaking)
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
    await show(STATES['QR of a bill'])
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    expect(await styleOf('.qr', 'backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await styleOf('.qr', 'fill')).toBe('rgb(0, 0, 0)')
    await show(STATES.missed)
    expect(await styleOf('.action', 'borderTopStyle')).toBe('solid')
  })
})

describe.skipIf(chromium === undefined)('what a screen reader says', () => {
  it('is each payment once, behind the sentence, and each new state once', async () => {
    const { page, show } = await gallery()
    await show(STATES.idle)
    await page.evaluate(`
      window.said = []
      const region = document.querySelector('[role="status"].for-ears')
      new MutationObserver(() => {
        if (region.textContent !== '') window.said.push(region.textContent)
      }).observe(region, { childList: true, characterData: true, subtree: true })
    `)
    const said = async () => {
      const texts = await page.evaluate<string[]>('window.said.splice(0)')
      return texts.map((text) => text.replace('\u200B', ''))
    }
    const next = (state: Shown) => show(state, false)
    const { speaker } = STATES.speaking
    const saying = (n: number, words: string, waiting = 0) => {
      const sounding = { ...speaker?.sounding, kind: 'sentence', n, said: words } as never
      return next(shown({ ...speaker, sounding, waiting }))
    }
    await saying(8, 'Đã nhận', 1)
    await saying(8, 'Đã nhận một trăm', 1)
    await next(shown({ ...speaker, sounding: undefined, waiting: 1 }))
    await saying(9, 'Đã nhận')
    expect(await said()).toEqual([])
    await next(STATES['just heard'])
    await next(STATES['just heard'])
    const sentence = 'Đã nhận một trăm tám mươi nghìn đồng'
    expect(await said()).toEqual([`${sentence}. ${sentence}`])
    await saying(10, 'Đã nhận')
    await next(STATES.idle)
    expect(await said()).toEqual([sentence])

    await next(STATES['idle and offline'])
    await next(STATES.joining)
    await next(STATES['idle and offline'])
    expect(await said()).toEqual(['✕ MẤT KẾT NỐI · Loa không đọc được tiền đến'])
    await next(STATES.locked)
    await next(STATES.idle)
    await next(STATES['no sound'])
    await next(STATES.muted)
    await next(STATES.missed)
    expect(await said()).toEqual([
      'LOA ĐANG BỊ KHOÁ. Loa không đọc được tiền đến',
      'Sẵn sàng nhận tiền',
      'Mất tiếng. Chạm để bật lại',
      'Loa không đọc được tiền đến',
      '3 KHOẢN CHƯA ĐƯỢC ĐỌC. 1.250.000 đ. Tiền đã nhận nhưng loa không đọc',
    ])
  })
})
