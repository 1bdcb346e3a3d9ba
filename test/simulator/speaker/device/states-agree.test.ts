import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lightsOf, signalText } from '../../../../simulator/screen/device/indicators.ts'
import { MISSED_MS } from '../../../../simulator/speaker/device/screens.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import { NO_SIGNAL } from '../../../../simulator/speaker/device/state/state.ts'
import { snapshotOf } from '../../../../simulator/speaker/snapshot.ts'
import { acksIn, DeviceBench, eventsIn } from '../../support/device-bench.ts'

/** A device whose states are compared with each other after every event, also between the acts of a script. */
class Watched extends DeviceBench {
  /** The latest sum of missed payments, and for how long it was on the screen. */
  notice: { n: number; count: number; amount: string; seenMs: number; wasSeen: boolean } | undefined
  /** The notice was not removed by its time, but by a person, a newer sum, the end of the registration or the power. */
  isDropped = false
  /** A sentence that went on after the speaker had left its shop: its amount is not shown (sb/1 7.13). */
  #foreign: number | undefined
  #count = 0
  #lastMs = 0

  /** Numbers that never come twice: amounts, bills and commands of this script. */
  next(): number {
    this.#count += 1
    return this.#count
  }

  override event(event: Parameters<DeviceBench['event']>[0]): Effect[] {
    this.#passTime()
    const wasThere = this.state.missed !== undefined
    const effects = super.event(event)
    this.#watchNotice(effects, wasThere)
    this.#watchPayment()
    this.#watchLights()
    return effects
  }

  override powerCut(): void {
    super.powerCut()
    this.notice = undefined
  }

  sendMissed(): void {
    this.#passTime()
    const count = this.next()
    const n = this.nextN
    const sum = { count, amount: String(count * 1_000) }
    const before = this.notice
    this.notice = { n, ...sum, seenMs: 0, wasSeen: false }
    const isTaken = acksIn(this.send('missed', sum, { n })).some(({ st }) => st === 'received')
    if (!isTaken) this.notice = before
  }

  sendMissedAgain(): void {
    const { notice } = this
    if (notice) this.send('missed', { count: notice.count, amount: notice.amount }, { n: notice.n })
  }

  dismiss(): void {
    this.isDropped = true
    this.event({ type: 'dismiss' })
    this.isDropped = false
  }

  /** What the notice has gained on the screen since the last event. */
  #passTime(): void {
    const passedMs = this.nowMs - this.#lastMs
    this.#lastMs = this.nowMs
    if (this.notice && this.display.screen === 'missed') this.notice.seenMs += passedMs
  }

  #watchNotice(effects: readonly Effect[], wasThere: boolean): void {
    const { display, notice } = this
    const isAcked = acksIn(effects).some(({ n, st }) => st === 'shown' && n === notice?.n)
    const told = eventsIn(effects).filter(({ event }) => event === 'missed')
    for (const { event: _, ...sum } of told) expect({ screen: 'missed', ...sum }).toMatchObject(display)
    if (notice && told.length > 0) notice.wasSeen = true
    if (isAcked) expect(notice).toMatchObject({ wasSeen: true })
    const hasGone = wasThere && this.state.missed === undefined
    if (!hasGone || !notice) return
    if (!this.isDropped && this.state.linked) expect(notice.seenMs).toBeGreaterThanOrEqual(MISSED_MS)
    this.notice = undefined
  }

  /** What the speaker says and what it shows is the same payment. */
  #watchPayment(): void {
    const { display, state } = this
    const sound = state.sounding?.sound
    if (state.linked === false) this.#foreign = sound?.n
    if (display.screen === 'off') return
    if (sound?.t === 'announce' && sound.n !== this.#foreign)
      expect(display).toMatchObject({ amount: sound.body.amount })
    expect(display.screen === 'code').toBe(state.code !== undefined)
  }

  #watchLights(): void {
    const snapshot = snapshotOf('BENCH', this.state, this.nowMs)
    const { display, link, signal } = snapshot
    const lit = lightsOf(snapshot).map(({ word }) => word)
    const money = ['idle', 'locked', 'qr', 'paid', 'payment', 'missed']
    if (money.includes(display.screen)) expect(lit).toContain('shop')
    if (display.screen === 'unregistered') expect(lit).toEqual(expect.arrayContaining(['online', 'no shop']))
    if (display.screen === 'no_network') expect(lit).toContain('offline')
    const isPlugged = this.state.link.phase !== 'offline' || !this.state.link.unplugged
    expect(signal === NO_SIGNAL).toBe(!isPlugged)
    expect(signalText(snapshot) === '····').toBe(!isPlugged)
    if (link === 'welcomed') expect(signal).toBeGreaterThan(NO_SIGNAL)
  }
}

