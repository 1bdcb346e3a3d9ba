import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../platform/error-text.ts'
import { formatAmount } from '../../screen/drawing/money.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { type PartnerClient, PartnerRefusal } from '../hub/partner-client.ts'
import { BANK, newFtCode, staticQr } from '../hub/sample-shop.ts'
import { becomesTrue, nextEvent } from '../hub/wait.ts'
import { type PaymentOutcome, paymentOutcome, speakerOffline } from './payment-outcome.ts'

const SHOP = 'Trà Sữa Mây'
const TERMINAL = 'TILL-01'
const FIRST_AMOUNT = '50000'

/** Enough time for a sentence and everything before it, also on a machine that was stopped for some seconds. */
const SPOKEN_WITHIN_MS = 60_000
/** The final stages of an announcement. */
const ENDED = new Set(['played', 'failed', 'expired', 'suppressed'])

type Failed = Extract<SpeakerEvent, { event: 'failed' }>

/** The demo's script, from the access token to the announcement; each step prints a line. */
export interface DemoScript {
  /** From the login to the first announced payment. */
  firstPayment(): Promise<void>
  /** Shows and pays another bill. */
  payAgain(): Promise<void>
  /** Resolves when the last payment has its outcome, even if the speaker was offline meanwhile. */
  settled(): Promise<void>
}

/** `pauseMs`: how long each screen stays visible before the next step. */
export function createDemoScript(
  partner: PartnerClient,
  speaker: Speaker,
  options: { print: (line: string) => void; pauseMs: number; onToken?: (accessToken: string) => void },
): DemoScript {
  const { print, pauseMs } = options
  let storeId = ''
  let bills = 0
  let settled: Promise<void> = Promise.resolve()

  async function register() {
    const shown = nextEvent(speaker, 'show a code', (it) => (it.event === 'code' ? it.code : undefined))
    try {
      await partner.sendVerification(speaker.serial)
    } catch (error) {
      if (!isDisplayFailure(error)) throw error
      throw new Error(
        "The speaker can't show the code (display_failed): repair it with b, then press p to continue.",
      )
    }
    const code = await shown
    print(`The speaker shows the code ${code}: only a person at the speaker can read it.`)
    await sleep(pauseMs)
    const registered = await partner.register({
      phoneNumber: '0901234567',
      deviceSerial: speaker.serial,
      storeName: SHOP,
      terminalID: TERMINAL,
      staticQRCode: staticQr(),
      verificationCode: code,
      ...BANK,
    })
    storeId = registered.storeId
    print(`The partner registers the speaker with the code, for the shop "${SHOP}".`)
    await sleep(pauseMs)
  }

  async function pay(amount: string) {
    bills += 1
    const billNumber = `BILL-${bills}`
    await showBill(billNumber, amount)
    const ftCode = newFtCode()
    const heard = paymentOutcome(speaker, {
      billNumber,
      onSentence: (text) => print(`The speaker says: "${text}"`),
      isOver: async () => ENDED.has((await stageOf(ftCode)) ?? ''),
    })
    settled = heard.then((outcome) => conclude(outcome, ftCode))
    await report(ftCode, billNumber, amount)
    await waitUnlessOffline(settled, amount)
  }

  /** Continues when the speaker can't show the bill: the payment does not depend on the speaker. */
  async function showBill(billNumber: string, amount: string) {
    const bill = { storeId, billNumber, transactionAmount: amount }
    if (speaker.snapshot().link !== 'welcomed') {
      await partner.dynamicQr(bill)
      return
    }
    const shown = nextEvent(speaker, 'show the QR', (it) =>
      it.event === 'qr' || it.event === 'disconnected' || isFailed(it, 'qr') ? it : undefined,
    )
    await partner.dynamicQr(bill)
    const found = await shown
    if (found.event === 'disconnected') return
    if (found.event === 'failed')
      return print(`The speaker can't show the QR (${found.rc}); the bill is still paid.`)
    print(`A dynamic QR for ${billNumber}, ${formatAmount(amount)}, is on the screen.`)
    await sleep(pauseMs)
  }

  /** Waits for the outcome, unless the speaker is offline: the outcome then follows later. */
  async function waitUnlessOffline(end: Promise<void>, amount: string) {
    // `settled` reports this error; here it must only not become an unhandled rejection.
    end.catch((error: unknown) => print(messageOf(error)))
    const over = new AbortController()
    const late = sleep(SPOKEN_WITHIN_MS, 'late' as const, { signal: over.signal })
    late.catch(() => undefined)
    const first = await Promise.race([
      end.then(
        () => 'over' as const,
        () => 'over' as const,
      ),
      speakerOffline(speaker, over.signal).then(() => 'away' as const),
      late,
    ])
    over.abort()
    if (first === 'late') throw new Error(`The speaker did not speak within ${SPOKEN_WITHIN_MS / 1000} s.`)
    if (first === 'away')
      print(
        `The speaker is offline: restore its cable (x) or its power (o). Within 120 s it speaks ${formatAmount(amount)}; after that it shows it as missed.`,
      )
  }

  async function conclude(outcome: PaymentOutcome, ftCode: string) {
    switch (outcome) {
      case 'played':
        return checkPlayed(ftCode)
      case 'missed':
      case 'expired':
        return print('It was too late to be spoken: the speaker shows it as missed.')
      default:
        return print(`The speaker can't speak (${outcome}): the speaker shows it as missed.`)
    }
  }

  async function stageOf(ftCode: string): Promise<string | undefined> {
    const stages = await partner.stages(ftCode)
    return stages.find((one) => one.deviceSerial === speaker.serial)?.stage
  }

  async function report(ftCode: string, billNumber: string, amount: string) {
    const tookMs = await partner.callback({
      terminalID: TERMINAL,
      bankCode: BANK.bankCode,
      billNumber,
      transactionAmount: amount,
      notice: `Thanh toan ${billNumber}`,
      payDate: new Date().toISOString(),
      traceTransfer: String(randomInt(100_000, 1_000_000)),
      ftCode,
    })
    print(`The processor's signed callback ${ftCode} is stored and answered in ${tookMs.toFixed(0)} ms.`)
  }

  async function checkPlayed(ftCode: string) {
    const proven = await becomesTrue(async () => (await stageOf(ftCode)) === 'played')
    if (!proven) throw new Error('The hub has no proof that the payment was played.')
    print('The hub has the proof: the announcement was played, once.')
  }

  return {
    async firstPayment() {
      const accessToken = await partner.logIn()
      options.onToken?.(accessToken)
      print('The partner has its access token.')
      await register()
      await pay(FIRST_AMOUNT)
    },
    async payAgain() {
      if (storeId === '') await register()
      await pay(String(randomInt(10, 500) * 1_000))
    },
    settled: () => settled,
  }
}

function isFailed(event: SpeakerEvent, t: string): event is Failed {
  return event.event === 'failed' && event.t === t
}

/** The hub's error code when the device could not show the verification code. */
const DISPLAY_FAILED = 40905

function isDisplayFailure(error: unknown): boolean {
  return error instanceof PartnerRefusal && error.code === DISPLAY_FAILED
}
