import type { Sentence } from './announcements.ts'
import { Measured } from './histogram.ts'

/**
 * How long a payment with an outcome is kept, to detect that it is heard again, or after all. The hub lets an
 * announcement be spoken for 120 s; this is well beyond, and bounds the memory of long runs.
 */
const KEPT_MS = 600_000

/** The outcomes of payments that were not heard exactly once, the worst first. */
export const FAILED_OUTCOMES = ['lost', 'heardTwice', 'unanswered', 'silent', 'missed', 'open'] as const
export type FailedOutcome = (typeof FAILED_OUTCOMES)[number]

/** The protocol of speakers that are no boxes of other makers. */
export const OWN_DIALECT = 'sb/1'

/** So many payments of each outcome are named; a long run must not keep millions. */
export const MOST_NAMED = 1_000

/**
 * The times of a payment, from its callback on: to the 200; to the speaker's socket; the wait there for the end of another
 * sentence; to the sentence without this wait; to the sentence. Besides, from the request for a QR to the screen.
 */
export const PAYMENT_TIMES = ['answer', 'socket', 'queue', 'sound', 'speech', 'qr'] as const
export type PaymentTime = (typeof PAYMENT_TIMES)[number]

/** A payment of the fleet. Times are milliseconds on the fleet's clock. */
export interface FleetPayment {
  readonly ftCode: string
  /** The index of the one speaker of its shop. */
  readonly speaker: number
  readonly amount: string
  readonly sentAtMs: number
  answeredAtMs: number | undefined
  heardAtMs: number | undefined
  heard: number
  /** The outcome without a sentence. `unanswered`: the hub never answered 200, and the processor gave up. */
  unheard: 'open' | Unheard
  /** Why it has this outcome; empty when nobody said. */
  why: string
  /** The hub's record says of one that was heard twice that its box may repeat it. */
  mayRepeat?: true
  /** It was heard after its time. */
  isLate?: true
}

/** The outcomes without a sentence. `silent`: its box has confirmed it, and has no proof of a sound. */
export type Unheard = 'missed' | 'silent' | 'lost' | 'unanswered'

/** Every payment is in exactly one of heardOnce, heardTwice, missed, silent, lost, unanswered and open. */
export interface LedgerTotals {
  sent: number
  /** The hub answered 200. */
  answered: number
  heardOnce: number
  /** Heard more than once. */
  heardTwice: number
  /** Not heard; the hub's record says expired, failed or suppressed. */
  missed: number
  /** Not heard, and on record at the hub as delivered: only boxes of other makers have this stage. */
  silent: number
  /** Answered, not heard, and the hub's record does not say why. */
  lost: number
  unanswered: number
  open: number
  /** Callbacks sent again because the hub did not answer or could not store them. */
  retries: number
  /** Sentences without a payment of this fleet: another partner pays its shops. */
  foreign: number
  /** Heard twice, and the hub's record says that the box may repeat it. Among those of heardTwice. */
  mayRepeat: number
  /** Heard after the time in which a payment may be spoken. Among those that were heard. */
  late: number
}

/** What became of the payments to the speakers of one dialect. */
export type DialectTotals = Record<(typeof DIALECT_FIGURES)[number], number>
export const DIALECT_FIGURES = [
  ...(['sent', 'heardOnce', 'heardTwice', 'mayRepeat', 'missed', 'silent', 'late'] as const),
] as const
type DialectFigure = (typeof DIALECT_FIGURES)[number]
const isDialectFigure = (name: string): name is DialectFigure =>
  DIALECT_FIGURES.some((figure) => figure === name)

/** An announcement is valid for 120 s from its 200 on. Above it is transit, and the end of the sentence before. */
const LATE_AFTER_MS = 130_000

/**
 * Follows every payment from its callback to its sentence. A payment is identified by speaker and amount: no two open
 * payments of a speaker have the same amount.
 */
