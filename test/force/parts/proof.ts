import { describeViolations } from '../../support/proof/describe-violations.ts'
import { type Allowed, judge, type Violation } from '../../support/proof/judge.ts'
import { readRecord } from '../../support/proof/record.ts'
import { timeUntil, waitUntil } from '../../support/wait.ts'
import type { Figures } from '../scenario.ts'
import type { Proven } from './world.ts'

/** Longer than the freshness of an announcement and its ack timeout: by then every announcement has ended. */
const SETTLED_WITHIN_MS = 200_000
/** For the notices of missed payments, which follow. */
const SHOWN_WITHIN_MS = 60_000

export interface Proof {
  figures: Figures
  broken: string[]
}

/** Waits until every payment is heard or expired. Resolves with the milliseconds that it took. */
export async function settle({ storage, history }: Proven): Promise<number | undefined> {
  const isOver = async () =>
    history.haveHeard(history.payments) || (await storage.outbox.backlog()).open === 0
  return timeUntil(isOver, SETTLED_WITHIN_MS)
}

/** Waits until every announcement has ended on record, and what was missed is shown. Then judges the history. */
export async function prove(world: Proven, allowed?: Allowed): Promise<Proof> {
  const { storage, history } = world
  await waitUntil(async () => (await storage.outbox.backlog()).open === 0, SETTLED_WITHIN_MS)
  const record = await readRecord(world)
  const judged = () => judge(history, record, allowed)
  await waitUntil(() => judged().violations.every(({ kind }) => kind !== 'shown'), SHOWN_WITHIN_MS)
  const { heardOnce, missed, lost, doubled, violations } = judged()
  const unanswered = history.payments.flatMap((payment): Violation[] => {
    const { ftCode, terminalID } = payment
    if (history.times(payment).answered !== undefined) return []
    return [{ kind: 'unanswered', says: `${ftCode} never got 200`, terminalID, seen: history.of(payment) }]
  })
  const answers = [...history.answers()].map(([answer, times]) => [`answers: ${answer}`, times])
  return {
    figures: {
      ...{ payments: history.payments.length, 'heard once': heardOnce, 'shown as missed': missed },
      ...{ lost, doubled, ...Object.fromEntries(answers) },
    },
    broken: describeViolations(history, [...violations, ...unanswered]),
  }
}
