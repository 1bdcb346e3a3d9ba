import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import { codeOnLabel } from '../../hub/box-device.ts'
import type { PartnerClient } from '../../hub/partner-client.ts'
import type { Sentence } from '../model/announcements.ts'
import { Ledger, OWN_DIALECT } from '../model/ledger.ts'
import type { LinkState } from '../model/roster.ts'
import type { Mix } from '../pay/kinds.ts'
import type { Load } from '../pay/load.ts'
import { createProcessor, type Processor } from '../pay/processor.ts'
import { type Reach, watchReach } from '../pay/reach.ts'
import { createShops, type Shops } from '../pay/shops.ts'
import { FINAL_AFTER_MS, resolveOverdue, resolveSettling, resolveUnheard } from '../pay/unheard.ts'
import { type Away, AwayTime } from './away.ts'
import { type ConditionShares, Conditions } from './conditions.ts'
import { createFleet, type Fleet, type FleetOptions } from './fleet.ts'
import { type RampState, RampWatch } from './ramp-watch.ts'
import { Stall } from './stall.ts'

/** `connecting`: the ramp; `running`; `settling`: no further payments; `ending`: switching off. */
export type Phase = 'connecting' | 'running' | 'settling' | 'ending'

export interface RunOptions extends Omit<FleetOptions, 'clock' | 'random'> {
  /** Omitted: no payments. */
  pay?: {
    client: PartnerClient
    load: Load
    mix?: Mix
    /** The number of payments; undefined: until the run ends. */
    payments: number | undefined
    newFtCode: () => string
  }
  /** Shares of the fleet with faults and bad networks. */
  conditions?: ConditionShares
  /** The run ends so long after the ramp; undefined: when somebody ends it, or after the last payment. */
  durationMs: number | undefined
  /** How long the ramp, or a number of payments, may get no further; undefined: the usual time. */
  patienceMs?: number | undefined
  clock: Clock
  random: () => number
}

/** A running fleet. */
export interface Run {
  readonly fleet: Fleet
  readonly pay: { ledger: Ledger; shops: Shops; processor: Processor } | undefined
  readonly phase: Phase
  /** Speakers with each fault and network that a share of the fleet has. */
  readonly conditions: Readonly<Record<string, number>>
  readonly ramp: Pick<RampWatch, 'end' | 'stalledMs' | 'patienceMs'>
  /** Undefined while the hub is there, and while the fleet switches off. */
  readonly away: Away | undefined
  /** Milliseconds during which the hub was away, in all. */
  readonly awayMs: number
  /** Why the run ended before all that was asked for, as a sentence without its full stop. */
  readonly gaveUp: string | undefined
  /** Whether somebody ended the run. */
  readonly isStopped: boolean
  readonly durationMs: number | undefined
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
/** The longest wait for open payments after somebody ended the run, or it gave up. */
const SETTLE_AT_ONCE_MS = 15_000
/** Time for a started sentence to finish: twice the longest. */
const LAST_SENTENCE_MS = 15_000
/** Time for callbacks that are abandoned: one that was to be repeated ends at its next turn. */
const CUT_WITHIN_MS = 2_000
/** A fleet whose first speaker is not welcomed after this time says so. */
const FIRST_WELCOME_MS = 5_000
/** How often the hub is asked about payments that nobody can hear any more, and whether it is back. */
const ASK_MS = 5_000

export function startRun(options: RunOptions): Run {
  return new FleetRun(options)
}

class FleetRun implements Run {
  readonly fleet: Fleet
  readonly pay: Run['pay']
  readonly startedAtMs: number
  readonly ended: Promise<void>
  readonly #options: RunOptions
  readonly durationMs: number | undefined
  readonly ramp: RampWatch
  phase: Phase = 'connecting'
  readonly #awayTime = new AwayTime()
  gaveUp: string | undefined
  highestRssBytes = 0
  linksAtEnd: Run['linksAtEnd']
  #ends = 0
  readonly conditions: Run['conditions']
  readonly #conditions: Conditions
  readonly #reach: Reach | undefined
  /** Watches a number of payments. */
  #payments = new Stall()
  #askedAtMs = 0
  #asked = 0
  #isAsking = false

