import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'
import type { FleetPayment, Ledger } from '../model/ledger.ts'
import { withRetries } from './retry.ts'

/** The most payments to ask about: about 40 s at 50 requests a second. The others stay open. */
export const MOST_ASKED = 2_000
const AT_ONCE = 8
/** The most overdue payments to ask about at a time, because payments share the hub's limit of requests. */
const MOST_OVERDUE = 20
/** The same when no further payments are made. With the pause between, less than the hub's 50 requests a second. */
const MOST_SETTLING = 200
/** After the last payment the hub is asked so early, because a speaker may have refused the announcement at once. */
const SETTLING_AFTER_MS = 2_000
/** An announcement is valid for 120 s. After this time the hub is asked what became of it. */
const OVERDUE_AFTER_MS = 130_000
const NOT_FOUND = 404

/** Stages of a payment that was not and will not be spoken, and of one that may still be. */
const UNSPOKEN = new Set(['expired', 'failed', 'suppressed'])
/** A stage of boxes of other makers: nobody knows whether it sounded. */
const WITH_BOX = new Set(['delivered'])
const ON_ITS_WAY = new Set(['queued', 'sent', 'received'])

/** By this age an announcement is spoken or final: it is valid for 120 s, and acks and sweeps take some time. */
export const FINAL_AFTER_MS = 190_000

/**
 * Asks the hub for the outcome of answered payments that nobody heard. A payment that may still be spoken stays open, and
 * so does one that the hub does not tell about: it is not known to be lost. Asks about those that were heard twice, too.
 */
export async function resolveUnheard(
  client: PartnerClient | undefined,
  ledger: Ledger,
  nowMs: number,
): Promise<void> {
  if (!client) return
  await askEach(client, ledger, ledger.open(), nowMs)
  await resolveRepeats(client, ledger)
}

/** Asks the hub about some of the payments that can't be heard any more, so that a long run knows what is lost. */
export async function resolveOverdue(client: PartnerClient, ledger: Ledger, nowMs: number): Promise<void> {
  const isOverdue = ({ answeredAtMs = nowMs }: FleetPayment) => nowMs - answeredAtMs > OVERDUE_AFTER_MS
  await askEach(client, ledger, ledger.open().filter(isOverdue).slice(0, MOST_OVERDUE), nowMs)
}

/** After the last payment: asks about some of the open ones, from the `from`th on, so that each has its turn. */
export async function resolveSettling(
  client: PartnerClient,
  ledger: Ledger,
  nowMs: number,
  from: number,
): Promise<void> {
  const isOld = ({ answeredAtMs = nowMs }: FleetPayment) => nowMs - answeredAtMs > SETTLING_AFTER_MS
  const open = ledger.open().filter(isOld)
  const first = open.length === 0 ? 0 : (from * MOST_SETTLING) % open.length
  await askEach(
    client,
    ledger,
    [...open.slice(first), ...open.slice(0, first)].slice(0, MOST_SETTLING),
    nowMs,
  )
}

/** Asks whether the hub knows that boxes may have repeated what was heard twice. */
async function resolveRepeats(client: PartnerClient, ledger: Ledger): Promise<void> {
  await askAbout(ledger.unexplained(), async (payment) => {
    const reached = await withRetries(client, () => client.stages(payment.ftCode)).catch(() => [])
    if (reached.some(({ mayRepeat }) => mayRepeat)) ledger.maySound(payment)
  })
}

/** Stops at the first request that nobody answers: with a hub that hangs, each takes 20 s. */
async function askEach(
  client: PartnerClient,
  ledger: Ledger,
  payments: readonly FleetPayment[],
  nowMs: number,
): Promise<void> {
  let isAnswered = true
  await askAbout(payments, async (payment) => {
    if (!isAnswered) return
    try {
      const outcome = await outcomeOf(client, payment, nowMs)
      if (outcome) ledger.unheard(payment, outcome.is, outcome.why)
    } catch {
      isAnswered = false
    }
  })
}

/** Asks about those of the payments that were answered, the first `MOST_ASKED` of them, some at once. */
export async function askAbout(
  payments: readonly FleetPayment[],
  ask: (payment: FleetPayment) => Promise<void>,
): Promise<void> {
  const answered = payments.filter(({ answeredAtMs }) => answeredAtMs !== undefined)
  const rest = answered.slice(0, MOST_ASKED).values()
  const work = async () => {
    for (const payment of rest) await ask(payment)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/**
 * The outcome of an answered payment that nobody heard, by the hub's record; undefined while it may still be spoken.
 * `upSinceMs`: since when a hub has been there without a break, because only a hub ends what is over. Rejects when the
 * hub does not say.
 */
export async function outcomeOf(
  client: PartnerClient,
  { ftCode, sentAtMs, answeredAtMs = sentAtMs }: FleetPayment,
  nowMs: number,
  upSinceMs = 0,
): Promise<{ is: 'missed' | 'silent' | 'lost'; why: string } | undefined> {
  const stages = await withRetries(client, () => client.stages(ftCode)).catch((error: unknown) => {
    if (error instanceof PartnerRefusal && error.status === NOT_FOUND) return []
    throw error
  })
  const all = (those: ReadonlySet<string>) =>
    stages.length > 0 && stages.every(({ stage }) => those.has(stage))
  const said = stages.map(({ stage, reason }) => (reason === undefined ? stage : `${stage}, ${reason}`))
  const why = `the hub says: ${[...new Set(said)].join('; ') || 'no announcement'}`
  if (all(UNSPOKEN)) return { is: 'missed', why }
  if (all(WITH_BOX)) return { is: 'silent', why }
  const isYoung = nowMs - Math.max(answeredAtMs, upSinceMs) < FINAL_AFTER_MS
  return all(ON_ITS_WAY) && isYoung ? undefined : { is: 'lost', why }
}
