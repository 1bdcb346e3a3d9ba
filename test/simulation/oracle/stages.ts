import { STAGES } from '../../../server/announcements/announcement.ts'
import { Violation } from '../kit/violation.ts'
import type { AnnouncementRow } from './file.ts'

export const isFinal = ({ stage }: AnnouncementRow) => STAGES.indexOf(stage) >= STAGES.indexOf('played')

/** Missed, and not on record as shown. */
export function isUnshown({ stage, missedShownAt }: AnnouncementRow): boolean {
  return (stage === 'expired' || stage === 'failed') && missedShownAt === null
}

/** Whether the stage that a speaker has reported, or a later one, is on record. */
export function hasReached(row: AnnouncementRow, reported: string): boolean {
  return isFinal(row) || row.stage === reported
}

/** Remembers what was last on record of each announcement, over crashes too. */
export interface Stages {
  check(rows: readonly AnnouncementRow[]): void
  /** An older file was put in the place of the newer: what came after it never was. */
  rewind(): void
  clockWasSet(byMs: number): void
}

/**
 * An announcement's stage only moves forward, not before its time, and it keeps its number once it has left. `isOver`:
 * its time has passed, whatever the hub's clock was set to since.
 */
export function createStages(now: () => number, isOver: (row: AnnouncementRow) => boolean): Stages {
  let before = new Map<string, AnnouncementRow>()
  /** After the clock was set back, ends come earlier. */
  let mayEndEarlier = false

  function checkOne(row: AnnouncementRow) {
    const was = before.get(row.id)
    if (!was) return
    const what = `the announcement of ${row.amount} to ${row.serial}`
    if (STAGES.indexOf(row.stage) < STAGES.indexOf(was.stage))
      throw new Violation('stages', `${what} went from ${was.stage} back to ${row.stage}`)
    if (isFinal(was) && row.stage !== was.stage)
      throw new Violation('stages', `${what} had ended as ${was.stage}, and is ${row.stage}`)
    // What has a reason was ended by the speaker itself.
    const hasExpired = row.stage === 'expired' && row.stage !== was.stage && row.reason === null
    if (hasExpired && now() < row.expiresAt && !isOver(row))
      throw new Violation('stages', `${what} was given up before its time was over`)
    if (was.n !== row.n && was.stage !== 'queued')
      throw new Violation('stages', `${what} was sent as ${was.n}, and is numbered ${row.n}`)
    if (was.missedShownAt !== null && row.missedShownAt !== was.missedShownAt)
      throw new Violation('stages', `${what} was shown as missed, and that is no longer on record`)
    if (row.expiresAt > was.expiresAt || (row.expiresAt < was.expiresAt && !mayEndEarlier))
      throw new Violation('stages', `${what} has got another end`)
  }

  return {
    check(rows) {
      const now = new Map(rows.map((row) => [row.id, row]))
      for (const id of before.keys())
        if (!now.has(id)) throw new Violation('stages', `the announcement ${id} is no longer on record`)
      for (const row of rows) checkOne(row)
      before = now
    },
    rewind: () => before.clear(),
    clockWasSet(byMs) {
      mayEndEarlier ||= byMs < 0
    },
  }
}
