import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { describeViolations } from './describe-violations.ts'
import { createHistory, type Entry, isAccepted, isHeard, isShown } from './history.ts'
import { type Allowed, type Breach, judge } from './judge.ts'
import type { OnRecord, Stored } from './record.ts'
import { at, report, type Seen, wellBehaved } from './well-behaved.ts'

const RUNS = 300

const SHOP = 'TILL-1'
const paid = { ftCode: 'FT1', terminalID: SHOP, amount: '500' }
const second = { ftCode: 'FT2', terminalID: SHOP, amount: '700' }
const stored: Stored = { ...paid, id: 'one', stages: ['played'] }
const expired: Stored = { ...stored, stages: ['expired'] }

const on = at(0, { kind: 'online', terminalID: SHOP })
const accepted = report(paid, { at: 10, id: 'one' })
const again = report(paid, { at: 20, id: 'one', isReplay: true })
const cut = report(paid, { at: 0, answer: 'cut' })
const heard = at(30, { kind: 'heard', terminalID: SHOP, amount: '500' })
const fine = [on, ...accepted, heard]
const shown = (count: number, sum: string) => at(200_000, { kind: 'shown', terminalID: SHOP, count, sum })

function onRecord(payments: Stored[], count = payments.length, sum = 500 * payments.length): OnRecord {
  return { payments, totals: [{ terminalID: SHOP, count: BigInt(count), sum: BigInt(sum) }] }
}

function judged(entries: readonly Entry[], record: OnRecord, allowed?: Allowed) {
  return judge(createHistory(entries), record, allowed)
}

describe('a history of a hub that keeps its promises', () => {
  it.each<[what: string, entries: Entry[], record: OnRecord, allowed?: Allowed]>([
    ['heard once', fine, onRecord([stored])],
    ['heard before its 200', [on, ...cut, heard, ...again], onRecord([stored])],
    ['reported again', [...fine, ...again], onRecord([stored])],
    ['stored by a report that was cut', [on, ...cut, heard], onRecord([stored])],
    ['cut, and not stored', [on, ...cut], onRecord([])],
    ['refused, and not stored', [on, ...report(paid, { at: 0, answer: 503 })], onRecord([])],
    ['missed by a speaker that is off', [...accepted, shown(1, '500')], onRecord([expired])],
    [
      'missed, and it may be',
      [on, ...accepted, shown(1, '500')],
      onRecord([expired]),
      { mayBeMissed: () => true },
    ],
    [
      'shown twice: the hub need not know',
      [...accepted, shown(1, '500'), shown(1, '500')],
      onRecord([expired]),
    ],
    ['sent again on its way', [on, ...again, heard], onRecord([stored]), { isResent: true }],
  ])('%s', (_, entries, record, allowed) => {
    expect(judged(entries, record, allowed)).toMatchObject({ lost: 0, doubled: 0, violations: [] })
  })

  it('counts what was heard, and what was missed', () => {
    const entries = [...fine, ...report(second, { at: 40, id: 'two' }), shown(1, '700')]
    const record = onRecord([stored, { ...second, id: 'two', stages: ['expired'] }], 2, 1_200)
    expect(judged(entries, record, { mayBeMissed: () => true })).toMatchObject({ heardOnce: 1, missed: 1 })
  })

  it('is never judged broken', () => {
    const isRight = ({ entries, record }: Seen) => judged(entries, record).violations.length === 0
    fc.assert(fc.property(wellBehaved, isRight), { numRuns: RUNS })
  })
})

/** Long enough for all that waits for a speaker. */
const ENOUGH_MS = 20_000
const ANSWERED_MS = 15
const OLD_MS = 10 + ANNOUNCEMENT_FRESH_MS

it.each<[mayBe: boolean, what: string, from: number, until: number]>([
  [false, 'all the time', 0, 1_000_000],
  [false, 'long enough at first', 0, ANSWERED_MS + ENOUGH_MS],
  [true, 'too short at first', 0, ANSWERED_MS + ENOUGH_MS - 1],
  [false, 'long enough at the end', OLD_MS - ENOUGH_MS, 1_000_000],
  [true, 'too short at the end', OLD_MS - ENOUGH_MS + 1, 1_000_000],
])('a payment may be missed: %s, by a speaker that is on the line %s', (mayBe, _, from, until) => {
  const line = [{ ...on, at: from }, at(until, { kind: 'offline', terminalID: SHOP })]
  const { missed, lost } = judged([...line, ...accepted, shown(1, '500')], onRecord([expired]))
  expect([missed, lost]).toEqual(mayBe ? [1, 0] : [0, 1])
})

it('a payment that was stored long before its 200 was fresh since then', () => {
  const late = report(paid, { at: ANNOUNCEMENT_FRESH_MS - ENOUGH_MS, id: 'one', isReplay: true })
  const { missed } = judged([on, ...cut, ...late, shown(1, '500')], onRecord([expired]))
  expect(missed).toBe(1)
})

