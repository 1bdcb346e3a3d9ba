import { type FleetPayment, Ledger } from '../../fleet/model/ledger.ts'

/** The figures of the cluster's ledger. */
export interface Figures {
  /** Answered with 200. */
  paid: number
  /** Heard from a speaker, once or more often. */
  heard: number
  /** Not heard, expired on the hubs' record, and shown as missed by the speaker. */
  missed: number
  /** Without an outcome yet, or not answered yet. */
  underWay: number
  /** Answered with 200, not heard, and not shown as missed. */
  lost: number
  /** Heard more than once. */
  doubled: number
  /** Given up by the processor without a 200. */
  unanswered: number
}

/**
 * What became of each payment. Speakers say what was heard and what they show as missed; the hubs' record is believed
 * only about what nobody heard.
 */
export class Accounts {
  readonly ledger = new Ledger()
  /** Not heard, and expired on the hubs' record. */
  #expired: FleetPayment[] = []
  /** The payments that each speaker has shown as missed. A notice that comes again counts again. */
  readonly #shown = new Map<number, number>()

  /** Records what the hubs' record says of a payment that nobody heard. */
  judged(payment: FleetPayment, outcome: 'missed' | 'lost'): void {
    this.ledger.unheard(payment, outcome)
    if (payment.unheard === 'missed') this.#expired.push(payment)
  }

  /** Records a notice of missed payments on a speaker's screen. */
  shown(speaker: number, count: number): void {
    this.#shown.set(speaker, (this.#shown.get(speaker) ?? 0) + count)
  }

  /** Payments without an outcome that were answered `ageMs` ago or before. */
  open(nowMs: number, ageMs: number): FleetPayment[] {
    return this.ledger
      .open()
      .filter(({ answeredAtMs }) => answeredAtMs !== undefined && nowMs - answeredAtMs >= ageMs)
  }

  /** `isFinal`: nothing can become of a payment any more, so what is expired and not shown is lost. */
  figures(isFinal = false): Figures {
    const { answered, heardOnce, heardTwice, missed, open, lost, unanswered } = this.ledger.totals
    const unshown = this.#unshown()
    return {
      paid: answered,
      heard: heardOnce + heardTwice,
      missed: missed - unshown,
      underWay: open + (isFinal ? 0 : unshown),
      lost: lost + (isFinal ? unshown : 0),
      doubled: heardTwice,
      unanswered,
    }
  }

  /** Expired payments that their speakers have not shown. */
  #unshown(): number {
    this.#expired = this.#expired.filter(({ unheard }) => unheard === 'missed')
    const bySpeaker = Map.groupBy(this.#expired, ({ speaker }) => speaker)
    return [...bySpeaker].reduce(
      (sum, [speaker, expired]) => sum + Math.max(0, expired.length - (this.#shown.get(speaker) ?? 0)),
      0,
    )
  }
}
