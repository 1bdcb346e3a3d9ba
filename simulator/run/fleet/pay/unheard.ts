import type { PartnerClient } from '../../hub/partner-client.ts'
import type { FleetPayment, Ledger } from '../model/ledger.ts'
import { withRetries } from './retry.ts'

/** The most payments to ask about: about 40 s at 50 requests a second. The others stay open. */
export const MOST_ASKED = 2_000
const AT_ONCE = 8

/** Stages of a payment that was not and will not be spoken, and of one that may still be. */
const UNSPOKEN = new Set(['expired', 'failed', 'suppressed'])
const ON_ITS_WAY = new Set(['queued', 'sent', 'received'])

/** By this age an announcement is spoken or final: it is valid for 120 s, and acks and sweeps take some time. */
export const FINAL_AFTER_MS = 190_000

/**
 * Asks the hub for the outcome of answered payments that nobody heard. A payment that may still be spoken stays open.
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
    return all(ON_ITS_WAY) && nowMs - sentAtMs < FINAL_AFTER_MS ? undefined : 'lost'
  } catch {
    return 'lost'
  }
}
