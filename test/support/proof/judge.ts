import {
  type Entry,
  type History,
  isAccepted,
  isAnswered,
  isHeard,
  isShown,
  type Payment,
  sentenceOf,
  sumOf,
} from './history.ts'
import { addsUp, wasAway } from './missed.ts'
import type { OnRecord, Stored } from './record.ts'

/** How a promise is broken. */
export type Breach =
  /** Stored or answered with 200, and heard by nobody. */
  | 'lost'
  /** Heard more than once. */
  | 'doubled'
  /** Heard and never asked for, or before it was asked for. */
  | 'strange'
  /** Answered as no payment processor can expect. */
  | 'answers'
  /** Given up by its processor: the judge allows this, and most scenarios do not. */
  | 'unanswered'
  /** Stored otherwise than it was asked for, answered or heard. */
  | 'record'
  | 'totals'
  /** The notices of a speaker are not about what it missed. */
  | 'shown'

export interface Violation {
  kind: Breach
  says: string
  /** The shop that it is about, and what was seen of it, in order. */
  terminalID: string
  seen: readonly Entry[]
}

export interface Verdict {
  /** Stored as played, and heard exactly once. */
  heardOnce: number
  /** Stored as expired, and heard by nobody. */
  missed: number
  /** Violations of these kinds. */
  lost: number
  doubled: number
  violations: Violation[]
}

export interface Allowed {
  /** Whether it may be missed by its shop's speaker. By default when that was away for nearly all of the time. */
  mayBeMissed?: (payment: Payment) => boolean
  /** Whether something between the processor and the hub may send a report again. */
  isResent?: boolean
}

/**
 * Judges what clients saw against what the storage holds when all has come to rest: each payment that got 200 is heard
 * once, or shown once as missed. One whose outcome nobody knows may be stored or not.
 */
export function judge(history: History, record: OnRecord, allowed: Allowed = {}): Verdict {
  const violations = judgeStored(history, record, allowed)
  let [heardOnce, missed] = [0, 0]
  const { mayBeMissed = wasAway(history) } = allowed
  const stored = new Map(record.payments.map((row) => [row.ftCode, row]))
  for (const payment of history.payments) {
    const entries = history.of(payment)
    const row = stored.get(payment.ftCode)
    const wrong = [...wrongSentences(entries, row, () => mayBeMissed(payment))]
    violations.push(...wrong.map((one) => about(payment, one, entries)))
    if (wrong.length > 0 || !row) continue
    if (entries.some(isHeard)) heardOnce += 1
    else missed += 1
  }
  violations.push(...strangeSentences(history), ...wrongNotices(history, record))
  const count = (kind: Breach) => violations.filter((one) => one.kind === kind).length
  return { heardOnce, missed, lost: count('lost'), doubled: count('doubled'), violations }
}

/** As `judge`, of what is stored alone: announcements may be under way. */
export function judgeStored(
  history: History,
  { payments, totals }: OnRecord,
  { isResent = false }: Allowed = {},
): Violation[] {
  const stored = Map.groupBy(payments, ({ ftCode }) => ftCode)
  const asked = new Set(history.payments.map(({ ftCode }) => ftCode))
  const ofShop = Map.groupBy(payments, ({ terminalID }) => terminalID)
  return [
    ...history.payments.flatMap((payment) => {
      const rows = stored.get(payment.ftCode) ?? []
      const entries = history.of(payment)
      const wrong = [...wrongAnswers(entries, rows[0], isResent), ...wrongRows(payment, rows, entries)]
      return wrong.map((one) => about(payment, one, entries))
    }),
    ...payments
      .filter(({ ftCode }) => !asked.has(ftCode))
      .map((row) => about(row, ['record', 'is on record, and nobody has asked for it'], [])),
    ...totals.flatMap(({ terminalID, count, sum }): Violation[] => {
      const rows = ofShop.get(terminalID) ?? []
      if (count === BigInt(rows.length) && sum === sumOf(rows)) return []
      const says = `${terminalID} counts ${count} payments of ${sum}, and has ${rows.length} of ${sumOf(rows)}`
      return [{ kind: 'totals', says, terminalID, seen: rows.flatMap(history.of) }]
    }),
  ]
}

type Wrong = [kind: Breach, says: string]

export function about(payment: Payment, [kind, says]: Wrong, seen: readonly Entry[]): Violation {
  const { ftCode, terminalID, amount } = payment
  return { kind, says: `${ftCode} of ${amount} at ${terminalID} ${says}`, terminalID, seen }
}

