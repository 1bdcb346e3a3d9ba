import type { ReasonCode } from '../../../protocol/messages/ack.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { becomesTrue } from '../hub/wait.ts'

/** What became of a payment at the speaker: heard, or why not; `missed` is news that came too late to be spoken. */
export type Ending = 'played' | 'missed' | ReasonCode

export interface HearingOptions {
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
export function hearPayment(
  speaker: Pick<Speaker, 'subscribe'>,
  { billNumber, says, isOver }: HearingOptions,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let begun: number | undefined
    const end = (how: Ending) => {
      unsubscribe()
      resolve(how)
    }
    // Neither a failure nor a notice names the payment: the hub is asked whether it was this one.
    // The notice follows a failure, which says more.
    let reason: Ending = 'missed'
    const endIfOver = (how: Ending) => {
      if (how !== 'missed') reason = how
      becomesTrue(isOver).then((over) => {
        if (over && begun === undefined) end(reason)
      }, reject)
    }
    const unsubscribe = speaker.subscribe((item) => {
      if (item.kind !== 'happening') return
      const { happening } = item
      if (happening.event === 'announce' && happening.bill === billNumber) {
        begun = happening.n
        says(happening.text)
      } else if (happening.event === 'played' && happening.n === begun) end('played')
      // A sentence that the power cut short is not said again: it counts as played when the speaker is back.
      else if (happening.event === 'connected' && begun !== undefined) end('played')
      else if (happening.event === 'missed' && begun === undefined) endIfOver('missed')
      else if (happening.event === 'failed' && happening.t === 'announce') {
        if (happening.n === begun) end(happening.rc)
        else if (begun === undefined) endIfOver(happening.rc)
      }
    })
  })
}

/** Resolves as soon as the speaker has no line to the hub, or no power; at once when it is so. */
export function outOfReach(
  speaker: Pick<Speaker, 'subscribe' | 'snapshot'>,
  signal: AbortSignal,
): Promise<void> {
  if (speaker.snapshot().link !== 'welcomed') return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = speaker.subscribe((item) => {
      if (item.kind !== 'happening') return
      const { happening } = item
      if (happening.event !== 'disconnected' && !(happening.event === 'power' && !happening.on)) return
      unsubscribe()
      resolve()
    })
    signal.addEventListener('abort', unsubscribe, { once: true })
  })
}
