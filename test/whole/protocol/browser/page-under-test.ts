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

/** A speaker in a Chromium of its own, and a person who sits before it: pulls its plug, hears it, reads its screen. */
export class PageUnderTest {
  readonly operator: Operator
  readonly #start: () => Promise<OwnBrowser>
  readonly #origin: string
  /** Over all power cuts. */
  readonly #happened: SpeakerEvent[] = []
  #browser: OwnBrowser | undefined

  constructor(program: string, profile: string, origin: string, onEnd: OnEnd) {
    this.#origin = origin
    // Nobody can tap after each power cut.
    const args = ['--autoplay-policy=no-user-gesture-required']
    this.#start = () => startOwnBrowser(program, profile, { args, onEnd })
    this.operator = {
      answer: async (question) => answerOf(question, this.#happened, await this.#look()),
      powerCycle: async () => {
        await this.#browser?.kill()
        await this.open()
      },
    }
  }

  /** Closes the page. */
  async close(): Promise<void> {
    await this.#page().goto('about:blank')
  }

  /** Starts the browser on its profile, and opens the page: by a link the first time. */
  async open(fragment = ''): Promise<void> {
    this.#browser = await this.#start()
    const { context } = this.#browser
    await context.exposeFunction('tellEvent', (event: SpeakerEvent) => void this.#happened.push(event))
    await context.addInitScript(TELL)
    await this.#page().goto(`${this.#origin}/speaker${fragment}`)
  }

  #page() {
    const page = this.#browser?.context.pages()[0]
    if (!page) throw new Error('the browser has no page')
    return page
  }

  /** The screen, read from the page. The content of a QR is what the speaker was told to draw. */
  async #look(): Promise<SpeakerSnapshot> {
    const { screen, code, amount, title } = await this.#page().evaluate<Face>(READ_FACE)
    const { qr } = this.#happened.findLast((event) => event.event === 'qr') ?? { qr: '' }
    const count = Number(/\d+/.exec(title)?.[0])
    const display = { screen, code, qr, amount: amount.replaceAll(/\D/g, ''), count }
    return { display, shop: screen === 'idle' ? title : '' } as unknown as SpeakerSnapshot
  }
}
