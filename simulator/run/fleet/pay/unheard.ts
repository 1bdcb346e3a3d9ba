import type { PartnerClient } from '../../hub/partner-client.ts'
import type { FleetPayment, Ledger } from '../model/ledger.ts'
import { withRetries } from './retry.ts'

/** Payments that are asked about: at 50 requests a second, some 40 s. What is above it stays open. */
export const MOST_ASKED = 2_000
const AT_ONCE = 8

/** Stages in which the hub says that a payment was not spoken, and will not be; and those in which it still may be. */
const UNSPOKEN = new Set(['expired', 'failed', 'suppressed'])
const ON_ITS_WAY = new Set(['queued', 'sent', 'received'])

/** By then an announcement has been spoken or given up: it may be spoken for 120 s, and acks and sweeps take theirs. */
export const GIVEN_UP_AFTER_MS = 190_000

/**
 * Asks the hub what became of the payments that it has answered and nobody has heard. One that may still be spoken
 * stays open.
 */
export async function resolveUnheard(
  client: PartnerClient | undefined,
  ledger: Ledger,
  nowMs: number,
): Promise<void> {
  if (!client) return
  const unheard = ledger.open().filter(({ answeredAtMs }) => answeredAtMs !== undefined)
  const rest = unheard.slice(0, MOST_ASKED).values()
  const work = async () => {
    for (const payment of rest) {
      const outcome = await outcomeOf(client, payment, nowMs)
      if (outcome) ledger.unheard(payment, outcome)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function outcomeOf(
  client: PartnerClient,
  { ftCode, sentAtMs }: FleetPayment,
  nowMs: number,
): Promise<'missed' | 'lost' | undefined> {
  try {
    const stages = await withRetries(client, () => client.stages(ftCode))
    const all = (those: ReadonlySet<string>) =>
      stages.length > 0 && stages.every(({ stage }) => those.has(stage))
    if (all(UNSPOKEN)) return 'missed'
    return all(ON_ITS_WAY) && nowMs - sentAtMs < GIVEN_UP_AFTER_MS ? undefined : 'lost'
  } catch {
    return 'lost'
  }
}
