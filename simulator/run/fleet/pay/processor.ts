import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import type { PartnerClient } from '../../hub/partner-client.ts'
import type { Ledger } from '../model/ledger.ts'
import { withRetries } from './retry.ts'
import type { Shop } from './shops.ts'

/** How often due payments are sent. */
const TICK_MS = 20
/** The most callbacks without an answer. More would not help a hub that is this far behind. */
export const MOST_UNDER_WAY = 256
/** How long a processor repeats a callback: longer than a hub takes to restart. */
const GIVE_UP_MS = 90_000
const REPEAT_AFTER_MS = 500
/** Amounts in thousands of dong. */
const THOUSANDS = { least: 10, most: 2_000 }
/** Attempts to find an amount that the speaker has no payment of. */
const TRIES = 50

export interface ProcessorOptions {
  client: PartnerClient
  ledger: Ledger
  shops: { readonly ready: readonly Shop[]; readonly failed: number }
  /** Speakers that will have a shop. */
  speakers: number
  /**
   * Payments per second to random shops, once the ramp is over. Until then the rate is in proportion to the shops,
   * because the first shops could not speak the payments of all.
   */
  rate: number
  /** The number of payments; undefined: no limit. */
  payments: number | undefined
  clock: Clock
  random: () => number
  newFtCode: () => string
}

/** Simulates the payment processor: reports payments at a steady rate and repeats each until the hub has stored it. */
export interface Processor {
  start(): void
  /** From now on the whole rate is asked for. A payment that is due at a shop that is missing is held back. */
  rampIsOver(): void
  /** Starts no further payments; repeats the open ones as before. */
  stop(): void
  /** Abandons the open callbacks. */
  cut(): void
  /** Whether all requested payments have been sent. */
  readonly done: boolean
  /** Callbacks without an answer yet. */
  readonly underWay: number
  /** Payments that were due and not made: their shop was missing, or too many callbacks were unanswered. */
  readonly heldBack: number
  /** Those of them whose shop was missing. */
  readonly withoutShop: number
  /** The error of the last callback that failed. */
  readonly lastFailure: string
}

export function createProcessor(options: ProcessorOptions): Processor {
  const { client, ledger, shops, speakers, rate, payments, clock, random, newFtCode } = options
  let begun = 0
  let heldBack = 0
  let withoutShop = 0
  let isRamp = true
  let underWay = 0
  let lastFailure = ''
  let isCut = false
  let cancel = () => {}
  /** Payments that are due and not started; less than one is carried over. */
  let owed = 0
  let owedAtMs = 0
  const isDone = () => payments !== undefined && begun >= payments

  function tick() {
    const nowMs = clock.now()
    const share = isRamp ? shops.ready.length / Math.max(1, speakers - shops.failed) : 1
    owed += ((nowMs - owedAtMs) / 1000) * rate * Math.min(1, share)
    owedAtMs = nowMs
    for (; owed >= 1 && !isDone(); owed -= 1) begin()
    if (!isDone()) cancel = clock.wakeAt(nowMs + TICK_MS, tick)
  }

  function begin() {
    const shop = shops.ready[Math.floor(random() * (isRamp ? shops.ready.length : speakers))]
    if (!shop) {
      heldBack += 1
      withoutShop += 1
      return
    }
    const amount = newAmount(shop.speaker)
    if (amount === undefined || underWay >= MOST_UNDER_WAY) {
      heldBack += 1
      return
    }
    begun += 1
    void report(shop, amount)
  }

  /** An amount that no other known payment of the speaker has. */
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

  /** Whether the hub answered 200. After any other answer, or none, a processor repeats the callback. */
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
    rampIsOver() {
      isRamp = false
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
    get withoutShop() {
      return withoutShop
    },
    get lastFailure() {
      return lastFailure
    },
  }
}
