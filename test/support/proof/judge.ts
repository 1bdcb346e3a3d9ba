import type { Storage } from '../../../server/storage/ports.ts'
import type { Payment } from './processor.ts'

/** The times at which a shop's speaker spoke each amount, by `performance.now()`. */
export type Heard = ReadonlyMap<string, readonly number[]>

export interface Verdict {
  payments: number
  /** Stored as played, and heard exactly once. */
  heardOnce: number
  /** Stored as expired, and heard by nobody. */
  missed: number
  /** Answered with 200, heard by nobody, and not stored as expired with a reason. */
  lost: number
  /** Heard more than once. */
  doubled: number
  /** A sentence for each payment that is lost, doubled or otherwise wrong. */
  wrong: string[]
}

/**
 * Compares the answers to the caller, the stored records and the spoken sentences: no payment may be lost or doubled.
 * Every payment has a different amount. `mayBeMissed` marks payments that a shop could not have heard in time.
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
