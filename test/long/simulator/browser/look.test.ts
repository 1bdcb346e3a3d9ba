import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { withFile } from '../../../support/folder.ts'
import { findChromium, launchChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { inEnglish, SHEETS, STATES } from '../../../whole/simulator/browser/gallery.ts'
import {
  axeFaults,
  contrastFaults,
  layoutFaults,
  openGallery,
} from '../../../whole/simulator/browser/look.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no state of a phone is looked at: ${NO_BROWSER}\n`)

const onEnd = withFile()
let browser: Browser
beforeAll(async () => {
  if (chromium !== undefined) browser = await launchChromium(chromium, onEnd)
})

const SIZES = [
  [360, 640, 100],
  [360, 640, 200],
  [568, 320, 200],
  [768, 1024, 100],
  [1280, 800, 100],
] as const

const VIETNAMESE = [
  ...Object.entries(STATES).map(([name, state]) => [name, `gallery.show(${JSON.stringify(state)})`]),
  ...SHEETS.map((name) => [`sheet: ${name}`, `gallery.sheet('${name}')`]),
] as [name: string, show: string][]
const ENGLISH = Object.entries(STATES).map(([name, state]): [name: string, show: string] => [
  `${name}, in English`,
  `gallery.show(${JSON.stringify(inEnglish(state))})`,
])

async function gallery(colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await openGallery(page)
  return page
}

describe.skipIf(chromium === undefined)('all that a phone shows', () => {
  it.each(
    (['light', 'dark'] as const).flatMap((scheme) =>
      SIZES.map(([width, height, text]) => ({ scheme, width, height, text })),
    ),
  )(
    'can be seen and read, $scheme, $width x $height, text of $text %',
    async ({ scheme, width, height, text }) => {
      const page = await gallery(scheme)
      await page.setViewportSize({ width, height })
      await page.evaluate(`document.documentElement.style.fontSize = '${text}%'`)
      const faults: string[] = []
      const find = async (name: string, show: string, looks: readonly (typeof layoutFaults)[]) => {
        await page.evaluate(show)
        for (const look of looks) for (const fault of await look(page)) faults.push(`${name}: ${fault}`)
      }
      for (const [name, show] of VIETNAMESE) await find(name, show, [axeFaults, contrastFaults, layoutFaults])
      for (const [name, show] of ENGLISH) await find(name, show, [layoutFaults])
      expect(faults).toEqual([])
    },
  )

  it.each([
    ['a pale text', '.line { color: #a9b5b0 !important }', contrastFaults, /text "Sẵn sàng/],
    ['a pale edge', '.key { border-color: #0b7a62 !important }', contrastFaults, /edge of key/],
    [
      'a focus like its surroundings',
      ':root { --notice: #0a7a60 !important }',
      contrastFaults,
      /focus of key/,
    ],
    ['a cut text', '.title { overflow: hidden; width: 40px; white-space: nowrap }', layoutFaults, /cut: /],
    ['one over the other', '.line { margin-top: -40px }', layoutFaults, /over each other/],
  ] as const)('the test sees %s', async (_, css, faultsOf, fault) => {
    const page = await gallery('light')
    await page.evaluate(`gallery.show(${JSON.stringify(STATES.idle)})`)
    await page.addStyleTag({ content: css })
    expect(await faultsOf(page)).toContainEqual(expect.stringMatching(fault))
  })

  it('the test sees a key without a name', async () => {
    const page = await gallery('light')
    await page.evaluate(`gallery.show(${JSON.stringify(STATES.idle)})`)
    await page.evaluate("document.querySelector('.full').removeAttribute('aria-label')")
    expect(await axeFaults(page)).toContainEqual(expect.stringMatching(/^button-name/))
  })
})
