import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { judge, type Verdict } from '../../support/proof/judge.ts'
import type { Answer, Payment } from '../../support/proof/processor.ts'
import { timeUntil, waitUntil } from '../../support/wait.ts'
import type { Figures } from '../scenario.ts'
import type { Ears } from './ear.ts'
import type { Proven } from './world.ts'

/** Longer than the freshness of an announcement and its ack timeout: by then every announcement has ended. */
const SETTLED_WITHIN_MS = 200_000
/** A speaker that is connected for so long can speak all that waits for it. */
const LONG_ENOUGH_MS = 20_000
/** Broken promises that are listed one by one. */
const MOST_TOLD = 10

export interface Proof {
  figures: Figures
  broken: string[]
}

/** Waits until every payment is heard or expired. Resolves with the milliseconds that it took. */
export async function settle(
  { storage }: Proven,
  reported: readonly Payment[],
  ears: Ears,
): Promise<number | undefined> {
  const isOver = async () => ears.haveHeard(reported) || (await storage.outbox.backlog()).open === 0
  return timeUntil(isOver, SETTLED_WITHIN_MS)
}

/**
 * Waits until every announcement has ended on record. Then compares the processor's answers, the stored payments and
 * totals, and the spoken sentences.
 */
export async function prove(
  world: Proven,
  reported: readonly Payment[],
  ears: Ears,
  mayBeMissed = (payment: Payment) => wasAway(payment, ears),
): Promise<Proof> {
  const { storage, clientId, processor } = world
  await waitUntil(async () => (await storage.outbox.backlog()).open === 0, SETTLED_WITHIN_MS)
  const heardAt = (terminalID: string) => ears.of(terminalID)?.heard
  const verdict = await judge(storage, clientId, reported, heardAt, mayBeMissed)
  const broken = [...verdict.wrong, ...processor.wrong, ...(await wrongTotals(world, reported))]
  return {
    figures: { ...figuresOf(verdict), ...answersOf(processor.answers) },
    broken:
      broken.length > MOST_TOLD
        ? [...broken.slice(0, MOST_TOLD), `and ${broken.length - MOST_TOLD} more`]
        : broken,
  }
}

/** Whether a shop's speaker was offline for nearly all of the time in which the payment was fresh. */
function wasAway({ terminalID, answeredAt }: Payment, ears: Ears): boolean {
  const longest = ears.of(terminalID)?.onLine.longest(answeredAt, answeredAt + ANNOUNCEMENT_FRESH_MS)
  return (longest ?? 0) < LONG_ENOUGH_MS
}

function figuresOf({ payments, heardOnce, missed, lost, doubled }: Verdict): Figures {
  return { payments, 'heard once': heardOnce, 'shown as missed': missed, lost, doubled }
}

function answersOf(answers: ReadonlyMap<Answer, number>): Figures {
  return Object.fromEntries([...answers].map(([answer, times]) => [`answers: ${answer}`, times]))
}

/** Checks that a store's totals count each payment that got 200 exactly once. */
async function wrongTotals(
  { storage, clientId, shops }: Proven,
  reported: readonly Payment[],
): Promise<string[]> {
  const wrong: string[] = []
  const expected = new Map<string, { count: bigint; sum: bigint }>()
  for (const { terminalID, amount } of reported.filter((payment) => payment.answeredAt !== 0)) {
    const { count, sum } = expected.get(terminalID) ?? { count: 0n, sum: 0n }
    expected.set(terminalID, { count: count + 1n, sum: sum + BigInt(amount) })
  }
  for (const { terminalID, storeId } of shops) {
    const store = await storage.stores.find(clientId, storeId)
    const { count, sum } = expected.get(terminalID) ?? { count: 0n, sum: 0n }
    if (store?.totalTransaction !== count || store.totalAmount !== sum)
      wrong.push(`${terminalID} counts ${store?.totalTransaction} payments, and ${count} were answered`)
  }
  return wrong
}
