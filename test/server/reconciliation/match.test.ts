import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasWord } from '../../../server/reconciliation/match/bills.ts'
import { daysOf } from '../../../server/reconciliation/match/days.ts'
import { match } from '../../../server/reconciliation/match/match.ts'
import type { AccountPayment, MatchRow, Outcome } from '../../../server/reconciliation/match/model.ts'
import { BUCKETS } from '../../../server/reconciliation/model/statement.ts'

const span = daysOf('Asia/Ho_Chi_Minh')
const NOON = Date.parse('2026-11-20T12:00:00+07:00')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const row = (change: Partial<MatchRow> = {}): MatchRow => ({
  ...{ id: 'r1', date: '2026-11-20', at: NOON, amount: 50_000, direction: 'credit' },
  ...{ references: [], text: '', isReversal: false, isOutside: false, isBatch: false, decision: undefined },
  ...change,
})
const payment = (change: Partial<AccountPayment> = {}): AccountPayment => ({
  ...{ id: 'p1', paidAt: NOON, amount: 50_000, ftCode: '', traceTransfer: '', billNumber: '' },
  ...change,
})
const short = ({ bucket, rule, paymentId, proposedId }: Outcome) =>
  [bucket, rule, paymentId ?? (proposedId && `${proposedId}?`)].filter(Boolean).join(' ')
const matched = (rows: MatchRow[], payments: AccountPayment[]) => {
  const found = match(rows, payments, span)
  return rows.map(({ id }) => short(found.get(id) as Outcome))
}
const coded = (id: string, change: Partial<MatchRow> = {}) => row({ id, references: ['FT1'], ...change })

describe('rules', () => {
  it.each<[string, MatchRow[], AccountPayment[], string[]]>([
    ['a reference', [coded('r1')], [payment({ ftCode: 'FT1' })], ['matched reference p1']],
    ['a trace', [coded('r1')], [payment({ traceTransfer: 'FT1' })], ['matched reference p1']],
    ['another amount', [coded('r1', { amount: 1 })], [payment({ ftCode: 'FT1' })], ['differs reference p1']],
    [
      'a reference of the day after',
      [coded('r1')],
      [payment({ ftCode: 'FT1', paidAt: NOON + 35 * HOUR })],
      ['matched reference p1'],
    ],
    [
      'a reference of two days after',
      [coded('r1')],
      [payment({ ftCode: 'FT1', paidAt: NOON + 36 * HOUR })],
      ['bank_only'],
    ],
    [
      'two payments of a reference',
      [coded('r1')],
      [payment({ ftCode: 'FT1' }), payment({ id: 'p2', traceTransfer: 'FT1' })],
      ['undecided'],
    ],
    [
      'two rows of a reference',
      [coded('r1'), coded('r2', { amount: 7 })],
      [payment({ ftCode: 'FT1' })],
      ['undecided', 'undecided'],
    ],
    ['a bill', [row({ text: 'thanh toan hd-7.' })], [payment({ billNumber: 'HD-7' })], ['matched bill p1']],
    [
      'a part of a number',
      [row({ text: 'HD-71', at: undefined })],
      [payment({ billNumber: 'HD-7', paidAt: NOON + 20 * HOUR })],
      ['bank_only'],
    ],
    [
      'a bill with another amount',
      [row({ text: 'HD7', amount: 1 })],
      [payment({ billNumber: 'HD7' })],
      ['bank_only'],
    ],
    [
      'a bill of two rows',
      [row({ text: 'HD7' }), row({ id: 'r2', text: 'HD7' })],
      [payment({ billNumber: 'HD7' })],
      ['undecided', 'undecided'],
    ],
    [
      'a bill against another code',
      [row({ text: 'HD7', references: ['X'] })],
      [payment({ billNumber: 'HD7', ftCode: 'FT9' })],
      ['undecided p1?'],
    ],
    [
      'a bill and a code on one side',
      [row({ text: 'HD7', references: ['X'] })],
      [payment({ billNumber: 'HD7' })],
      ['matched bill p1'],
    ],
    ['a time', [row()], [payment({ paidAt: NOON + 10 * MINUTE })], ['undecided p1?']],
    ['a time too far', [row()], [payment({ paidAt: NOON + 10 * MINUTE + 1 })], ['bank_only']],
    ['a day', [row({ at: undefined })], [payment({ paidAt: NOON + 11 * HOUR })], ['undecided p1?']],
    ['a day too far', [row({ at: undefined })], [payment({ paidAt: NOON + 12 * HOUR })], ['bank_only']],
    ['two alike', [row(), row({ id: 'r2' })], [payment(), payment({ id: 'p2' })], ['undecided', 'undecided']],
    ['a debit', [row({ direction: 'debit' })], [payment()], ['other']],
    ['outside', [row({ isOutside: true })], [payment()], ['other']],
    ['a batch', [row({ isBatch: true })], [payment()], ['undecided']],
    ['nothing', [row()], [], ['bank_only']],
    [
      'a decision takes its payment first',
      [row({ decision: { id: 'p1', amount: 50_000 } }), coded('r2')],
      [payment({ ftCode: 'FT1' })],
      ['matched decided p1', 'bank_only'],
    ],
    [
      'a decision for none',
      [coded('r1', { decision: 'none' })],
      [payment({ ftCode: 'FT1' })],
      ['bank_only decided'],
    ],
    [
      'a reversal',
      [coded('r1'), coded('r2', { direction: 'debit', date: '2026-11-23' })],
      [payment({ ftCode: 'FT1' })],
      ['reversed reference p1', 'reversed'],
    ],
    ['a reversal of nothing', [row({ direction: 'debit', isReversal: true })], [], ['reversed']],
    [
      'a debit before the credit',
      [coded('r1'), coded('r2', { direction: 'debit', date: '2026-11-19' })],
      [],
      ['bank_only', 'other'],
    ],
  ])('%s', (_, rows, payments, expected) => {
    expect(matched(rows, payments)).toEqual(expected)
  })

  it.each([
    ['thu HD7, cam on', 'HD7', true],
    ['HD77 HD7', 'HD7', true],
    ['XHD7', 'HD7', false],
    ['đHD7', 'HD7', false],
    ['hd7', 'HD7', true],
    ['A-B', 'A-B', true],
    ['A-BC', 'A-B', false],
  ])('%s has the word %s: %s', (text, number, expected) => {
    expect(hasWord(text, number)).toBe(expected)
  })
})

