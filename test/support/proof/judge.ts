import type { Storage } from '../../../server/storage/ports.ts'
import type { Payment } from './processor.ts'

/** What was heard in a shop: when its speaker spoke each amount, by `performance.now()`. */
export type Heard = ReadonlyMap<string, readonly number[]>

export interface Verdict {
  payments: number
  /** On record as played, and heard exactly once. */
  heardOnce: number
  /** On record as expired, and heard by nobody. */
  missed: number
  /** Answered with 200, and heard by nobody: without a reason, or without a word on record. */
  lost: number
  /** Heard more than once. */
  doubled: number
  /** Everything else that is not as it should be, and each of the above, in words. */
  wrong: string[]
}

/**
 * Proves from both ends that nothing was lost and nothing doubled: what the caller was answered, what the file
 * holds, and what was heard. Every payment has an amount of its own. `mayBeMissed` says of which payments a shop
 * could not have heard in time.
 */
export async function judge(
  { payments: records }: Pick<Storage, 'payments'>,
  clientId: string,
  reported: readonly Payment[],
  heardAt: (terminalID: string) => Heard | undefined,
  mayBeMissed: (payment: Payment) => boolean = () => false,
): Promise<Verdict> {
  const verdict: Verdict = {
    ...{ payments: reported.length, heardOnce: 0, missed: 0, lost: 0, doubled: 0, wrong: [] },
  }
  for (const payment of reported) {
    const { ftCode, terminalID, amount, answeredAt } = payment
    const view = await records.findByFtCode(clientId, ftCode)
    const stage = view?.announcements[0]?.stage ?? 'not on record'
    const times = heardAt(terminalID)?.get(amount)?.length ?? 0
    const isMissed = stage === 'expired' && times === 0 && mayBeMissed(payment)
    if (times > 1) verdict.doubled += 1
    if (times === 0 && answeredAt !== 0 && !isMissed) verdict.lost += 1
    if (answeredAt === 0) verdict.wrong.push(`${ftCode} was never answered with 200`)
    else if (stage === 'played' && times === 1) verdict.heardOnce += 1
    else if (isMissed) verdict.missed += 1
    else verdict.wrong.push(`${ftCode} at ${terminalID} is ${stage}, and was heard ${times} times`)
  }
  return verdict
}
