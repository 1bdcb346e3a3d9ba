import type { Payment } from '../support/proof/processor.ts'
import type { FlappingSpeaker } from './flapping-speaker.ts'

export interface Told {
  spoken: number
  shown: number
  /** A sentence for each payment that was neither spoken nor shown as missed, or both. */
  wrong: string[]
}

/**
 * What the speakers have told, by what they spoke and displayed: each payment once. A notice that is displayed again,
 * because the ack of the first one was lost, counts once.
 */
export function countTold(
  payments: readonly Payment[],
  speakerOf: (terminalID: string) => Pick<FlappingSpeaker, 'heard' | 'shown'> | undefined,
): Told {
  const told: Told = { spoken: 0, shown: 0, wrong: [] }
  for (const { ftCode, terminalID, amount } of payments) {
    const speaker = speakerOf(terminalID)
    const isSpoken = speaker?.heard.has(amount) ?? false
    const isShown = speaker?.shown.has(amount) ?? false
    if (isSpoken) told.spoken += 1
    if (isShown) told.shown += 1
    if (isSpoken === isShown)
      told.wrong.push(
        `${ftCode} at ${terminalID} was ${isSpoken ? 'spoken and' : 'neither spoken nor'} shown as missed`,
      )
  }
  return told
}
