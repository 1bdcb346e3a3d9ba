import type { Happening } from '../../../simulator/speaker/device/happenings.ts'
import { Violation } from '../kit/violation.ts'
import { indicesOf } from '../shop/payment.ts'
import type { Books } from './books.ts'
import type { Deadlines } from './deadlines.ts'
import type { AnnouncementRow } from './file.ts'
import { isFinal } from './stages.ts'

/**
 * A hub asks again 3, 6 and 12 s after the first sending, and never for what is no news any more: an ack that gets lost on
 * a line that stands, of what was said this close to its end, stays lost. The line of a world loses such; TCP does not.
 */
const ASKED_AGAIN_WITHIN_MS = 15_000

type Announced = Extract<Happening, { event: 'announce' }>

/** What was heard from every speaker, and what may be heard again. */
export interface Speech {
  /** Written down as played: if no sound follows, the power failed in that moment. */
  begun(serial: string, n: number): void
  heard(serial: string, announced: Announced, lagMs: number): void
  missedShown(serial: string, sum: string): void
  /** No receipt without a sound. */
  check(rows: readonly AnnouncementRow[]): void
  /** A speaker has lost its memory: what is still open for it may be said once more. */
  forgotten(serial: string, rows: readonly AnnouncementRow[]): void
  /** The hub is back from an older file: what that does not know as ended may be said once more. */
  rewind(rows: readonly AnnouncementRow[]): void
  /** What is open may end now, before the ack of what was said has come. */
  clockWasSet(rows: readonly AnnouncementRow[]): void
  /** Whether the payment was said, or its saying was cut short. */
  wasSaid(row: AnnouncementRow): boolean
}

/** A speaker that is given nothing but frames: `sentTo` names the payment behind a number, as it left the hub. */
export function createSpeech(deps: {
  books: Books
  deadlines: Deadlines
  elapsed: () => number
  sentTo: (serial: string, n: number) => AnnouncementRow | undefined
}): Speech {
  const { books, deadlines, elapsed, sentTo } = deps
  /** By speaker and payment. */
  const said = new Set<string>()
  const heard = new Set<string>()
  const mayRepeat = new Set<string>()
  /** Said too late for the hub to find out, if the ack is lost. */
  const unproven = new Set<string>()
  const keyOf = (serial: string, amount: string | number) => `${serial}/${amount}`

  function allowRepeat(keys: Iterable<string>, open: (key: string) => boolean) {
    for (const key of keys) if (open(key)) mayRepeat.add(key)
  }

  return {
    begun(serial, n) {
      const row = sentTo(serial, n)
      if (!row)
        throw new Violation('foreign data', `${serial} plays number ${n}, which the hub never sent to it`)
      said.add(keyOf(serial, row.amount))
    },

    heard(serial, { n, amount }, lagMs) {
      const row = sentTo(serial, n)
      if (!row || String(row.amount) !== amount || !books.byAmount(amount))
        throw new Violation('foreign data', `${serial} says ${amount}, which the hub never sent to it`)
      const key = keyOf(serial, amount)
      said.add(key)
      if (heard.has(key) && !mayRepeat.delete(key))
        throw new Violation('at most once', `${serial} says ${amount} a second time`)
      heard.add(key)
      const { lateAfter, promisedUntil } = deadlines.of(row)
      if (promisedUntil - elapsed() < ASKED_AGAIN_WITHIN_MS) unproven.add(key)
      const lateMs = elapsed() - lateAfter
      if (lateMs > Math.max(0, lagMs))
        throw new Violation('never late', `${serial} says ${amount} ${lateMs} ms after its time`)
    },

    missedShown(serial, sum) {
      for (const index of indicesOf(sum)) {
        const amount = String(2 ** index)
        if (!books.byAmount(amount))
          throw new Violation('missed', `${serial} shows ${sum} as missed: nobody has paid ${amount}`)
        const key = keyOf(serial, amount)
        if (heard.has(key) && !mayRepeat.has(key) && !unproven.has(key))
          throw new Violation('missed', `${serial} shows ${amount} as missed, and has said it`)
      }
    },

    check(rows) {
      for (const { stage, serial, amount } of rows)
        if (stage === 'played' && !said.has(keyOf(serial, amount)))
          throw new Violation(
            'receipts',
            `${amount} is on record as played by ${serial}, which has not said it`,
          )
    },

    forgotten(serial, rows) {
      const open = new Set(rows.filter((row) => !isFinal(row)).map((row) => keyOf(row.serial, row.amount)))
      allowRepeat(heard, (key) => key.startsWith(`${serial}/`) && open.has(key))
    },

    rewind(rows) {
      const ended = new Set(rows.filter(isFinal).map((row) => keyOf(row.serial, row.amount)))
      allowRepeat(heard, (key) => !ended.has(key))
    },

    clockWasSet(rows) {
      for (const row of rows) if (!isFinal(row)) unproven.add(keyOf(row.serial, row.amount))
    },

    wasSaid: (row) => said.has(keyOf(row.serial, row.amount)),
  }
}