describe('a broken promise is found', () => {
  const elsewhere = at(30, { kind: 'heard', terminalID: 'TILL-2', amount: '500' })
  const another = at(30, { kind: 'heard', terminalID: SHOP, amount: '501' })
  const atOnce = report(paid, { at: 12, id: 'one' })
  const anew = report(paid, { at: 40, id: 'one' })
  const two = report(paid, { at: 40, id: 'two', isReplay: true })
  const bad = report(paid, { at: 40, answer: 500 }).map((entry) => ({ ...entry, wrong: 'answered 500' }))
  it.each<[kind: Breach, says: string, entries: Entry[], record: OnRecord]>([
    ['lost', 'got 200, and is not on record', [on, ...accepted], onRecord([])],
    ['lost', 'was heard by nobody, and is played', [on, ...accepted], onRecord([stored])],
    ['lost', 'was heard by nobody, and is sent', [on, ...cut], onRecord([{ ...stored, stages: ['sent'] }])],
    ['lost', 'has expired, although', [on, ...accepted, shown(1, '500')], onRecord([expired])],
    ['doubled', 'was heard 2 times', [...fine, heard], onRecord([stored])],
    ['doubled', 'was heard 2 times', [on, ...cut, heard, heard], onRecord([stored])],
    ['strange', 'was heard before', [on, { ...heard, at: 1 }, ...accepted], onRecord([stored])],
    ['strange', 'TILL-2 speaks 500, which was paid at TILL-1', [...fine, elsewhere], onRecord([stored])],
    ['strange', 'speaks 501, which was paid nowhere', [...fine, another], onRecord([stored])],
    ['record', 'was heard, and is not on record', [on, ...cut, heard], onRecord([])],
    ['record', 'was heard, and is expired on record', fine, onRecord([expired])],
    ['record', 'is on record 2 times', fine, onRecord([stored, stored])],
    ['record', 'is on record with 501 at TILL-1', fine, onRecord([{ ...stored, amount: '501' }])],
    ['record', 'is on record with 500 at TILL-2', fine, onRecord([{ ...stored, terminalID: 'TILL-2' }])],
    ['record', 'has 2 announcements', fine, onRecord([{ ...stored, stages: ['played', 'played'] }])],
    ['record', 'nobody has asked for it', [], onRecord([stored])],
    ['answers', 'another id than two', fine, onRecord([{ ...stored, id: 'two' }])],
    ['answers', 'with different bodies', [...fine, ...two], onRecord([stored])],
    ['answers', 'and taken for new', [...fine, ...anew], onRecord([stored])],
    ['answers', 'and taken for new', [on, ...cut, ...again, heard, ...anew], onRecord([stored])],
    ['answers', 'and taken for new', [on, ...accepted, ...atOnce, heard], onRecord([stored])],
    ['answers', 'and taken for a repeat', [on, ...again, heard], onRecord([stored])],
    ['answers', 'was answered 500', [...fine, ...bad], onRecord([stored])],
    ['totals', 'counts 2 payments of 500, and has 1 of 500', fine, onRecord([stored], 2, 500)],
    ['totals', 'counts 1 payments of 501, and has 1 of 500', fine, onRecord([stored], 1, 501)],
    ['shown', 'shows nothing as missed, and has missed 1 of 500', accepted, onRecord([expired])],
    ['shown', 'shows 1 of 501 as missed', [...accepted, shown(1, '501')], onRecord([expired])],
    ['shown', 'shows 1 of 500, 1 of 9', [...accepted, shown(1, '500'), shown(1, '9')], onRecord([expired])],
    [
      'shown',
      'shows 1 of 600, 1 of 500',
      [...accepted, shown(1, '600'), shown(1, '500')],
      onRecord([expired]),
    ],
    ['shown', 'and has missed 0 of 0', [...fine, shown(1, '500')], onRecord([stored])],
  ])('%s: %s', (kind, says, entries, record) => {
    const { violations } = judged(entries, record)
    expect(violations).toContainEqual(expect.objectContaining({ kind, says: expect.stringContaining(says) }))
  })
})

/** Changes one of the things that it finds in a history. Undefined when there is none. */
type Mutation = (seen: Seen, pick: <T>(some: readonly T[]) => T | undefined) => Seen | undefined

function mutateEntry<E extends Entry>(
  isMeant: (entry: Entry) => entry is E,
  change: (entry: E) => readonly Entry[],
  mayChange: (entry: E, entries: readonly Entry[]) => boolean = () => true,
): Mutation {
  return ({ entries, record }, pick) => {
    const chosen = pick(entries.filter(isMeant).filter((entry) => mayChange(entry, entries)))
    return (
      chosen && { record, entries: entries.flatMap((entry) => (entry === chosen ? change(chosen) : [entry])) }
    )
  }
}

