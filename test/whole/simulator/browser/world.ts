import type { BrowserContext, Page } from 'playwright-core'
import { staticQr } from '../../../../simulator/run/hub/sample-shop.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import { REGISTRATION } from '../../../support/api.ts'
import { signedCallback } from '../../../support/callback.ts'
import { type PartnerClient, partnerOf, requestCode } from '../../../support/http/partner-client.ts'
import type { TestHub } from '../../../support/hub.ts'
import { until } from '../../../support/wait.ts'

/** What a browser says when nobody has touched the page yet, when the hub is away, and of the listener of this test. */
const EXPECTED = [
  /ScriptProcessorNode is deprecated/,
  /AudioContext was not allowed to start/,
  /WebSocket connection to .* failed/,
  /net::ERR_/,
]

/** A page that is a speaker. */
export interface SpeakerPage {
  page: Page
  /** Errors, warnings and violations of its policy. */
  complaints: string[]
  /** What its drawn device shows: `screen`, `link`, `played`, `sounding`, `serial`. */
  data(): Promise<Record<string, string>>
  /** Resolves when the attribute has the value. */
  shows(name: string, value: string): Promise<void>
  /** Resolves with the texts of the device when it first showed a screen, however shortly it did. */
  saw(screen: string): Promise<string>
  /** The events of the speaker since the page was loaded. */
  events(): Promise<SpeakerEvent[]>
  /** The numbers of the announcements that it has spoken since the page was loaded. */
  spoken(): Promise<number[]>
  /** Touches the page, if it waits for that. Resolves when there is a speaker. */
  touch(): Promise<void>
  /** The same, and waits for the hub's welcome. */
  switchOn(): Promise<void>
  /** What the output was given, without silence before and behind it. Undefined before there was a sound. */
  heard(): Promise<number[]>
}

export const linkOf = (base: string, { serial, key }: { serial: string; key: string }) =>
  `${base}/speaker#serial=${serial}&key=${key}`

/** Opens an empty page that keeps what a speaker in it says and plays. */
export async function watchedPage(context: BrowserContext): Promise<SpeakerPage> {
  const page = await context.newPage()
  // Only the end of the test ends a wait.
  page.setDefaultTimeout(0)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type()) && !EXPECTED.some((known) => known.test(text)))
      complaints.push(text)
  })
  await page.addInitScript(WATCH)
  const data = (): Promise<Record<string, string>> =>
    page.evaluate("({ ...document.querySelector('.soundbox')?.dataset })")
  const events = (): Promise<SpeakerEvent[]> => page.evaluate('window.speakerEvents')
  const shows = async (name: string, value: string) => {
    await page.locator(`.soundbox[data-${name}="${value}"]`).first().waitFor({ state: 'attached' })
  }
  const touch = async () => {
    await until('a speaker', async () => {
      const { screen, link } = await data().catch((): Record<string, string> => ({}))
      if (screen === 'tap')
        await page
          .locator('.tap')
          .first()
          .click({ timeout: 1_000 })
          .catch(() => {})
      return link !== undefined && link !== 'none'
    })
  }
  return {
    page,
    complaints,
    data,
    shows,
    saw: (screen) =>
      until(`the screen ${screen}`, async () => {
        const faces: { screen: string; text: string }[] = await page.evaluate('window.speakerFaces')
        return faces.find((face) => face.screen === screen)?.text
      }),
    events,
    spoken: async () => (await events()).flatMap((event) => (event.event === 'announce' ? [event.n] : [])),
    touch,
    async switchOn() {
      await touch()
      await shows('link', 'welcomed')
    },
    heard: () => page.evaluate('window.heardSamples()'),
  }
}

/**
 * Runs in the page before its scripts. Keeps the speaker's events, and every sample that goes to the output: a second
 * node beside the output is given the same sound.
 */
