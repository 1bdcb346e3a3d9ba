import type { ReasonCode } from '../../../protocol/messages/ack.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { becomesTrue } from '../hub/wait.ts'

/** What became of a payment at the speaker: heard, or why not; `missed` is news that came too late to be spoken. */
export type PaymentOutcome = 'played' | 'missed' | ReasonCode

export interface PaymentOutcomeOptions {
  billNumber: string
  /** The sentence begins. */
  says: (text: string) => void
  /** Whether the hub waits for nothing more from the speaker about this payment. */
  isOver: () => Promise<boolean>
}

/**
 * Listens until a payment has been heard or never will be, however often the line and the power come and go
 * meanwhile. It has no limit of its own: a cable may be out for long.
 */
export function paymentOutcome(
  speaker: Pick<Speaker, 'subscribe'>,
  { billNumber, says, isOver }: PaymentOutcomeOptions,
): Promise<PaymentOutcome> {
  return new Promise((resolve, reject) => {
    let begun: number | undefined
    const end = (how: PaymentOutcome) => {
      unsubscribe()
      resolve(how)
    }
    // Neither a failure nor a notice names the payment: the hub is asked whether it was this one.
    // The notice follows a failure, which says more.
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
        says(event.text)
      } else if (event.event === 'played' && event.n === begun) end('played')
      // A sentence that the power cut short is not said again: it counts as played when the speaker is back.
      else if (event.event === 'connected' && begun !== undefined) end('played')
      else if (event.event === 'missed' && begun === undefined) endIfOver('missed')
      else if (event.event === 'failed' && event.t === 'announce') {
        if (event.n === begun) end(event.rc)
        else if (begun === undefined) endIfOver(event.rc)
      }
    })
  })
}

/** Resolves as soon as the speaker has no line to the hub, or no power; at once when it is so. */
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
