import type Database from 'better-sqlite3'
import type { Stage } from '../../../announcements/stages.ts'
import type { StorageRules } from '../../rules.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'

/** A step of one announcement. It counts only for the device and the command number of the announcement. */
interface Step {
  id: string
  commandNumber: number
  deviceId: string
  at: number
  reason: string | null
}

type AckedStage = Extract<Stage, 'received' | 'played' | 'failed' | 'expired'>

/** An announcement that has moved. Undefined in its place: it was at that stage or past it, or has another number. */
interface Moved {
  queuedAt: number
  /** When it first reached the stage. Earlier than the step when a birth has voided its `received` since. */
  reachedAt: number
}

/** Moves one announcement forward, inside a commit: the statements of a payment's acks. */
export function createStageRows(
  sqlite: Database.Database,
  { stagesBefore }: Pick<StorageRules, 'stagesBefore'>,
) {
  const mayMoveTo = (stage: Stage) => {
    const before = stagesBefore(stage).map((from) => `'${from}'`)
    return `stage IN (${before.join(', ')})`
  }
  const markSent = sqlite.prepare<[at: number, id: string], Moved>(
    `UPDATE announcements SET stage = 'sent', sent_at = ?
     WHERE id = ? AND ${mayMoveTo('sent')}
     RETURNING queued_at AS queuedAt, sent_at AS reachedAt`,
  )
  const open = sqlite.prepare<[id: string], number>(`SELECT 1 FROM announcements WHERE id = ? AND ${OPEN}`)

  // The device is checked by its row id: a payment has just read that row, but not the index on the device's id.
  const ofStep = `id = @id AND n = @commandNumber
    AND (SELECT d.id FROM devices d WHERE d.number = device_number) = @deviceId`
  const move = (stage: AckedStage, set: string, orFrom = 'FALSE') =>
    sqlite.prepare<[Step], Moved>(
      `UPDATE announcements SET stage = '${stage}', ${set}
       WHERE ${ofStep} AND (${mayMoveTo(stage)} OR ${orFrom})
       RETURNING queued_at AS queuedAt, ${stage}_at AS reachedAt`,
    )
  const moves = {
    received: move(
      'received',
      'received_at = coalesce(received_at, @at), received_void_at = NULL',
      "(stage = 'received' AND received_void_at IS NOT NULL)",
    ),
    played: move('played', 'played_at = @at'),
    failed: move('failed', 'failed_at = @at, reason = @reason'),
    expired: move('expired', 'expired_at = @at, reason = @reason'),
  }
  const notMissed = sqlite.prepare<[Step]>(
    `UPDATE announcements SET missed_shown_at = @at
     WHERE ${ofStep} AND stage = 'expired' AND reason IS NULL AND missed_shown_at IS NULL`,
  )

  return {
    markSent: (id: string, at: number) => markSent.get(at, id),
    isOpen: (id: string) => open.get(id) !== undefined,
    reach: (stage: AckedStage, step: Step) => moves[stage].get(step),
    /** Takes what the hub has expired, and the device has played, out of the missed payments (sb/1 7.21). */
    takeOutOfMissed: (step: Step) => notMissed.run(step).changes > 0,
  }
}
