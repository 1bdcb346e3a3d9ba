import {
  ANNOUNCEMENT_FRESH_MS,
  type AnnouncementTrail,
  isFinal,
} from '../../../../server/announcements/announcement.ts'
import type { LinkedBox } from '../../../support/boxes.ts'
import { type Entry, type History, isAccepted, isHeard } from '../../../support/proof/history.ts'
import { about, type Breach, strangeSentences, type Violation } from '../../../support/proof/judge.ts'

export type BoxDialectName = LinkedBox['dialect']

/** What became of the payments to the boxes of one dialect. Each is in one of once, twice, missed, silent and unknown. */
export interface BoxLedger {
  sent: number
  once: number
  /** Heard twice or more often. */
  twice: number
  /** Heard by nobody, and not confirmed by the box. */
  missed: number
  /** Heard by nobody, although the box has confirmed it. */
  silent: number
  /** Heard by nobody, and never answered with 200. */
  unknown: number
  /** Heard after its time, however often. */
  late: number
}

/** A box, as far as it concerns its judge. */
export interface JudgedBox extends Pick<LinkedBox, 'kind' | 'dialect' | 'terminalID'> {
  /** Whether it lost its power, and with it what it knew. */
  hasDied: boolean
}

/** Transit on a busy machine, on top of the time in which the hub may send. */
const ON_ITS_WAY_MS = 15_000
/** The kinds that drop what comes while they speak. The hub does not know after a restart that one speaks. */
const DROPPING: ReadonlySet<string> = new Set(['ds50'])

/** How often a payment may be heard. */
function mostHeard({ dialect, hasDied }: JudgedBox, trail: AnnouncementTrail | undefined): number {
  switch (dialect) {
    case 'hemipay':
    case 'alink':
      return hasDied ? 2 : 1
    case 'oneway':
      return trail?.mayRepeat ? 2 : 1
  }
}

/**
 * Judges what the shops of boxes heard against the hub's record, by the promises of docs/boxes.md. `trails`: by the code
 * of the payment. `history`: of these shops alone.
 */
export function judgeBoxes(
  history: History,
  boxes: readonly JudgedBox[],
  trails: ReadonlyMap<string, AnnouncementTrail>,
): { ledgers: Record<BoxDialectName, BoxLedger>; violations: Violation[] } {
  const ledgers = { hemipay: noPayments(), oneway: noPayments(), alink: noPayments() }
  const byTerminal = new Map(boxes.map((box) => [box.terminalID, box]))
  const violations = history.payments.flatMap((payment): Violation[] => {
    const box = byTerminal.get(payment.terminalID)
    if (!box) return []
    const entries = history.of(payment)
    const trail = trails.get(payment.ftCode)
    count(ledgers[box.dialect], entries, trail)
    return [...wrongsOf(box, entries, trail)].map((wrong) => about(payment, wrong, entries))
  })
  return { ledgers, violations: [...violations, ...strangeSentences(history)] }
}

function noPayments(): BoxLedger {
  return { sent: 0, once: 0, twice: 0, missed: 0, silent: 0, unknown: 0, late: 0 }
}

function count(ledger: BoxLedger, entries: readonly Entry[], trail: AnnouncementTrail | undefined): void {
  const heard = entries.filter(isHeard)
  ledger.sent += 1
  if (heard.length > 1) ledger.twice += 1
  else if (heard.length === 1) ledger.once += 1
  else if (isWithBox(trail)) ledger.silent += 1
  else if (trail) ledger.missed += 1
  else ledger.unknown += 1
  if (heard.some((entry) => isLate(entry, trail))) ledger.late += 1
}

function* wrongsOf(
  box: JudgedBox,
  entries: readonly Entry[],
  trail: AnnouncementTrail | undefined,
): Generator<[Breach, string]> {
  const heard = entries.filter(isHeard)
  const stage = trail?.reason === undefined ? trail?.stage : `${trail.stage} (${trail.reason})`
  const most = mostHeard(box, trail)
  if (heard.length > most)
    yield [
      'doubled',
      `was heard ${heard.length} times by ${box.kind}, and ${most} is the most; it is ${stage}`,
    ]
  if (heard.some((entry) => isLate(entry, trail))) yield ['strange', 'was heard after its time']
  if (heard.length > 0 && !trail) yield ['record', 'was heard, and is not on record']
  if (trail && !isFinal(trail.stage)) yield ['record', `is ${stage} at the end`]
  if (trail?.stage === 'failed' || trail?.stage === 'suppressed') yield ['lost', `is ${stage}`]
  const maySilence = DROPPING.has(box.kind) || box.hasDied
  if (heard.length === 0 && isWithBox(trail) && !maySilence)
    yield ['lost', `was heard by nobody, and is ${stage} on record`]
  if (heard.length === 0 && !trail && entries.some(isAccepted))
    yield ['lost', 'got 200, and is not on record']
}

function isWithBox(trail: AnnouncementTrail | undefined): boolean {
  return trail?.stage === 'delivered' || trail?.stage === 'played'
}

function isLate({ at }: Entry, trail: AnnouncementTrail | undefined): boolean {
  const storedAt = trail?.times.queued
  if (storedAt === undefined) return false
  return performance.timeOrigin + at > storedAt + ANNOUNCEMENT_FRESH_MS + ON_ITS_WAY_MS
}
