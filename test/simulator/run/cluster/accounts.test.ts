import { expect, it } from 'vitest'
import { Accounts } from '../../../../simulator/run/cluster/model/accounts.ts'
import { isSound, reportLines } from '../../../../simulator/run/cluster/report.ts'
import { sentence } from '../fleet/stand-in.ts'

/** Pays each amount to its speaker, and answers it with 200 a second later. */
function paidTo(accounts: Accounts, ...payments: [speaker: number, amount: string][]) {
  return payments.map(([speaker, amount], index) => {
    const payment = accounts.ledger.sent(`FT${index}`, speaker, amount, 0)
    accounts.ledger.answered(payment, 1_000)
    return payment
  })
}

it('counts a payment as heard when its speaker says it, and as doubled when it says it again', () => {
  const accounts = new Accounts()
  paidTo(accounts, [0, '1000'], [1, '1000'])
  accounts.ledger.heard(0, sentence('1000', 2_000))
  expect(accounts.figures()).toMatchObject({ paid: 2, heard: 1, underWay: 1, doubled: 0 })
  accounts.ledger.heard(0, sentence('1000', 3_000))
  accounts.ledger.heard(1, sentence('1000', 3_000))
  expect(accounts.figures()).toMatchObject({ paid: 2, heard: 2, underWay: 0, doubled: 1, lost: 0 })
  expect(isSound(accounts.figures(true))).toBe(false)
})

it('believes that a payment is missed only when its speaker shows it', () => {
  const accounts = new Accounts()
  const [first, second] = paidTo(accounts, [0, '1000'], [0, '2000'])
  if (!first || !second) throw new Error('two are paid')
  accounts.judged(first, 'missed')
  accounts.judged(second, 'missed')
  accounts.shown(1, 2)
  expect(accounts.figures()).toMatchObject({ missed: 0, underWay: 2, lost: 0 })
  accounts.shown(0, 1)
  expect(accounts.figures()).toMatchObject({ missed: 1, underWay: 1, lost: 0 })
  // At the end nobody will show it any more.
  expect(accounts.figures(true)).toMatchObject({ missed: 1, underWay: 0, lost: 1 })
  accounts.ledger.heard(0, sentence('2000', 4_000))
  expect(accounts.figures(true)).toMatchObject({ heard: 1, missed: 1, lost: 0 })
  expect(isSound(accounts.figures(true))).toBe(true)
})

it('asks only about answered payments of the given age', () => {
  const accounts = new Accounts()
  paidTo(accounts, [0, '1000'])
  accounts.ledger.sent('FT9', 0, '9000', 0)
  expect(accounts.open(5_999, 5_000)).toEqual([])
  expect(accounts.open(6_000, 5_000).map(({ ftCode }) => ftCode)).toEqual(['FT0'])
})

it('reports what is wrong in the last line', () => {
  const accounts = new Accounts()
  expect(reportLines(accounts.figures(), 'It waited.').slice(-2)).toEqual(['It waited.', 'Nothing was paid.'])
  const [payment] = paidTo(accounts, [0, '1000'])
  if (payment) accounts.judged(payment, 'lost')
  const lines = reportLines(accounts.figures(true), undefined)
  expect(lines).toContain(`lost${'1'.padStart(32)}`)
  expect(lines.at(-1)).toBe('BROKEN: a payment was lost or doubled.')
})
