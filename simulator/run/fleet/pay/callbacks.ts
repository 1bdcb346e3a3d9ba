import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import type { PartnerClient } from '../../hub/partner-client.ts'
import type { Ledger } from '../model/ledger.ts'
import { withRetries } from './retry.ts'
import type { Shop } from './shops.ts'

/** How long a processor repeats a callback: longer than a hub takes to restart. */
const GIVE_UP_MS = 90_000
const REPEAT_AFTER_MS = 500

export interface CallbacksDeps {
  client: PartnerClient
  ledger: Ledger
  clock: Clock
  newFtCode: () => string
}

/** The callbacks of a processor. Each is repeated until the hub has stored its payment. */
export interface Callbacks {
  /** Resolves when the payment is stored or given up. */
  report(shop: Shop, amount: string): Promise<void>
  /** From now on a callback that fails is given up at once. */
  cut(): void
  /** Callbacks without an answer yet. */
  readonly underWay: number
  /** The error of the last callback that failed. */
  readonly lastFailure: string
}

export function openCallbacks({ client, ledger, clock, newFtCode }: CallbacksDeps): Callbacks {
  let isCut = false

  /** Whether the hub answered 200. After any other answer, or none, a processor repeats the callback. */
  async function isStored(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await withRetries(client, send)
      return true
    } catch (error) {
      self.lastFailure = messageOf(error)
      return false
    }
  }

  const self = {
    ...{ underWay: 0, lastFailure: '' },
    async report({ speaker, terminalID, bankCode }: Shop, amount: string) {
      const ftCode = newFtCode()
      const sentAtMs = clock.now()
      const payment = ledger.sent(ftCode, speaker, amount, sentAtMs)
      const fields = {
        ...{ terminalID, bankCode, billNumber: '', transactionAmount: amount, notice: 'Thanh toan' },
        ...{ payDate: new Date(sentAtMs).toISOString(), traceTransfer: ftCode.slice(-6), ftCode },
      }
      self.underWay += 1
      try {
        while (!(await isStored(() => client.callback(fields)))) {
          if (isCut || clock.now() > sentAtMs + GIVE_UP_MS)
            return ledger.unheard(payment, 'unanswered', self.lastFailure)
          ledger.retried()
          await sleep(REPEAT_AFTER_MS)
        }
        ledger.answered(payment, clock.now())
      } finally {
        self.underWay -= 1
      }
    },
    cut() {
      isCut = true
    },
  }
  return self
}
