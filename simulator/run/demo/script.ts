import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../platform/error-text.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { type PartnerClient, PartnerRefusal } from '../hub/partner-client.ts'
import { BANK, newFtCode, staticQr } from '../hub/sample-shop.ts'
import { becomesTrue, nextEvent } from '../hub/wait.ts'
import { paymentOutcome, speakerOffline } from './payment-outcome.ts'
import { advance, BEGINNING, billNumberOf, type DemoEvent, lineFor } from './progress.ts'

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

/** Who plays in the script. */
interface Cast {
  partner: PartnerClient
  speaker: Speaker
  print: (line: string) => void
  /** Advances the progress, and prints the event's line. */
  emit: (event: DemoEvent) => void
  /** Lets the screen be seen before the next step. */
  pause: () => Promise<void>
}

interface Bill {
  storeId: string
  billNumber: string
  transactionAmount: string
}

/** `pauseMs`: how long each screen stays visible before the next step. */
export function createDemoScript(
  partner: PartnerClient,
  speaker: Speaker,
  options: { print: (line: string) => void; pauseMs: number; onToken?: (accessToken: string) => void },
): DemoScript {
  const { print, pauseMs } = options
  let progress = BEGINNING
  let settled: Promise<void> = Promise.resolve()
  const emit = (event: DemoEvent) => {
    progress = advance(progress, event)
    const line = lineFor(event, progress)
    if (line !== undefined) print(line)
  }
  const cast: Cast = { partner, speaker, print, emit, pause: () => sleep(pauseMs) }

  async function pay(transactionAmount: string) {
    const storeId = progress.storeId ?? (await register(cast))
    emit({ kind: 'billed' })
    const bill = { storeId, billNumber: billNumberOf(progress), transactionAmount }
    await showBill(cast, bill)
    const ftCode = newFtCode()
    settled = conclude(cast, bill, ftCode)
    await report(cast, bill, ftCode)
    await waitUnlessOffline(cast, settled, transactionAmount)
  }

  return {
    async firstPayment() {
      const accessToken = await partner.logIn()
      options.onToken?.(accessToken)
      emit({ kind: 'logged_in' })
      await pay(FIRST_AMOUNT)
    },
    payAgain: () => pay(String(randomInt(10, 500) * 1_000)),
    settled: () => settled,
  }
}

/** Registers the speaker by the code on its screen. Resolves with the id of the shop's store. */
async function register({ partner, speaker, emit, pause }: Cast): Promise<string> {
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
  emit({ kind: 'code_shown', code })
  await pause()
  const { storeId } = await partner.register({
    phoneNumber: '0901234567',
    deviceSerial: speaker.serial,
    storeName: SHOP,
    terminalID: TERMINAL,
    staticQRCode: staticQr(),
    verificationCode: code,
    ...BANK,
  })
  emit({ kind: 'registered', storeId, shop: SHOP })
  await pause()
  return storeId
}

/** Continues when the speaker can't show the bill: the payment does not depend on the speaker. */
async function showBill({ partner, speaker, emit, pause }: Cast, bill: Bill) {
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
  if (found.event === 'failed') return emit({ kind: 'qr_failed', reason: found.rc })
  emit({ kind: 'qr_shown', amount: bill.transactionAmount })
  await pause()
}

/** Resolves when the payment has its outcome. */
async function conclude(cast: Cast, { billNumber }: Bill, ftCode: string) {
  const { speaker, emit } = cast
  const outcome = await paymentOutcome(speaker, {
    billNumber,
    onSentence: (text) => emit({ kind: 'heard', text }),
    isOver: async () => ENDED.has((await stageOf(cast, ftCode)) ?? ''),
  })
  emit({ kind: 'ended', outcome })
  if (outcome !== 'played') return
  const proven = await becomesTrue(async () => (await stageOf(cast, ftCode)) === 'played')
  if (!proven) throw new Error('The hub has no proof that the payment was played.')
  emit({ kind: 'proven' })
}

async function report({ partner, emit }: Cast, { billNumber, transactionAmount }: Bill, ftCode: string) {
  const tookMs = await partner.callback({
    terminalID: TERMINAL,
    bankCode: BANK.bankCode,
    billNumber,
    transactionAmount,
    notice: `Thanh toan ${billNumber}`,
    payDate: new Date().toISOString(),
    traceTransfer: String(randomInt(100_000, 1_000_000)),
    ftCode,
  })
  emit({ kind: 'reported', ftCode, tookMs })
}

/** Waits for the outcome, unless the speaker is offline: the outcome then follows later. */
async function waitUnlessOffline({ speaker, print, emit }: Cast, end: Promise<void>, amount: string) {
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
  if (first === 'away') emit({ kind: 'speaker_offline', amount })
}

async function stageOf({ partner, speaker }: Cast, ftCode: string): Promise<string | undefined> {
  const stages = await partner.stages(ftCode)
  return stages.find((one) => one.deviceSerial === speaker.serial)?.stage
}

function isFailed(event: SpeakerEvent, t: string): event is Failed {
  return event.event === 'failed' && event.t === t
}

/** The hub's error code when the device could not show the verification code. */
const DISPLAY_FAILED = 40905

function isDisplayFailure(error: unknown): boolean {
  return error instanceof PartnerRefusal && error.code === DISPLAY_FAILED
}
