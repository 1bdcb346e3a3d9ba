import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import type { PartnerClient } from '../../hub/partner-client.ts'
import type { Ledger } from '../model/ledger.ts'
import { withRetries } from './retry.ts'
import type { Shop } from './shops.ts'

/** How often it is looked whether payments are due. */
const TICK_MS = 20
/** Callbacks under way. A hub that is this far behind is not helped by more of them. */
export const MOST_UNDER_WAY = 256
/** A processor repeats a callback for so long before it gives up: longer than a hub takes to come back. */
const GIVE_UP_MS = 90_000
const REPEAT_AFTER_MS = 500
/** Amounts in thousands of dong, as shops take them. */
const THOUSANDS = { least: 10, most: 2_000 }
/** Tries to find an amount that no open payment of the speaker has. */
const TRIES = 50

export interface ProcessorOptions {
  client: PartnerClient
  ledger: Ledger
  shops: { readonly ready: readonly Shop[]; readonly failed: number }
  /** Speakers that will be shops. */
  speakers: number
  /**
   * Payments a second, to shops at random, once all are ready; until then in proportion, because the first shops could
   * not speak the payments of all.
   */
  rate: number
  /** Stop after so many; undefined goes on. */
  payments: number | undefined
  clock: Clock
  random: () => number
  newFtCode: () => string
}

/** Plays the payment processor: reports payments at a steady rate, each until the hub has stored it. */
export interface Processor {
  start(): void
  /** Begins no further payments; those under way are brought to their end. */
  stop(): void
  /** Gives up what is under way. */
  cut(): void
  /** All the payments that were asked for have been sent. */
  readonly done: boolean
  /** Callbacks without an answer yet. */
  readonly underWay: number
  /** Payments that came due and were not made, because too many callbacks were under way. */
  readonly heldBack: number
  /** Why the hub did not take the last one that it did not take. */
  readonly lastFailure: string
}

export function createProcessor(options: ProcessorOptions): Processor {
  const { client, ledger, shops, speakers, rate, payments, clock, random, newFtCode } = options
  let begun = 0
  let heldBack = 0
  let underWay = 0
  let lastFailure = ''
  let isCut = false
  let cancel = () => {}
  /** Payments that time has made due and that are not begun; a fraction of one at most is carried on. */
  let owed = 0
  let owedAtMs = 0
  const isDone = () => payments !== undefined && begun >= payments

  function tick() {
    const nowMs = clock.now()
    const share = shops.ready.length / Math.max(1, speakers - shops.failed)
    owed += ((nowMs - owedAtMs) / 1000) * rate * Math.min(1, share)
    owedAtMs = nowMs
    for (; owed >= 1 && !isDone(); owed -= 1) begin()
    if (!isDone()) cancel = clock.wakeAt(nowMs + TICK_MS, tick)
  }

  function begin() {
    const shop = shops.ready[Math.floor(random() * shops.ready.length)]
    const amount = shop && newAmount(shop.speaker)
    if (!shop || amount === undefined || underWay >= MOST_UNDER_WAY) {
      heldBack += 1
      return
    }
    begun += 1
    void report(shop, amount)
  }

  /** An amount that tells the payment apart from the others to its speaker. */
  function newAmount(speaker: number): string | undefined {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const span = THOUSANDS.most - THOUSANDS.least
      const amount = `${THOUSANDS.least + Math.floor(random() * span)}000`
      if (!ledger.isKnown(speaker, amount)) return amount
    }
    return undefined
  }

  async function report({ speaker, terminalID, bankCode }: Shop, amount: string) {
    const ftCode = newFtCode()
    const sentAtMs = clock.now()
    const payment = ledger.sent(ftCode, speaker, amount, sentAtMs)
    const fields = {
      ...{ terminalID, bankCode, billNumber: '', transactionAmount: amount, notice: 'Thanh toan' },
      ...{ payDate: new Date(sentAtMs).toISOString(), traceTransfer: ftCode.slice(-6), ftCode },
    }
    underWay += 1
    try {
      while (!(await isStored(() => client.callback(fields)))) {
        if (isCut || clock.now() > sentAtMs + GIVE_UP_MS) return ledger.unheard(payment, 'unanswered')
        ledger.retried()
        await sleep(REPEAT_AFTER_MS)
      }
      ledger.answered(payment, clock.now())
    } finally {
      underWay -= 1
    }
  }

  /** Whether the hub said 200. Whatever else it says or does not say, a processor reports the payment again. */
  async function isStored(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await withRetries(client, send)
      return true
    } catch (error) {
      lastFailure = messageOf(error)
      return false
    }
  }

  return {
    start() {
      owedAtMs = clock.now()
      tick()
    },
    stop: () => cancel(),
    cut() {
      cancel()
      isCut = true
    },
    get done() {
      return isDone()
    },
    get underWay() {
      return underWay
    },
    get heldBack() {
      return heldBack
    },
    get lastFailure() {
      return lastFailure
    },
  }
}
