import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { PartnerClient } from '../../hub/partner-client.ts'
import { Ledger } from '../model/ledger.ts'
import type { LinkState } from '../model/roster.ts'
import { createProcessor, type Processor } from '../pay/processor.ts'
import { createShops, type Shops } from '../pay/shops.ts'
import { FINAL_AFTER_MS, resolveUnheard } from '../pay/unheard.ts'
import { createFleet, type Fleet, type FleetOptions } from './fleet.ts'

/** `connecting`: not all speakers have started; `running`; `settling`: no further payments; `ending`: switching off. */
export type Phase = 'connecting' | 'running' | 'settling' | 'ending'

export interface RunOptions extends Omit<FleetOptions, 'clock' | 'random'> {
  /** Omitted: no payments. */
  pay?: {
    client: PartnerClient
    /** Payments per second. */
    rate: number
    /** The number of payments; undefined: until the run ends. */
    payments: number | undefined
    newFtCode: () => string
  }
  /** The run ends after this time; undefined: when somebody ends it, or after the last payment. */
  durationMs: number | undefined
  clock: Clock
  random: () => number
}

/** A running fleet. */
export interface Run {
  readonly fleet: Fleet
  readonly pay: { ledger: Ledger; shops: Shops; processor: Processor } | undefined
  readonly phase: Phase
  readonly startedAtMs: number
  readonly highestRssBytes: number
  /** Speakers per state before they were switched off; undefined until then. */
  readonly linksAtEnd: Record<LinkState, number> | undefined
  /** Ends the run. The first call waits for open payments; the second does not. */
  end(): void
  /** Resolves when every speaker is switched off. */
  readonly ended: Promise<void>
}

/** How often the end of the run is checked. */
const CHECK_MS = 100
/** The longest wait for open payments after somebody ended the run. */
const SETTLE_AT_ONCE_MS = 15_000
/** Time for a started sentence to finish: twice the longest. */
const LAST_SENTENCE_MS = 15_000

export function startRun(options: RunOptions): Run {
  return new FleetRun(options)
}

class FleetRun implements Run {
  readonly fleet: Fleet
  readonly pay: Run['pay']
  readonly startedAtMs: number
  readonly ended: Promise<void>
  readonly #options: RunOptions
  phase: Phase = 'connecting'
  highestRssBytes = 0
  linksAtEnd: Run['linksAtEnd']
  #ends = 0

  constructor(options: RunOptions) {
    const { clock, random, pay } = options
    this.#options = options
    this.fleet = createFleet(options)
    if (pay) {
      const ledger = new Ledger()
      const shops = createShops(pay.client, this.fleet.speakers)
      const speakers = options.devices.length
      const processor = createProcessor({ ...pay, ledger, shops, speakers, clock, random })
      this.pay = { ledger, shops, processor }
    }
    this.startedAtMs = clock.now()
    this.ended = this.#run()
  }

  end(): void {
    this.#ends += 1
  }

  async #run(): Promise<void> {
    const { fleet, pay } = this
    fleet.start({
      announced: (index, amount, atMs) => this.#announced(index, amount, atMs),
      connected: (index, linked) => pay?.shops.take(index, linked),
    })
    pay?.processor.start()
    await this.#until(() => {
      if (this.phase === 'connecting' && fleet.startsWithinS() === 0) this.phase = 'running'
      return this.#isOver
    })
    await this.#settle()
    this.phase = 'ending'
    this.linksAtEnd = { ...fleet.roster.totals.links }
    let isOff = false
    const off = fleet.stop().then(() => {
      isOff = true
    })
    await Promise.race([off, this.#until(() => isOff || this.#ends > 1)])
    await fleet.cut()
  }

  get #isOver(): boolean {
    const { durationMs, clock } = this.#options
    if (this.#ends > 0 || this.pay?.processor.done === true) return true
    return durationMs !== undefined && clock.now() - this.startedAtMs >= durationMs
  }

  /** Waits for the outcome of every payment, and asks the hub about those that were not heard. */
  async #settle(): Promise<void> {
    if (!this.pay) return
    this.phase = 'settling'
    const { ledger, shops, processor } = this.pay
    const { clock } = this.#options
    shops.stop()
    processor.stop()
    const settleFrom = clock.now()
    const isAsked = this.#ends > 0
    const isLate = () =>
      this.#ends > (isAsked ? 1 : 0) ||
      clock.now() - settleFrom > (isAsked ? SETTLE_AT_ONCE_MS : FINAL_AFTER_MS)
    await this.#until(() => isLate() || (ledger.totals.open === 0 && processor.underWay === 0))
    const { totals } = this.fleet.roster
    const silentFrom = clock.now()
    await this.#until(
      () => totals.speaking === 0 || this.#ends > 1 || clock.now() - silentFrom > LAST_SENTENCE_MS,
    )
    processor.cut()
    if (this.#ends <= 1) await resolveUnheard(this.#options.pay?.client, ledger, clock.now())
  }

  #announced(index: number, amount: string, atMs: number): void {
    if (!this.pay) return
    const payment = this.pay.ledger.heard(index, amount, atMs)
    const row = this.fleet.roster.rows[index]
    if (payment && row) row.speechMs = atMs - payment.sentAtMs
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      this.highestRssBytes = Math.max(this.highestRssBytes, process.memoryUsage.rss())
      this.pay?.ledger.forget(this.#options.clock.now())
      await sleep(CHECK_MS)
    }
  }
}