  constructor(options: RunOptions) {
    const { clock, random, pay, durationMs, patienceMs, connectRate } = options
    this.#options = options
    this.durationMs = durationMs
    this.ramp = new RampWatch(patienceMs, connectRate)
    this.#conditions = new Conditions(options.conditions ?? { faults: {}, networks: {} }, { clock, random })
    this.conditions = this.#conditions.counts(options.devices.length)
    this.fleet = createFleet({ ...options, configOf: (index) => this.#conditions.configOf(index) })
    if (pay) {
      const ledger = new Ledger((index) => options.devices[index]?.box?.dialect ?? OWN_DIALECT)
      const reach = watchReach(pay.client, clock.now)
      const { client } = reach
      const shops = createShops(
        client,
        this.fleet.speakers,
        () => reach.awaySinceMs !== undefined,
        (index) => codeOnLabel(options.devices[index]?.box),
      )
      const speakers = options.devices.length
      const processor = createProcessor({ ...pay, client, ledger, shops, speakers, clock, random })
      this.pay = { ledger, shops, processor }
      this.#reach = reach
    }
    this.startedAtMs = clock.now()
    this.ended = this.#run()
  }

  end(): void {
    this.#ends += 1
  }

  get isStopped(): boolean {
    return this.#ends > 0
  }

  get awayMs(): number {
    return this.#awayTime.ms
  }

  get away(): Away | undefined {
    if (this.phase === 'ending') return undefined
    const { totals, desertedAtMs } = this.fleet.roster
    const nowMs = this.#options.clock.now()
    const isLate = totals.welcomed === 0 && nowMs - this.startedAtMs >= FIRST_WELCOME_MS
    const speakersSinceMs = desertedAtMs ?? (isLate ? this.startedAtMs : undefined)
    const { awaySinceMs: apiSinceMs, lastFailure: apiFailure = '' } = this.#reach ?? {}
    if (speakersSinceMs === undefined && apiSinceMs === undefined) return undefined
    return { speakersSinceMs, apiSinceMs, apiFailure }
  }

  async #run(): Promise<void> {
    const { fleet, pay } = this
    fleet.start({
      announced: (index, sentence) => this.#announced(index, sentence),
      connected: (index, linked) => pay?.shops.take(index, linked),
      shown: (bill, atMs) => pay?.processor.shown(bill, atMs),
    })
    pay?.processor.start()
    await this.#until(() => {
      if (this.phase === 'connecting') this.#lookAtRamp()
      return this.#isOver
    })
    this.ramp.stop(this.#options.clock.now())
    await this.#settle()
    await this.#endFlapping()
    this.phase = 'ending'
    this.linksAtEnd = { ...fleet.roster.totals.links }
    let isOff = false
    const off = fleet.stop().then(() => {
      isOff = true
    })
    await Promise.race([off, this.#until(() => isOff || this.#ends > 1)])
    await fleet.cut()
  }

  #lookAtRamp(): void {
    const { rows, totals } = this.fleet.roster
    const { links, mostConnected, welcomed } = totals
    const { ready, failed = 0 } = this.pay?.shops ?? {}
    const state: RampState = {
      ...{ speakers: rows.length, connected: links.connected, mostConnected, welcomed },
      shops: ready && { ready: ready.length, failed },
    }
    this.ramp.look(state, this.#options.clock.now())
    if (!this.ramp.end) return
    this.phase = 'running'
    this.pay?.processor.rampIsOver()
    this.#conditions.begin(this.fleet.speakers)
  }

  get #isOver(): boolean {
    if (this.#ends > 0) return true
    const { end } = this.ramp
    if (!end) return false
    const { durationMs, clock } = this.#options
    if (durationMs !== undefined && clock.now() - end.atMs >= durationMs) return true
    if (this.pay?.processor.done === true) return true
    this.gaveUp = this.#reasonToGiveUp(end.how === 'stalled')
    return this.gaveUp !== undefined
  }

  /** Neither a fleet without a speaker nor payments that get no further would end the run. */
  #reasonToGiveUp(isStalled: boolean): string | undefined {
    const { durationMs, clock, pay } = this.#options
    const { patienceMs } = this.ramp
    if (isStalled && this.fleet.roster.totals.welcomed === 0)
      return `the run ended because no speaker was welcomed for ${seconds(patienceMs)}`
    if (!pay?.payments || durationMs !== undefined || !this.pay) return undefined
    const { answered, heardOnce, sent } = this.pay.ledger.totals
    const { perSecond } = this.pay.processor
    // Who has paused the payments may go on.
    if (perSecond === 0) this.#payments = new Stall()
    const longestMs = patienceMs + 2_000 / (perSecond || 1)
    if (this.#payments.lookAt(answered + heardOnce, clock.now()) < longestMs) return undefined
    return `the run ended with ${sent} of ${pay.payments} payments made, because none was answered or heard for ${seconds(longestMs)}`
  }

  /** Whose line breaks now and then must not be offline at the end for this reason. */
  async #endFlapping(): Promise<void> {
    const flapping = this.#conditions.endFlapping()
    const { rows } = this.fleet.roster
    const { clock } = this.#options
    const untilMs = clock.now() + this.ramp.patienceMs
    const isBack = (index: number) => rows[index]?.link === 'connected'
    await this.#until(() => this.#ends > 1 || clock.now() > untilMs || flapping.every(isBack))
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
    const mostMs = isAsked || this.gaveUp !== undefined ? SETTLE_AT_ONCE_MS : FINAL_AFTER_MS
    const isLate = () => this.#ends > (isAsked ? 1 : 0) || clock.now() - settleFrom > mostMs
    await this.#until(() => isLate() || (ledger.totals.open === 0 && processor.underWay === 0))
    const { totals } = this.fleet.roster
    const silentFrom = clock.now()
    await this.#until(
      () => totals.speaking === 0 || this.#ends > 1 || clock.now() - silentFrom > LAST_SENTENCE_MS,
    )
    processor.cut()
    const cutAtMs = clock.now()
    await this.#until(() => processor.underWay === 0 || clock.now() - cutAtMs > CUT_WITHIN_MS)
    if (this.#ends <= 1) await resolveUnheard(this.#reach?.client, ledger, clock.now())
  }

  /** Asks the hub now and then: what became of old payments, and, when nothing else asks it, whether it is back. */
  async #ask(nowMs: number): Promise<void> {
    const reach = this.#reach
    if (!this.pay || !reach || this.#isAsking || nowMs - this.#askedAtMs < ASK_MS) return
    this.#isAsking = true
    this.#askedAtMs = nowMs
    const { ledger, processor } = this.pay
    this.#asked += 1
    if (reach.awaySinceMs === undefined)
      await (this.phase === 'settling'
        ? resolveSettling(reach.client, ledger, nowMs, this.#asked)
        : resolveOverdue(reach.client, ledger, nowMs))
    else if (processor.underWay === 0) await reach.client.logIn().catch(() => undefined)
    this.#isAsking = false
  }

  #announced(index: number, sentence: Sentence): void {
    if (!this.pay) return
    const payment = this.pay.ledger.heard(index, sentence)
    const row = this.fleet.roster.rows[index]
    if (payment && row) row.speechMs = sentence.startedAtMs - payment.sentAtMs
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const nowMs = this.#options.clock.now()
      this.highestRssBytes = Math.max(this.highestRssBytes, process.memoryUsage.rss())
      this.pay?.ledger.forget(nowMs)
      this.#awayTime.count(this.away, nowMs)
      if (this.phase === 'running' || this.phase === 'settling') void this.#ask(nowMs)
      await sleep(CHECK_MS)
    }
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