/** A payment has one answer for ever, and only one report of it is new. */
function* wrongAnswers(
  entries: readonly Entry[],
  row: Stored | undefined,
  isResent: boolean,
): Generator<Wrong> {
  for (const entry of entries) if (isAnswered(entry) && entry.wrong) yield ['answers', `was ${entry.wrong}`]
  const accepted = entries.filter(isAccepted)
  const [first] = accepted
  if (!first) return
  if (new Set(accepted.map(({ body }) => body)).size > 1) yield ['answers', 'got 200 with different bodies']
  if (row && accepted.some(({ id = row.id }) => id !== row.id))
    yield ['answers', `got 200 with another id than ${row.id}, which is on record`]
  const fresh = accepted.filter(({ isReplay }) => !isReplay)
  if (fresh.length > 1 || fresh.some(({ from }) => from > first.at))
    yield ['answers', 'was reported again, and taken for new']
  const tried = entries.find((entry) => isAnswered(entry) && entry.answer !== 'refused')
  if (tried === first && first.isReplay && !isResent)
    yield ['answers', 'was reported for the first time, and taken for a repeat']
}

function* wrongRows(payment: Payment, rows: readonly Stored[], entries: readonly Entry[]): Generator<Wrong> {
  if (rows.length === 0 && entries.some(isAccepted)) yield ['lost', 'got 200, and is not on record']
  if (rows.length > 1) yield ['record', `is on record ${rows.length} times`]
  for (const { terminalID, amount, stages } of rows) {
    if (amount !== payment.amount || terminalID !== payment.terminalID)
      yield ['record', `is on record with ${amount} at ${terminalID}`]
    if (stages.length !== 1) yield ['record', `has ${stages.length} announcements`]
  }
}

function* wrongSentences(
  entries: readonly Entry[],
  row: Stored | undefined,
  mayBeMissed: () => boolean,
): Generator<Wrong> {
  const heard = entries.filter(isHeard).length
  const stage = row?.stages[0]
  if (heard > 1) yield ['doubled', `was heard ${heard} times`]
  const asked = entries.find(({ kind }) => kind === 'asked')
  if (asked && entries.some((entry) => isHeard(entry) && entry.at < asked.at))
    yield ['strange', 'was heard before it was asked for']
  if (heard > 0 && !row) yield ['record', 'was heard, and is not on record']
  if (heard > 0 && row && stage !== 'played') yield ['record', `was heard, and is ${stage} on record`]
  if (heard === 0 && row && stage !== 'expired')
    yield ['lost', `was heard by nobody, and is ${stage} on record`]
  if (heard === 0 && stage === 'expired' && !mayBeMissed())
    yield ['lost', 'has expired, although its speaker was on the line']
}

/** A speaker says nothing but the payments of its shop. */
export function strangeSentences(history: History): Violation[] {
  const known = Map.groupBy(history.payments, sentenceOf)
  return history.entries.filter(isHeard).flatMap((entry): Violation[] => {
    if (known.has(sentenceOf(entry))) return []
    const { terminalID, amount } = entry
    const paid = history.payments.filter((payment) => payment.amount === amount)
    const where = paid.map((one) => `at ${one.terminalID}`).join(' and ') || 'nowhere'
    const says = `${terminalID} speaks ${amount}, which was paid ${where}`
    return [{ kind: 'strange', says, terminalID, seen: [...paid.flatMap(history.of), entry] }]
  })
}

/** The notices of a speaker name all that it missed, once. */
function wrongNotices(history: History, record: OnRecord): Violation[] {
  const isMissed = (row: Stored) => row.stages[0] === 'expired' && !history.of(row).some(isHeard)
  const missed = Map.groupBy(record.payments.filter(isMissed), ({ terminalID }) => terminalID)
  const shown = Map.groupBy(history.entries.filter(isShown), ({ terminalID }) => terminalID)
  return [...new Set([...missed.keys(), ...shown.keys()])].flatMap((terminalID): Violation[] => {
    const payments = missed.get(terminalID) ?? []
    const notices = shown.get(terminalID) ?? []
    if (addsUp(notices, { count: payments.length, sum: sumOf(payments) })) return []
    const reported = notices.map(({ count, sum }) => `${count} of ${sum}`).join(', ') || 'nothing'
    const says = `${terminalID} shows ${reported} as missed, and has missed ${payments.length} of ${sumOf(payments)}`
    return [{ kind: 'shown', says, terminalID, seen: [...payments.flatMap(history.of), ...notices] }]
  })
}
