import type { Page } from 'playwright-core'
import type { Operator } from '../../../../protocol/conformance/run/operator.ts'
import { answerOf } from '../../../../simulator/run/kit/senses.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'
import type { OnEnd } from '../../../support/folder.ts'
import { type OwnBrowser, startOwnBrowser } from '../../../support/processes/own-browser.ts'

/** What a person reads on the page. */
interface Face {
  screen: string
  code: string
  amount: string
  title: string
}

const READ_FACE = `(() => {
  const text = (selector) => document.querySelector('.soundbox ' + selector)?.textContent ?? ''
  const screen = document.querySelector('.soundbox')?.dataset.screen ?? ''
  return { screen, code: text('.digits.code'), amount: text('.digits.amount'), title: text('.title') }
})()`

/** Tells this process every event of the speaker at once: a kill leaves nothing in the page. */
const TELL = `document.addEventListener('speaker', ({ detail }) => {
  if (detail.kind === 'event') window.tellEvent(detail.event)
})`

/**
 * What stands for a power cut. None of them takes away what the operating system has not yet written to its disk.
 * - `browser killed`: SIGKILL of all its processes, then a new browser on the same profile, as after an empty battery. No
 *   code of the page runs any more.
 * - `tab killed`: its renderer crashes, then a new tab, as on a phone that needs memory. No code runs here either.
 * - `reloaded`: by the browser's own button. The page says `bye`: a restart, over which it keeps the same as over a cut.
 */
export const POWER_CUTS = ['browser killed', 'tab killed', 'reloaded'] as const
export type PowerCut = (typeof POWER_CUTS)[number]

export interface PageOptions {
  program: string
  profile: string
  origin: string
  /** How its power is cut. */
  powerCut: PowerCut
  /** Its clock can be moved by `leap`. */
  leaps: boolean
  onEnd: OnEnd
}

/** A speaker in a Chromium of its own, and a person who sits before it: pulls its plug, hears it, reads its screen. */
export class PageUnderTest {
  readonly operator: Operator
  readonly #options: PageOptions
  /** Over all power cuts. */
  readonly #happened: SpeakerEvent[] = []
  #browser: OwnBrowser | undefined
  #page: Page | undefined

  constructor(options: PageOptions) {
    this.#options = options
    this.operator = {
      answer: async (question) => answerOf(question, this.#happened, await this.#look()),
      powerCycle: () => this.#powerCycle(),
      goodbye: async () => {
        const [tab, next] = [this.#tab(), await this.#newTab()]
        await tab.close()
        await this.#load(next)
      },
    }
  }

  /** Starts the browser on its profile, and opens the page: by a link the first time. */
  async open(fragment = ''): Promise<void> {
    const { program, profile, leaps, onEnd } = this.#options
    // Nobody can tap after each power cut.
    const args = ['--autoplay-policy=no-user-gesture-required']
    this.#browser = await startOwnBrowser(program, profile, { args, onEnd })
    const { context } = this.#browser
    await context.exposeFunction('tellEvent', (event: SpeakerEvent) => void this.#happened.push(event))
    await context.addInitScript(TELL)
    if (leaps) await context.clock.install()
    const [tab] = context.pages()
    await this.#load(tab ?? (await this.#newTab()), fragment)
  }

  /**
   * Moves the page's clock forward. What was due until then happens. Its worker and its sound keep real time: the page's
   * own timers stand in for the worker's, and no case that leaps makes a sound.
   */
  async leap(ms: number): Promise<void> {
    await this.#tab().clock.runFor(ms)
  }

  async #powerCycle(): Promise<void> {
    const tab = this.#tab()
    switch (this.#options.powerCut) {
      case 'browser killed':
        await this.#browser?.kill()
        return this.open()
      case 'tab killed': {
        const crashed = tab.waitForEvent('crash')
        const devTools = await tab.context().newCDPSession(tab)
        // The renderer does not live to answer.
        void devTools.send('Page.crash').catch(() => {})
        await crashed
        const next = await this.#newTab()
        await tab.close()
        return this.#load(next)
      }
      case 'reloaded':
        await tab.reload()
    }
  }

  async #newTab(): Promise<Page> {
    const tab = await this.#browser?.context.newPage()
    if (!tab) throw new Error('there is no browser')
    return tab
  }

  async #load(tab: Page, fragment = ''): Promise<void> {
    this.#page = tab
    await tab.goto(`${this.#options.origin}/speaker${fragment}`)
  }

  #tab(): Page {
    if (!this.#page) throw new Error('the browser has no page')
    return this.#page
  }

  /** The screen, read from the page. The content of a QR is what the speaker was told to draw. */
  async #look(): Promise<SpeakerSnapshot> {
    const { screen, code, amount, title } = await this.#tab().evaluate<Face>(READ_FACE)
    const { qr } = this.#happened.findLast((event) => event.event === 'qr') ?? { qr: '' }
    const count = Number(/\d+/.exec(title)?.[0])
    const display = { screen, code, qr, amount: amount.replaceAll(/\D/g, ''), count }
    return { display, shop: screen === 'idle' ? title : '' } as unknown as SpeakerSnapshot
  }
}
