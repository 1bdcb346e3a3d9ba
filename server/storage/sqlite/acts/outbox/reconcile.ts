import type { Reconciliation } from '../../../../announcements/reconcile.ts'
import type { Stage } from '../../../../announcements/stages.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import { firstCursor, type Page, pageOf, type ReconcileCursor } from '../../../shared/pages.ts'
import { withoutNulls } from '../../../shared/without-nulls.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import type { CommandNumbers } from '../../rows/command-numbers.ts'

interface Row {
  rowId: number
  n: number
  stage: Stage
  sentAt: number | null
  receivedAt: number | null
  receivedVoidAt: number | null
  expiresAt: number
  reason: string | null
  queuedAt: number
}

/** Brings the announcements of one device in line with its birth, page by page. The rule is announcements/reconcile.ts. */
export function createReconcile(
  { sqlite }: Pick<OpenDatabase, 'sqlite'>,
  numbers: CommandNumbers,
  rules: Pick<StorageRules, 'reconcile'>,
) {
  const announcementsOf = (condition: string) =>
    sqlite.prepare<[ReconcileCursor & { device: number }], Row>(
      `SELECT number AS rowId, n, stage, sent_at AS sentAt, received_at AS receivedAt,
         received_void_at AS receivedVoidAt, expires_at AS expiresAt, reason, queued_at AS queuedAt
       FROM announcements
       WHERE device_number = @device AND ${condition}
       LIMIT @limit`,
    )
  const open = announcementsOf(`${OPEN} AND n > @openAfter AND n <= @openUpTo ORDER BY n`)
  const unseen = announcementsOf(`${UNSEEN} AND number > @unseenAfter ORDER BY number`)

  const update = (values: string) =>
    sqlite.prepare<[value: number, rowId: number]>(`UPDATE announcements SET ${values} WHERE number = ?`)
  const setPlayed = update("stage = 'played', played_at = ?")
  const setExpired = update("stage = 'expired', expired_at = ?")
  const setShown = update('missed_shown_at = ?')
  const setNumber = update('n = ?')
  const setVoid = update('received_void_at = ?')

  return {
    /** The first page, which is almost always the only one. */
    first: (deviceId: string): ReconcileCursor => firstCursor(numbers.highest(deviceId)),

    /** Reconciles a page of the open announcements, and behind the last one those that were missed. Inside a commit. */
    page(
      device: number,
      played: number,
      now: number,
      cursor: ReconcileCursor,
    ): Page<ReconcileCursor, Reconciliation<{ queuedAt: number }>> {
      const which = { ...cursor, device }
      const opened = cursor.openAfter === undefined ? [] : open.all(which)
      const { rows, next } = pageOf(cursor, opened, () => unseen.all(which))
      const found = rules.reconcile(rows.map(withoutNulls), played, now)
      for (const { rowId } of found.played) setPlayed.run(now, rowId)
      for (const { rowId } of found.expired) setExpired.run(now, rowId)
      for (const { rowId } of found.shown) setShown.run(now, rowId)
      for (const { rowId } of found.renumbered) setNumber.run(numbers.take(device), rowId)
      for (const { rowId } of found.voided) setVoid.run(now, rowId)
      return { value: found, next }
    },
  }
}
