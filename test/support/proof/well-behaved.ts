import fc from 'fast-check'
import { type Answer, type Entry, type Happening, type Payment, sumOf } from './history.ts'
import type { OnRecord, Stored } from './record.ts'

/** What clients saw of a hub, and what its storage holds. */
export interface Seen {
  entries: Entry[]
  record: OnRecord
}

const SHOPS = 3
/** Of one payment: what it got before its 200, if it ever got one, and how often it was reported again. */
const payment = fc.record({
  shop: fc.nat({ max: SHOPS - 1 }),
  before: fc.array(fc.constantFrom<Answer>('cut', 'refused', 503), { maxLength: 3 }),
  isAccepted: fc.boolean(),
  /** Stored by a report whose answer was lost. */
  isStoredBefore: fc.boolean(),
  repeats: fc.nat({ max: 2 }),
  isMissed: fc.boolean(),
  startsAt: fc.nat({ max: 200 }),
})
type Drawn = typeof payment extends fc.Arbitrary<infer P> ? P : never

/** Of one notice of missed payments: their number, and how many were named before in a notice that it replaces. */
const notice = fc.record({ payments: fc.integer({ min: 1, max: 3 }), replaced: fc.nat({ max: 2 }) })

/** Histories of a hub that keeps its promises. The speaker of the first shop is always on the line, the others never. */
export const wellBehaved: fc.Arbitrary<Seen> = fc
  .tuple(fc.array(payment, { minLength: 1, maxLength: 8 }), fc.array(notice, { maxLength: 8 }))
  .map(([drawn, notices]) => {
    const stories = drawn.map(storyOf)
    const stored = stories.flatMap(({ row }) => (row ? [row] : []))
    const shops = Array.from({ length: SHOPS }, (_, shop) => `TILL-${shop}`)
    const entries = [
      at(0, { kind: 'online', terminalID: 'TILL-0' }),
      ...stories.flatMap((story) => story.entries).toSorted((a, b) => a.at - b.at),
      ...shops.flatMap((terminalID) => {
        const missed = stored.filter((row) => row.terminalID === terminalID && row.stages[0] === 'expired')
        return show(terminalID, missed, notices)
      }),
    ]
    const totals = shops.map((terminalID) => {
      const own = stored.filter((row) => row.terminalID === terminalID)
      return { terminalID, count: BigInt(own.length), sum: sumOf(own) }
    })
    return { entries, record: { payments: stored, totals } }
  })

function storyOf(drawn: Drawn, index: number): { entries: Entry[]; row: Stored | undefined } {
  const { shop, before, isAccepted, repeats, startsAt } = drawn
  const id = `id-${index}`
  // No sum of some amounts is the sum of others, even if some are taken several times.
  const paid = { ftCode: `FT${index}`, terminalID: `TILL-${shop}`, amount: String(100n ** BigInt(index)) }
  const isUnknown = before.some((answer) => answer !== 'refused')
  const isReplay = isUnknown && drawn.isStoredBefore
  const outcomes: Partial<Reported>[] = before.map((answer) => ({ answer }))
  if (isAccepted) {
    outcomes.push({ id, isReplay })
    for (let repeat = 0; repeat < repeats; repeat += 1) outcomes.push({ id, isReplay: true })
  }
  const entries = outcomes.flatMap((outcome, turn) => report(paid, { at: startsAt + 10 * turn, ...outcome }))
  if (!isAccepted && !isReplay) return { entries, row: undefined }
  const isMissed = drawn.isMissed && shop > 0
  const { terminalID, amount } = paid
  if (!isMissed) entries.push(at(startsAt + 100, { kind: 'heard', terminalID, amount }))
  return { entries, row: { ...paid, id, stages: [isMissed ? 'expired' : 'played'] } }
}

export interface Reported {
  at: number
  answer: Answer
  id: string
  isReplay: boolean
}

/** A report and its answer, five milliseconds later: 200 when left out. */
export function report(
  paid: Payment,
  { at: from, answer = 200, id = '', isReplay = false }: { at: number } & Partial<Reported>,
): Entry[] {
  const base = 'http://hub'
  const until = from + 5
  const said = answer === 200 ? { id, isReplay, body: `the record ${id}` } : {}
  return [
    at(from, { kind: 'asked', base, ...paid }),
    at(until, { kind: 'answered', base, ftCode: paid.ftCode, answer, from, until, ...said }),
  ]
}

/** Shows payments in notices. Some replace one that named fewer of the same payments. */
function show(
  terminalID: string,
  missed: readonly Stored[],
  notices: readonly { payments: number; replaced: number }[],
): Entry[] {
  const entries: Entry[] = []
  const say = (payments: readonly Stored[]) => {
    const [count, sum] = [payments.length, String(sumOf(payments))]
    if (count > 0) entries.push(at(1_000, { kind: 'shown', terminalID, count, sum }))
  }
  let next = 0
  for (const { payments, replaced } of [...notices, { payments: missed.length, replaced: 0 }]) {
    const named = missed.slice(next, next + payments)
    say(named.slice(0, Math.min(replaced, named.length - 1)))
    say(named)
    next += named.length
  }
  return entries
}

export function at(time: number, happening: Happening): Entry {
  return { ...happening, at: time }
}