const WATCH = `
  window.speakerEvents = []
  document.addEventListener('speaker', ({ detail }) => {
    if (detail.kind === 'event') window.speakerEvents.push(detail.event)
  })
  window.speakerFaces = []
  new MutationObserver(() => {
    for (const { dataset, textContent } of document.querySelectorAll('.soundbox'))
      window.speakerFaces.push({ screen: dataset.screen, text: textContent })
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-screen', 'data-sounding'] })
  window.contexts = []
  window.AudioContext = class extends AudioContext {
    constructor(options) {
      super(options)
      window.contexts.push(this)
    }
  }
  const blocks = []
  const ears = new WeakMap()
  const connect = AudioNode.prototype.connect
  AudioNode.prototype.connect = function (target, ...rest) {
    const { context } = this
    if (target === context.destination && !ears.has(context)) {
      const ear = context.createScriptProcessor(16384, 1, 1)
      ear.onaudioprocess = ({ inputBuffer }) => blocks.push(inputBuffer.getChannelData(0).slice())
      ears.set(context, ear)
      connect.call(ear, context.destination)
    }
    if (target === context.destination) connect.call(this, ears.get(context))
    return connect.call(this, target, ...rest)
  }
  window.heardSamples = () => {
    const samples = blocks.flatMap((block) => [...block].map((sample) => Math.round(sample * 0x8000)))
    const first = samples.findIndex((sample) => sample !== 0)
    const last = samples.findLastIndex((sample) => sample !== 0)
    return first < 0 ? [] : samples.slice(first, last + 1)
  }
`

/** Without silence before and behind it. */
export function trimmed(samples: Int16Array): number[] {
  const all = [...samples]
  return all.slice(
    all.findIndex((sample) => sample !== 0),
    all.findLastIndex((sample) => sample !== 0) + 1,
  )
}

/** Registers a page's speaker by the code on its screen. Resolves with its store's id. */
export async function registerPage(
  partner: PartnerClient,
  { page, events }: SpeakerPage,
  deviceSerial: string,
): Promise<string> {
  await requestCode(partner, deviceSerial)
  const told = (await events()).findLast((event) => event.event === 'code')
  // A page that was asked twice may still show the first code.
  const shown = page.locator('.digits.code').filter({ hasText: told?.code ?? 'no code' })
  const verificationCode = await shown.textContent()
  const answer = await partner.call('POST', '/device/register', {
    ...REGISTRATION,
    staticQRCode: staticQr(),
    deviceSerial,
    verificationCode,
  })
  if (answer.status !== 201) throw new Error(`not registered: ${JSON.stringify(answer.body)}`)
  return String(Object(answer.body).store.id)
}

/** Opens a page as a new device of the hub, and registers it. */
export async function registeredPage(hub: TestHub, context: BrowserContext) {
  const device = await hub.device()
  const partner = await partnerOf(hub)
  const speaker = await watchedPage(context)
  const { page } = speaker
  await page.goto(linkOf(hub.http, device))
  await speaker.switchOn()
  const storeId = await registerPage(partner, speaker, device.serial)
  return { device, partner, speaker, page, storeId }
}

let payments = 0

/** Reports a payment until the hub takes it. Resolves with its code. */
export async function pay(
  partner: PartnerClient,
  changes: Parameters<typeof signedCallback>[1] = {},
): Promise<string> {
  payments += 1
  const ftCode = `FT${String(payments).padStart(4, '0')}`
  const body = signedCallback(partner.clientSecret, { ftCode, traceTransfer: ftCode, ...changes })
  await until('the 200 of the payment', async () => {
    const answer = await partner.call('POST', '/payment/callback', body).catch(() => undefined)
    return answer?.status === 200
  })
  return ftCode
}

/** Resolves when the hub has the ack `played` of a payment. */
export async function untilPlayed(partner: PartnerClient, ftCode: string): Promise<void> {
  await until(`the receipt of ${ftCode}`, async () => {
    const answer = await partner.call('GET', `/payment/transactions/${ftCode}`).catch(() => undefined)
    return Object(answer?.body).announcements?.[0]?.stage === 'played'
  })
}
