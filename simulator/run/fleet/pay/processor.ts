import type { Clock } from '../../../platform/clock.ts'
import type { PartnerClient } from '../../hub/partner-client.ts'
import type { Ledger } from '../model/ledger.ts'
import { pick } from '../model/shares.ts'
import { Callbacks } from './callbacks.ts'
import { KINDS, type Mix, type MixTotals } from './kinds.ts'
import type { Load, Stage, stageAt } from './load.ts'
import { Pace, type Throttle } from './pace.ts'
import {
  type Decision,
  decide,
  endRamp,
  FIRST_SCHEDULE,
  isDone,
  isDue,
  passUntil,
  type Schedule,
  startAt,
} from './schedule.ts'
import type { Shop } from './shops.ts'

/** How often due payments are sent. */
const TICK_MS = 20
/** The most callbacks without an answer. More would not help a hub that is this far behind. */
export const MOST_UNDER_WAY = 256
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
   * Payments per second to random shops. It begins when the ramp is over. Until then its first rate is in proportion to
   * the shops, because the first shops could not speak the payments of all.
   */
  load: Load
  /** The kinds of payments besides the plain one; omitted: none. */
  mix?: Mix
  /** The number of payments of all kinds; undefined: no limit. */
  payments: number | undefined
  clock: Clock
  random: () => number
  newFtCode: () => string
}

/** Simulates the payment processor: reports payments as the load asks, and repeats each until the hub has stored it. */
export interface Processor {
  start(): void
  /** From now on the whole rate is asked for. A payment that is due at a shop that is missing is held back. */
  rampIsOver(): void
  /** Changes the rate of this moment and of all stages that follow; `pause` stops it, or lets it go on. */
  throttle(how: Throttle): void
  /** Payments per second that are asked for at this moment. */
  readonly perSecond: number
  /** The stage of the load, and its number; undefined: none, or the ramp is not over. */
  readonly stage: ReturnType<typeof stageAt>
  readonly stages: readonly Stage[]
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
  readonly mix: Readonly<MixTotals>
  /** A speaker shows the QR of a bill. */
  shown(bill: string, atMs: number): void
  /** The error of the last request that failed. */
  readonly lastFailure: string
}

/** Longer than most functions by the list of what it returns. */
export function createProcessor(options: ProcessorOptions): Processor {
  const { ledger, shops, speakers, load, mix = {}, payments, clock, random } = options
  const callbacks = new Callbacks(options)
  const pace = new Pace(load)
  let schedule: Schedule = FIRST_SCHEDULE
  let cancel = () => {}
  let isStopped = false

  /** Of the shops that are to come, those that are there. */
  function share(): number {
    return schedule.isRamp ? Math.min(1, shops.ready.length / Math.max(1, speakers - shops.failed)) : 1
  }

  function tick() {
    const nowMs = clock.now()
    schedule = passUntil(schedule, nowMs, pace.between(schedule.atMs, nowMs) * share())
    while (isDue(schedule, payments)) schedule = decide(schedule, begin())
    if (!isDone(schedule, payments)) cancel = clock.wakeAt(nowMs + TICK_MS, tick)
  }

  function begin(): Decision {
    const shop = shops.ready[Math.floor(random() * (schedule.isRamp ? shops.ready.length : speakers))]
    if (!shop) return 'no_shop'
    const amount = newAmount(ledger, shop.speaker, random)
    if (amount === undefined || callbacks.underWay >= MOST_UNDER_WAY) return 'hold_back'
    void callbacks.report(shop, amount, pick(mix, KINDS, random()))
    return 'begin'
  }

  return {
    stages: load.stages,
    mix: callbacks.mix,
    shown: (bill, atMs) => callbacks.shown(bill, atMs),
    start() {
      schedule = startAt(schedule, clock.now())
      tick()
    },
    rampIsOver() {
      schedule = endRamp(schedule)
      pace.begin(clock.now())
    },
    throttle: (how) => pace.change(how),
    get perSecond() {
      return isStopped ? 0 : pace.at(clock.now()) * share()
    },
    get stage() {
      return pace.stage(clock.now())
    },
    stop() {
      isStopped = true
      cancel()
    },
    cut() {
      cancel()
      callbacks.cut()
    },
    get done() {
      return isDone(schedule, payments)
    },
    get underWay() {
      return callbacks.underWay
    },
    get heldBack() {
      return schedule.heldBack
    },
    get withoutShop() {
      return schedule.withoutShop
    },
    get lastFailure() {
      return callbacks.lastFailure
    },
  }
}

/** An amount that no other known payment of the speaker has. Undefined if none is found. */
function newAmount(ledger: Ledger, speaker: number, random: () => number): string | undefined {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const span = THOUSANDS.most - THOUSANDS.least
    const amount = `${THOUSANDS.least + Math.floor(random() * span)}000`
    if (!ledger.isKnown(speaker, amount)) return amount
  }
  return undefined
}