describe('properties', () => {
  const few = <T>(...values: T[]) => fc.constantFrom(...values)
  const anyRow = fc.record({
    date: few('2026-11-19', '2026-11-20', '2026-11-21'),
    at: few(undefined, NOON, NOON + 5 * MINUTE),
    amount: few(50_000, 20_000),
    direction: few('credit' as const, 'credit' as const, 'debit' as const),
    references: fc.subarray(['A', 'B', 'C', 'D'], { maxLength: 2 }),
    text: few('', 'HD1', 'HD2 x', 'HD1 HD2'),
    isReversal: few(false, false, false, true),
    isOutside: few(false, false, false, true),
    isBatch: few(false, false, false, true),
    decision: few(undefined, undefined, undefined, 'none' as const),
  })
  const anyPayment = fc.record({
    paidAt: few(NOON, NOON + 5 * MINUTE, NOON - 24 * HOUR, NOON + 24 * HOUR),
    amount: few(50_000, 20_000),
    ftCode: few('', 'A', 'B', 'C', 'E'),
    traceTransfer: few('', 'A', 'D'),
    billNumber: few('', 'HD1', 'HD2'),
  })
  const numbered = <T extends object>(items: T[], letter: string) =>
    items.map((item, index) => ({ ...item, id: `${letter}${index}` }))

  it('gives each row one outcome, uses no payment twice, and does not depend on the order', () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 8 }),
        fc.array(anyPayment, { maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (someRows, somePayments, keys) => {
          const [rows, payments] = [numbered(someRows, 'r'), numbered(somePayments, 'p')]
          const shuffled = <T>(items: readonly T[]) =>
            items
              .map((item) => ({ item, key: keys.next().value }))
              .toSorted((a, b) => a.key - b.key)
              .map(({ item }) => item)
          const found = match(rows, payments, span)
          expect([...found.keys()].sort()).toEqual(rows.map(({ id }) => id).sort())
          const outcomes = [...found.values()]
          for (const { bucket } of outcomes) expect(BUCKETS).toContain(bucket)
          const used = outcomes.flatMap(({ paymentId, proposedId }) => paymentId ?? proposedId ?? [])
          expect(new Set(used).size).toBe(used.length)
          const again = match(shuffled(rows), shuffled(payments), span)
          expect(rows.map(({ id }) => again.get(id))).toEqual(rows.map(({ id }) => found.get(id)))
        },
      ),
    )
  })
})
