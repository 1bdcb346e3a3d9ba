import type { ReasonCode } from '../../../protocol/messages/ack.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { becomesTrue } from '../hub/wait.ts'

/**
 * The outcome of a payment at the speaker: played, or why not; `missed` means that it came too late to be announced.
 */
export type PaymentOutcome = 'played' | 'missed' | ReasonCode

export interface PaymentOutcomeOptions {
  billNumber: string
  /** Called when the sentence starts. */
  onSentence: (text: string) => void
  /** Whether the announcement has reached its final stage at the hub. */
  isOver: () => Promise<boolean>
}

/**
 * Waits until a payment has been played, or never will be, across reconnects and power cuts. It has no timeout: a cable
 * may stay unplugged for long.
 */
export function paymentOutcome(
  speaker: Pick<Speaker, 'subscribe'>,
  { billNumber, onSentence, isOver }: PaymentOutcomeOptions,
): Promise<PaymentOutcome> {
  return new Promise((resolve, reject) => {
    let begun: number | undefined
    const end = (how: PaymentOutcome) => {
      unsubscribe()
      resolve(how)
    }
    // Neither `failed` nor `missed` names the payment, so ask the hub whether it was this one. A `failed`
    // before `missed` has the more precise reason.
    let reason: PaymentOutcome = 'missed'
    const endIfOver = (how: PaymentOutcome) => {
      if (how !== 'missed') reason = how
      becomesTrue(isOver).then((over) => {
        if (over && begun === undefined) end(reason)
      }, reject)
    }
    const unsubscribe = speaker.subscribe((item) => {
      if (item.kind !== 'event') return
      const { event } = item
      if (event.event === 'announce' && event.bill === billNumber) {
        begun = event.n
        onSentence(event.text)
      } else if (event.event === 'played' && event.n === begun) end('played')
      // A sentence that a power cut interrupted is not repeated: it counts as played after the reconnect.
      else if (event.event === 'connected' && begun !== undefined) end('played')
      else if (event.event === 'missed' && begun === undefined) endIfOver('missed')
      else if (event.event === 'failed' && event.t === 'announce') {
        if (event.n === begun) end(event.rc)
        else if (begun === undefined) endIfOver(event.rc)
      }
    })
  })
}

/** Resolves when the speaker has no link or no power; at once if that is already so. */
export function speakerOffline(
  speaker: Pick<Speaker, 'subscribe' | 'snapshot'>,
  signal: AbortSignal,
): Promise<void> {
  if (speaker.snapshot().link !== 'welcomed') return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = speaker.subscribe((item) => {
      if (item.kind !== 'event') return
      const { event } = item
      if (event.event !== 'disconnected' && !(event.event === 'power' && !event.on)) return
      unsubscribe()
      resolve()
    })
    signal.addEventListener('abort', unsubscribe, { once: true })
  })
}
