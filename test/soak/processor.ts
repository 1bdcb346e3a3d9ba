import { setTimeout as sleep } from 'node:timers/promises'
import type { PartnerClient } from '../../simulator/demo/partner-client.ts'

/** A processor gives a callback this long before it gives up: longer than a hub needs to come back. */
const GIVE_UP_MS = 60_000
const RETRY_AFTER_MS = 200

export interface Payment {
  ftCode: string
  terminalID: string
  amount: string
  /** When the hub first said 200, milliseconds; 0 before. */
  answeredAt: number
}

/**
 * Reports a payment until the hub says 200, as processors do; now and then twice. Answers the attempts; a payment
 * that was given up keeps no time of an answer.
 */
export async function report(client: PartnerClient, payment: Payment, random: () => number): Promise<number> {
  const { ftCode, terminalID, amount } = payment
  const fields = {
    ...{ terminalID, bankCode: 'MB', billNumber: '', transactionAmount: amount, notice: '' },
    ...{ payDate: new Date().toISOString(), traceTransfer: '1', ftCode },
  }
  const until = performance.now() + GIVE_UP_MS
  for (let attempts = 1; ; attempts += 1) {
    try {
      await client.callback(fields)
      payment.answeredAt = Date.now()
      if (random() < 0.05) await client.callback(fields).catch(() => undefined)
      return attempts
    } catch {
      if (performance.now() > until) return attempts
      await sleep(RETRY_AFTER_MS)
    }
  }
}
