import { ANNOUNCEMENT_FRESH_MS } from '../../server/announcements/announcement.ts'
import type { Storage } from '../../server/storage/storage.ts'
import type { FlappingSpeaker } from './flapping-speaker.ts'
import type { Payment } from './processor.ts'

/** A speaker that stays on the line for so long has every chance to speak what waits for it. */
const LONG_ENOUGH_MS = 20_000

export interface Verdict {
  payments: number
  /** On record as played, and heard exactly once. */
  heardOnce: number
  /** On record as expired, and heard by nobody: its speaker was away for too long. */
  missed: number
  /** Everything else, in words. */
  wrong: string[]
}

/** Compares what the hub has on record with what was heard; every payment has an amount of its own. */
export async function judge(
  { payments: records }: Storage,
  clientId: string,
  reported: readonly Payment[],
  speakers: ReadonlyMap<string, FlappingSpeaker>,
): Promise<Verdict> {
  const verdict: Verdict = { payments: reported.length, heardOnce: 0, missed: 0, wrong: [] }
  for (const { ftCode, terminalID, amount, answeredAt } of reported) {
    const view = await records.findByFtCode(clientId, ftCode)
    const stage = view?.announcements[0]?.stage ?? 'not on record'
    const speaker = speakers.get(terminalID)
    const times = speaker?.heard.get(amount) ?? 0
    const onLineMs = speaker?.longestOnLine(answeredAt, answeredAt + ANNOUNCEMENT_FRESH_MS) ?? 0
    if (answeredAt === 0) verdict.wrong.push(`${ftCode} was never answered with 200`)
    else if (stage === 'played' && times === 1) verdict.heardOnce += 1
    else if (stage === 'expired' && times === 0 && onLineMs < LONG_ENOUGH_MS) verdict.missed += 1
    else
      verdict.wrong.push(
        `${ftCode} at ${terminalID} is ${stage}, was heard ${times} times, and its speaker was on the line for ${onLineMs} ms while it was fresh`,
      )
  }
  return verdict
}
