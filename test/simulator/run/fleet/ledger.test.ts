import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Ledger } from '../../../../simulator/run/fleet/model/ledger.ts'
import { sentence } from './stand-in.ts'

function sumOf({ totals }: Ledger): number {
  const { heardOnce, heardTwice, missed, silent, lost, unanswered, open } = totals
  return heardOnce + heardTwice + missed + silent + lost + unanswered + open
}

describe('the ledger', () => {
  it('measures a payment from its callback to the answer and to the sentence', () => {
    const ledger = new Ledger()
    const payment = ledger.sent('FT1', 3, '50000', 1_000)
    ledger.answered(payment, 1_010)
    expect(ledger.heard(3, sentence('50000', 1_200))).toBe(payment)
    expect(ledger.totals).toMatchObject({ sent: 1, answered: 1, heardOnce: 1, open: 0 })
    expect(ledger.times.answer.all.percentiles()).toMatchObject({ count: 1, max: 10 })
    expect(ledger.times.speech.all.percentiles()).toMatchObject({ count: 1, max: 200 })
  })

  it('measures the way to the socket and to the sound apart from the wait for another sentence', () => {
    const ledger = new Ledger()
    ledger.sent('FT1', 3, '50000', 1_000)
    ledger.heard(3, { amount: '50000', startedAtMs: 5_020, arrivedAtMs: 1_040, queuedMs: 3_960 })
    const { socket, queue, sound, speech } = ledger.times
    const longest = [socket, queue, sound, speech].map(({ all }) => all.percentiles()?.max)
    expect(longest).toEqual([40, 3_960, 60, 4_020])
  })

  it('distinguishes a payment that is heard again from a foreign one', () => {
    const ledger = new Ledger()
    ledger.sent('FT1', 3, '50000', 1_000)
    for (const atMs of [1_100, 1_200, 1_300]) ledger.heard(3, sentence('50000', atMs))
    ledger.heard(4, sentence('50000', 1_400))
    expect(ledger.totals).toMatchObject({ heardOnce: 0, heardTwice: 1, foreign: 1, open: 0 })
    expect(ledger.times.speech.all.count).toBe(1)
  })

  it('corrects a missed payment when it is heard after all', () => {
    const ledger = new Ledger()
    const payment = ledger.sent('FT1', 3, '50000', 1_000)
    ledger.unheard(payment, 'missed')
    ledger.unheard(payment, 'lost')
    expect(ledger.totals).toMatchObject({ missed: 1, lost: 0, open: 0 })
    ledger.heard(3, sentence('50000', 2_000))
    ledger.unheard(payment, 'lost')
    expect(ledger.totals).toMatchObject({ missed: 0, lost: 0, heardOnce: 1, open: 0 })
  })

  it('counts for each dialect: once, twice, with and without a word of the hub, missed, silent, late', () => {
    const ledger = new Ledger((speaker) => (speaker === 3 ? 'openluat' : 'sb/1'))
    const pay = (speaker: number, amount: string) => {
      const payment = ledger.sent(`FT${amount}`, speaker, amount, 1_000)
      ledger.answered(payment, 1_010)
      return payment
    }
    const [twice, thrice] = [pay(3, '10'), pay(3, '20')]
    for (const amount of ['10', '10', '20', '20']) ledger.heard(3, sentence(amount, 2_000))
    expect(ledger.unexplained()).toEqual([twice, thrice])
    for (const payment of [twice, thrice, twice]) ledger.maySound(payment)
    expect(ledger.unexplained()).toEqual([])
    ledger.heard(3, sentence('20', 3_000))
    ledger.unheard(pay(3, '30'), 'silent')
    ledger.unheard(pay(4, '40'), 'missed')
    pay(3, '50')
    ledger.heard(3, sentence('50', 131_010))
    pay(4, '60')
    ledger.heard(4, sentence('60', 131_011))
    const none = { heardOnce: 0, heardTwice: 0, mayRepeat: 0, missed: 0, silent: 0, late: 0 }
    expect(Object.fromEntries(ledger.dialects)).toEqual({
      openluat: { ...none, sent: 4, heardOnce: 1, heardTwice: 2, mayRepeat: 1, silent: 1 },
      'sb/1': { ...none, sent: 2, heardOnce: 1, missed: 1, late: 1 },
    })
    expect(ledger.totals).toMatchObject({ sent: 6, heardTwice: 2, mayRepeat: 1, late: 1, open: 0 })
    ledger.heard(3, sentence('30', 2_000))
    expect(ledger.dialects.get('openluat')).toMatchObject({ silent: 0, heardOnce: 2 })
    expect(sumOf(ledger)).toBe(6)
  })

  it('forgets payments heard ten minutes ago, and keeps open ones', () => {
    const ledger = new Ledger()
    ledger.sent('FT1', 1, '50000', 0)
    ledger.sent('FT2', 1, '60000', 0)
    ledger.heard(1, sentence('50000', 100))
    ledger.forget(600_000)
    expect(ledger.isKnown(1, '50000')).toBe(true)
    ledger.forget(600_101)
    expect(ledger.isKnown(1, '50000')).toBe(false)
    expect(ledger.open().map(({ ftCode }) => ftCode)).toEqual(['FT2'])
  })

  it('forgets payments that were not heard, too, and keeps a new one of the same amount', () => {
    const ledger = new Ledger()
    ledger.unheard(ledger.sent('FT1', 1, '50000', 0), 'missed')
    const late = ledger.sent('FT2', 1, '60000', 0)
    ledger.unheard(late, 'missed')
    ledger.heard(1, sentence('60000', 200_000))
    ledger.forget(600_001)
    expect(ledger.isKnown(1, '50000')).toBe(false)
    ledger.forget(800_001)
    expect(ledger.isKnown(1, '60000')).toBe(false)
    ledger.sent('FT3', 1, '60000', 800_002)
    ledger.forget(800_003)
    expect(ledger.isKnown(1, '60000')).toBe(true)
    expect(ledger.totals).toMatchObject({ missed: 1, heardOnce: 1, open: 1 })
  })

  it('counts every payment exactly once, for any events in any order', () => {
    const act = fc.record({
      what: fc.constantFrom('answered', 'heard', 'missed', 'lost', 'unanswered', 'forget'),
      which: fc.nat(9),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const ledger = new Ledger()
        const payments = Array.from({ length: 10 }, (_, index) => ledger.sent(`FT${index}`, index, '1000', 0))
        for (const [atMs, { what, which }] of acts.entries()) {
          const payment = payments[which]
          if (!payment) continue
          if (what === 'answered') ledger.answered(payment, atMs)
          else if (what === 'heard') ledger.heard(which, sentence('1000', atMs))
          else if (what === 'forget') ledger.forget(atMs)
          else ledger.unheard(payment, what)
          expect(sumOf(ledger)).toBe(10)
        }
        expect(ledger.open()).toHaveLength(ledger.totals.open)
      }),
    )
  })
})