export class Ledger {
  readonly times: Readonly<Record<PaymentTime, Measured>> = {
    ...{ answer: new Measured(), socket: new Measured(), queue: new Measured() },
    ...{ sound: new Measured(), speech: new Measured(), qr: new Measured() },
  }
  readonly #byAmount = new Map<string, FleetPayment>()
  readonly #reserved = new Set<string>()
  /** Payments with an outcome, in the order of the outcomes, until they are forgotten. */
  readonly #over: FleetPayment[] = []
  /** Those that are named in the report. */
  readonly #named: Readonly<Record<Exclude<FailedOutcome, 'open'>, Set<FleetPayment>>> = {
    ...{ lost: new Set(), heardTwice: new Set() },
    ...{ unanswered: new Set(), missed: new Set(), silent: new Set() },
  }
  readonly #totals: LedgerTotals = {
    ...{ sent: 0, answered: 0, heardOnce: 0, heardTwice: 0, missed: 0, silent: 0, lost: 0 },
    ...{ unanswered: 0, open: 0, retries: 0, foreign: 0, mayRepeat: 0, late: 0 },
  }
  readonly #dialects = new Map<string, DialectTotals>()
  readonly #dialectOf: (speaker: number) => string

  /** `dialectOf`: of the speaker with this index. */
  constructor(dialectOf: (speaker: number) => string = () => OWN_DIALECT) {
    this.#dialectOf = dialectOf
  }

  get totals(): Readonly<LedgerTotals> {
    return this.#totals
  }

  /** By the names of the dialects, those that have a payment. */
  get dialects(): ReadonlyMap<string, Readonly<DialectTotals>> {
    return this.#dialects
  }

  /** Whether a payment of this amount to this speaker is already known. */
  isKnown(speaker: number, amount: string): boolean {
    const key = keyOf(speaker, amount)
    return this.#byAmount.has(key) || this.#reserved.has(key)
  }

  /** Keeps the amount for a payment that is sent later. */
  reserve(speaker: number, amount: string): void {
    this.#reserved.add(keyOf(speaker, amount))
  }

  /** Records a payment whose callback is about to be sent. */
  sent(ftCode: string, speaker: number, amount: string, atMs: number): FleetPayment {
    const payment: FleetPayment = {
      ...{ ftCode, speaker, amount, sentAtMs: atMs, answeredAtMs: undefined, heardAtMs: undefined },
      ...{ heard: 0, unheard: 'open', why: '' },
    }
    this.#byAmount.set(keyOf(speaker, amount), payment)
    this.#reserved.delete(keyOf(speaker, amount))
    this.#count(payment, 'sent', 1)
    this.#totals.open += 1
    return payment
  }

  retried(): void {
    this.#totals.retries += 1
  }

  answered(payment: FleetPayment, atMs: number): void {
    payment.answeredAtMs = atMs
    this.#totals.answered += 1
    this.times.answer.record(atMs, atMs - payment.sentAtMs)
  }

  /** Records the start of a sentence. Returns its payment; undefined when it is not the fleet's. */
  heard(speaker: number, sentence: Sentence): FleetPayment | undefined {
    const payment = this.#byAmount.get(keyOf(speaker, sentence.amount))
    if (!payment) {
      this.#totals.foreign += 1
      return undefined
    }
    payment.heard += 1
    if (payment.heard === 1) this.#firstHeard(payment, sentence)
    else if (payment.heard === 2) {
      this.#count(payment, 'heardOnce', -1)
      this.#count(payment, 'heardTwice', 1)
      this.#name(payment, 'heardTwice')
    } else if (payment.mayRepeat) {
      // A repeat is one; three times is never promised.
      delete payment.mayRepeat
      this.#count(payment, 'mayRepeat', -1)
    }
    this.#judgeTime(payment, sentence)
    return payment
  }

  /** Records the outcome of a payment that was not heard; ignored after it was heard. */
  unheard(payment: FleetPayment, what: Unheard, why = ''): void {
    if (payment.heard > 0 || payment.unheard !== 'open') return
    payment.unheard = what
    payment.why = why
    this.#name(payment, what)
    this.#over.push(payment)
    this.#totals.open -= 1
    this.#count(payment, what, 1)
  }

  /** The hub's record says of one that was heard twice that its box may repeat it. */
  maySound(payment: FleetPayment): void {
    if (payment.heard !== 2 || payment.mayRepeat) return
    payment.mayRepeat = true
    this.#count(payment, 'mayRepeat', 1)
  }

  /** Those named payments that were heard twice, and of which the hub's record has said nothing. */
  unexplained(): FleetPayment[] {
    return [...this.#named.heardTwice].filter(({ heard, mayRepeat }) => heard === 2 && !mayRepeat)
  }

  /** Payments without an outcome yet. */
  open(): FleetPayment[] {
    return [...this.#byAmount.values()].filter(({ heard, unheard }) => heard === 0 && unheard === 'open')
  }

  /** The first payments of each outcome that were not heard exactly once, the worst outcome first. */
  failures(): { outcome: FailedOutcome; payment: FleetPayment }[] {
    const named = { ...this.#named, open: this.open().slice(0, MOST_NAMED) }
    return FAILED_OUTCOMES.flatMap((outcome) => [...named[outcome]].map((payment) => ({ outcome, payment })))
  }

  /** Forgets payments that were heard, or else sent, long ago. */
  forget(nowMs: number): void {
    const isKept = ({ heardAtMs, sentAtMs }: FleetPayment) => (heardAtMs ?? sentAtMs) > nowMs - KEPT_MS
    const kept = this.#over.findIndex(isKept)
    for (const payment of this.#over.splice(0, kept === -1 ? this.#over.length : kept)) {
      const key = keyOf(payment.speaker, payment.amount)
      // One that was heard after all is here twice, and its amount may have another payment by now.
      if (this.#byAmount.get(key) === payment) this.#byAmount.delete(key)
    }
  }

  #firstHeard(payment: FleetPayment, { startedAtMs, arrivedAtMs, queuedMs }: Sentence): void {
    const { sentAtMs } = payment
    const measure = (time: PaymentTime, ms: number) => this.times[time].record(startedAtMs, Math.max(0, ms))
    payment.heardAtMs = startedAtMs
    this.#over.push(payment)
    this.#count(payment, 'heardOnce', 1)
    if (payment.unheard === 'open') this.#totals.open -= 1
    else {
      this.#count(payment, payment.unheard, -1)
      this.#named[payment.unheard].delete(payment)
    }
    payment.unheard = 'open'
    measure('socket', arrivedAtMs - sentAtMs)
    measure('queue', queuedMs)
    measure('sound', startedAtMs - sentAtMs - queuedMs)
    measure('speech', startedAtMs - sentAtMs)
  }

  #judgeTime(payment: FleetPayment, { startedAtMs }: Sentence): void {
    const { answeredAtMs, isLate } = payment
    if (isLate || answeredAtMs === undefined || startedAtMs - answeredAtMs <= LATE_AFTER_MS) return
    payment.isLate = true
    this.#count(payment, 'late', 1)
  }

  /** In all, and for the dialect of its speaker. */
  #count({ speaker }: FleetPayment, name: keyof LedgerTotals, by: 1 | -1): void {
    this.#totals[name] += by
    if (!isDialectFigure(name)) return
    const dialect = this.#dialectOf(speaker)
    const totals = this.#dialects.get(dialect) ?? noTotals()
    totals[name] += by
    this.#dialects.set(dialect, totals)
  }

  #name(payment: FleetPayment, outcome: Exclude<FailedOutcome, 'open'>): void {
    if (this.#named[outcome].size < MOST_NAMED) this.#named[outcome].add(payment)
  }
}

function noTotals(): DialectTotals {
  return { sent: 0, heardOnce: 0, heardTwice: 0, mayRepeat: 0, missed: 0, silent: 0, late: 0 }
}

function keyOf(speaker: number, amount: string): string {
  return `${speaker} ${amount}`
}