/** What the hub, a person and the wiring of a shop do to a speaker. A hub sends money only to a shop. */
const ACTS: Record<string, (bench: Watched) => unknown> = {
  announce: (bench) => bench.announce(String(1_000 + bench.next())),
  payQr: (bench) => bench.state.qr && bench.announce(bench.state.qr.amount, {}, bench.state.qr.bill),
  qr(bench) {
    const amount = String(1_000 + bench.next())
    const qr = { qr: '0002', amount, bill: `B-${amount}`, exp: bench.hubNow + 900 }
    if (bench.state.linked) bench.send('qr', qr)
  },
  code: (bench) => bench.send('code', { code: '048213', exp: bench.hubNow + 300 }),
  clearQr: (bench) => bench.send('clear', { what: 'qr' }),
  clearCode: (bench) => bench.send('clear', { what: 'code' }),
  missed: (bench) => bench.state.linked && bench.sendMissed(),
  missedAgain: (bench) => bench.sendMissedAgain(),
  profile: (bench) => bench.send('profile', { name: 'Phở Hạnh', qr: '0002' }),
  lock: (bench) => bench.send('profile', { name: 'Phở Hạnh', qr: '', locked: true }),
  noShop: (bench) => bench.send('profile', { name: '', qr: '' }),
  dismiss: (bench) => bench.dismiss(),
  stored: (bench) => bench.storeAcks(),
  connect: (bench) => bench.connect(),
  connectWithoutShop: (bench) => bench.connect(false),
  lose: (bench) => bench.lose(),
  unplug: (bench) =>
    bench.event({ type: 'closed', end: { reason: 'cut' }, retryInMs: undefined, unplugged: true }),
  powerCut: (bench) => bench.powerCut(),
  ...Object.fromEntries(
    (['mute', 'broken-display', 'broken-audio', 'slow-link'] as const).map((fault) => [
      fault,
      (bench: Watched) => bench.fault(fault, !bench.state.faults.includes(fault)),
    ]),
  ),
}

const acts = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(ACTS)) },
    { weight: 3, arbitrary: fc.constantFrom('announce', 'qr', 'payQr', 'missed', 'connect', 'profile') },
    { weight: 2, arbitrary: fc.oneof(fc.nat(8_000), fc.nat(400_000)) },
  ),
  { maxLength: 60, size: 'large' },
)

/** So that every screen is reached, whatever the seed is. */
const EVERY_SCREEN = [
  ...['code', 'clearCode', 'qr', 'payQr', 1_900, 'announce', 1_900, 20_000, 'missed', 'announce', 20_000],
  ...['broken-display', 'broken-display', 'noShop', 'powerCut', 'unplug'],
]

describe('for any commands, faults, cuts of the power and of the line', () => {
  it('no two states of the speaker contradict each other', () => {
    const reached = new Set<string>()
    fc.assert(
      fc.property(acts, (script) => {
        const bench = new Watched()
        bench.connect()
        bench.send('profile', { name: 'Phở Hạnh', qr: '0002' })
        for (const act of script) {
          if (typeof act === 'number') bench.wind(act)
          else ACTS[act]?.(bench)
          reached.add(bench.display.screen)
        }
      }),
      { numRuns: 150, examples: [[EVERY_SCREEN]] },
    )
    // A script that reaches nothing would prove nothing.
    expect([...reached].sort()).toEqual([
      ...[
        'code',
        'connecting',
        'idle',
        'locked',
        'missed',
        'no_network',
        'off',
        'paid',
        'payment',
        'qr',
        'unregistered',
      ],
    ])
  })
})
