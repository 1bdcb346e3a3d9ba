import { formatAmount } from '../../../protocol/money/amount.ts'
import type { PaymentOutcome } from './payment-outcome.ts'

/** How far the demo has come. */
export interface Progress {
  /** The shop's store at the hub. Undefined until the speaker is registered. */
  readonly storeId: string | undefined
  /** The bills that were made. The newest one is `BILL-<bills>`. */
  readonly bills: number
}

export const BEGINNING: Progress = { storeId: undefined, bills: 0 }

/** What happens in the demo. Amounts are in dong, as digits. */
export type DemoEvent =
  | { kind: 'logged_in' }
  | { kind: 'code_shown'; code: string }
  | { kind: 'registered'; storeId: string; shop: string }
  | { kind: 'billed' }
  | { kind: 'qr_shown'; amount: string }
  | { kind: 'qr_failed'; reason: string }
  | { kind: 'reported'; ftCode: string; tookMs: number }
  | { kind: 'heard'; text: string }
  | { kind: 'speaker_offline'; amount: string }
  | { kind: 'ended'; outcome: PaymentOutcome }
  | { kind: 'proven' }

export function billNumberOf({ bills }: Progress): string {
  return `BILL-${bills}`
}

/** The progress after an event. Most change only what is printed. */
export function advance(progress: Progress, event: DemoEvent): Progress {
  switch (event.kind) {
    case 'registered':
      return { ...progress, storeId: event.storeId }
    case 'billed':
      return { ...progress, bills: progress.bills + 1 }
    default:
      return progress
  }
}

/** The line for what has just happened. Undefined: none. */
export function lineFor(event: DemoEvent, progress: Progress): string | undefined {
  switch (event.kind) {
    case 'logged_in':
      return 'The partner has its access token.'
    case 'code_shown':
      return `The speaker shows the code ${event.code}: only a person at the speaker can read it.`
    case 'registered':
      return `The partner registers the speaker with the code, for the shop "${event.shop}".`
    case 'billed':
      return undefined
    case 'qr_shown':
      return `A dynamic QR for ${billNumberOf(progress)}, ${formatAmount(event.amount)}, is on the screen.`
    case 'qr_failed':
      return `The speaker can't show the QR (${event.reason}); the bill is still paid.`
    case 'reported':
      return `The processor's signed callback ${event.ftCode} is stored and answered in ${event.tookMs.toFixed(0)} ms.`
    case 'heard':
      return `The speaker says: "${event.text}"`
    case 'speaker_offline':
      return `The speaker is offline: restore its cable (x) or its power (o). Within 120 s it speaks ${formatAmount(event.amount)}; after that it shows it as missed.`
    case 'ended':
      return lineForEnd(event.outcome)
    case 'proven':
      return 'The hub has the proof: the announcement was played, once.'
  }
}

function lineForEnd(outcome: PaymentOutcome): string | undefined {
  if (outcome === 'played') return undefined
  if (outcome === 'missed' || outcome === 'expired')
    return 'It was too late to be spoken: the speaker shows it as missed.'
  return `The speaker can't speak (${outcome}): the speaker shows it as missed.`
}
