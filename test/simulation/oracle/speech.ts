import type { SpeakerEvent } from '../../../simulator/speaker/device/state/speaker-events.ts'
import { Violation } from '../kit/violation.ts'
import { indicesOf } from '../shop/payment.ts'
import type { Books } from './books.ts'
import type { Deadlines } from './deadlines.ts'
import type { AnnouncementRow } from './file.ts'
import { isFinal, isUnshown } from './stages.ts'

type Announced = Extract<SpeakerEvent, { event: 'announce' }>

/**
 * What every speaker has said and shown as missed. Each payment is told once: it is said, or it is shown as missed. This
 * counts what speakers did, not what the hub has on record.
 */
export interface Speech {
  /** Written down as played: if no sound follows, the power failed in that moment. */
  begun(serial: string, n: number): void
  heard(serial: string, announced: Announced, lagMs: number): void
  /**
   * The line has lost a receipt, and stands. The hub may never ask for it again, and shows the payment as missed. TCP
   * loses nothing on a connection that stands.
   */
  receiptLost(serial: string, n: number): void
  missedShown(serial: string, sum: string): void
  /** The PUBACK for the ack of a notice has come, in the session of the notice. */
  missedConfirmed(serial: string, sum: string): void
  /** No receipt without a sound. `ownerOf` is the partner that a speaker is registered for. */
  check(rows: readonly AnnouncementRow[], ownerOf: (serial: string) => string | undefined): void
  /** The hub was killed: it stores behind the PUBACK that a notice was shown, and may have had no time for it. */
  hubKilled(rows: readonly AnnouncementRow[]): void
  /** A speaker has lost its memory: what is still open for it may be said once more. */
  forgotten(serial: string, rows: readonly AnnouncementRow[]): void
  /** The hub is back from an older file: what that does not know as ended may be said once more. */
  rewind(rows: readonly AnnouncementRow[]): void
  /** What is open may end now, before the ack of what was said has come. */
  clockWasSet(rows: readonly AnnouncementRow[]): void
  /** Whether the payment was said, or its saying was cut short. */
  wasSaid(row: AnnouncementRow): boolean
  /** Whether the speaker need not tell the payment any more. */
  isTold(row: AnnouncementRow): boolean
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
  const shown = new Set<string>()
  const confirmed = new Set<string>()
  /** Said or shown, but a speaker or the hub has lost its memory of it. */
  const mayRepeat = new Set<string>()
  /** Said, and the hub can't find it out. */
  const unproven = new Set<string>()
  /** Of a speaker that was released since: its screen no longer shows the money of that shop (sb/1 7.13). */
  const released = new Set<string>()
  const owners = new Map<string, string | undefined>()
  const keyOf = (serial: string, amount: string | number) => `${serial}/${amount}`
  const keyOfRow = (row: AnnouncementRow) => keyOf(row.serial, row.amount)

  function allowRepeat(isOpen: (key: string) => boolean) {
    for (const key of [...said, ...shown]) if (isOpen(key)) mayRepeat.add(key)
  }

  function checkToldOnce(key: string) {
    if (said.has(key) && shown.has(key) && !mayRepeat.has(key) && !unproven.has(key))
      throw new Violation('told once', `${key} was said, and was shown as missed`)
  }

  return {
    begun(serial, n) {
      const row = sentTo(serial, n)
      if (!row)
        throw new Violation('foreign data', `${serial} plays number ${n}, which the hub never sent to it`)
      const key = keyOfRow(row)
      said.add(key)
      checkToldOnce(key)
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
      const lateMs = elapsed() - deadlines.of(row).lateAfter
      if (lateMs > Math.max(0, lagMs))
        throw new Violation('never late', `${serial} says ${amount} ${lateMs} ms after its time`)
    },

    missedShown(serial, sum) {
      for (const index of indicesOf(sum)) {
        const amount = String(2 ** index)
        if (!books.byAmount(amount))
          throw new Violation('missed', `${serial} shows ${sum} as missed: nobody has paid ${amount}`)
        const key = keyOf(serial, amount)
        shown.add(key)
        checkToldOnce(key)
        if (confirmed.has(key))
          throw new Violation('told once', `${serial} shows ${amount} as missed in a second notice`)
      }
    },

    missedConfirmed(serial, sum) {
      for (const index of indicesOf(sum)) confirmed.add(keyOf(serial, 2 ** index))
    },

    receiptLost(serial, n) {
      const row = sentTo(serial, n)
      if (row) unproven.add(keyOfRow(row))
    },

    check(rows, ownerOf) {
      for (const row of rows) {
        const owner = owners.get(row.serial)
        if (owner !== undefined && owner !== ownerOf(row.serial)) released.add(keyOfRow(row))
      }
      for (const { serial } of rows) owners.set(serial, ownerOf(serial))
      for (const { stage, serial, amount } of rows)
        if (stage === 'played' && !said.has(keyOf(serial, amount)))
          throw new Violation(
            'receipts',
            `${amount} is on record as played by ${serial}, which has not said it`,
          )
    },

    hubKilled(rows) {
      for (const row of rows) if (row.missedShownAt === null) confirmed.delete(keyOfRow(row))
    },

    forgotten(serial, rows) {
      const open = new Set(rows.filter((row) => !isFinal(row) || isUnshown(row)).map(keyOfRow))
      allowRepeat((key) => key.startsWith(`${serial}/`) && open.has(key))
    },

    rewind(rows) {
      const ended = new Set(rows.filter((row) => isFinal(row) && !isUnshown(row)).map(keyOfRow))
      allowRepeat((key) => !ended.has(key))
      confirmed.clear()
    },

    clockWasSet(rows) {
      for (const row of rows) if (!isFinal(row)) unproven.add(keyOfRow(row))
    },

    wasSaid: (row) => said.has(keyOfRow(row)),

    isTold(row) {
      const key = keyOfRow(row)
      return said.has(key) || shown.has(key) || released.has(key) || row.stage === 'suppressed'
    },
  }
}