function mutateRow(change: (row: Stored) => readonly Stored[]): Mutation {
  return ({ entries, record }, pick) => {
    const chosen = pick(record.payments)
    const payments = record.payments.flatMap((row) => (row === chosen ? change(row) : [row]))
    return chosen && { entries, record: { ...record, payments } }
  }
}

function mutateTotals(by: { count: bigint; sum: bigint }): Mutation {
  return ({ entries, record }, pick) => {
    const chosen = pick(record.totals)
    const totals = record.totals.map((one) =>
      one === chosen ? { ...one, count: one.count + by.count, sum: one.sum + by.sum } : one,
    )
    return { entries, record: { ...record, totals } }
  }
}

/** A repeat is taken for new. */
const takeForNew = mutateEntry(
  isAccepted,
  (entry) => [{ ...entry, isReplay: false }],
  (entry, entries) =>
    entries.some((one) => isAccepted(one) && one.ftCode === entry.ftCode && one.at < entry.at),
)

/** The last notice of a shop. One before it may be replaced, and then nobody needs it. */
const changeNotice = (change: (entry: Entry & { kind: 'shown' }) => readonly Entry[]) =>
  mutateEntry(
    isShown,
    change,
    (entry, entries) =>
      entry === entries.filter(isShown).findLast(({ terminalID }) => terminalID === entry.terminalID),
  )

it.each<[what: string, Mutation]>([
  ['a sentence is dropped', mutateEntry(isHeard, () => [])],
  ['a sentence is doubled', mutateEntry(isHeard, (entry) => [entry, entry])],
  ['a sentence has another amount', mutateEntry(isHeard, (entry) => [{ ...entry, amount: '7' }])],
  ['a sentence is at another speaker', mutateEntry(isHeard, (entry) => [{ ...entry, terminalID: 'TILL-9' }])],
  ['a sentence comes too early', mutateEntry(isHeard, (entry) => [{ ...entry, at: -1 }])],
  ['an answer has another id', mutateEntry(isAccepted, (entry) => [{ ...entry, id: 'other' }])],
  ['a repeat is taken for new', takeForNew],
  ['a notice is dropped', changeNotice(() => [])],
  ['a notice has another sum', changeNotice((entry) => [{ ...entry, sum: `${entry.sum}1` }])],
  ['a total counts one more', mutateTotals({ count: 1n, sum: 0n })],
  ['a total has another sum', mutateTotals({ count: 0n, sum: 1n })],
  ['a stored payment is doubled', mutateRow((row) => [row, row])],
  ['a stored payment is dropped', mutateRow(() => [])],
  ['a stored payment is another one', mutateRow((row) => [{ ...row, ftCode: 'FT99' }])],
])('in a history of a hub that keeps its promises, %s: that is found', (_, mutate) => {
  const isFound = (seen: Seen, index: number) => {
    const mutated = mutate(seen, (some) => some[index % some.length])
    fc.pre(mutated !== undefined)
    return judged(mutated?.entries ?? [], mutated?.record ?? onRecord([])).violations.length > 0
  }
  fc.assert(fc.property(wellBehaved, fc.nat(), isFound), { numRuns: RUNS })
})

it('the description of a broken promise has what was seen of it, in order, with what was done to the hub', () => {
  const killed = at(16, { kind: 'done', what: 'the hub at 8080 is killed' })
  const lines = (entries: Entry[]) => {
    const history = createHistory([on, ...entries])
    return describeViolations(history, judge(history, onRecord([])).violations).map((text) =>
      text.split('\n'),
    )
  }
  expect(lines([...cut, ...accepted, killed, at(9_000, { kind: 'done', what: 'something else' })])).toEqual([
    [
      'FT1 of 500 at TILL-1 got 200, and is not on record',
      '    0 ms: TILL-1 is online',
      '    0 ms: FT1 is reported to http://hub',
      '    5 ms: FT1 gets cut',
      '    10 ms: FT1 is reported to http://hub',
      '    15 ms: FT1 gets 200, as new, id one',
      '    16 ms: the hub at 8080 is killed',
    ],
  ])
  const patient = Array.from({ length: 40 }, () => cut).flat()
  expect(lines([...patient, ...accepted])[0]).toHaveLength(1 + 12 + 1 + 12)
  const many = Array.from({ length: 12 }, (_, index) =>
    report({ ftCode: `FT${index}`, terminalID: SHOP, amount: `${index}` }, { at: 0 }),
  )
  expect(lines(many.flat()).slice(9)).toEqual([
    [expect.stringContaining('FT9'), ...Array(3).fill(expect.anything())],
    ['and 2 more'],
  ])
})
